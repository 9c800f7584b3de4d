package config_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"dailies/handlers/config"
)

func TestUpkeepIsReadInAnyOrder(t *testing.T) {
	want := config.Upkeep{Command: config.Backup, Data: "d", File: "b.zip"}
	for _, args := range [][]string{
		{"b.zip", "-data", "d"}, {"-data", "d", "b.zip"}, {"-data=d", "b.zip"}, {"b.zip", "--data=d"},
	} {
		if c, err := config.ParseUpkeep(config.Backup, source(nil, args...)); err != nil || c != want {
			t.Errorf("%q: got %+v, %v", args, c, err)
		}
	}
	want = config.Upkeep{Command: config.Check, Data: "from the environment"}
	if c, err := config.ParseUpkeep(config.Check, source(map[string]string{"DAILIES_DATA": want.Data})); err != nil || c != want {
		t.Errorf("got %+v, %v", c, err)
	}
}

func TestUnusableUpkeepSettingsAreOneLine(t *testing.T) {
	for _, args := range [][]string{
		{"backup"}, {"restore"}, {"restore", "-data", "d"}, {"check", "b.zip"}, {"backup", "a", "b"}, {"check", "-nope"}, {"check", "-data", ""},
	} {
		_, err := config.ParseUpkeep(config.Command(args[0]), source(nil, args[1:]...))
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: got %v", args, err)
		}
	}
	s := source(nil, "-h")
	if _, err := config.ParseUpkeep(config.Backup, s); !errors.Is(err, config.ErrHelp) || !strings.Contains(s.Help.(*bytes.Buffer).String(), "dailies restore FILE") {
		t.Errorf("got %v: %s", err, s.Help)
	}
}

func TestPasswordIsReadInAnyOrder(t *testing.T) {
	want := config.Password{Email: "kim@example.com", Data: "d", Addr: "127.0.0.1:9000", PublicURL: "https://video.example.com"}
	for _, args := range [][]string{
		{"kim@example.com", "-data", "d", "-addr", "127.0.0.1:9000", "-public-url", "https://video.example.com/"},
		{"-data", "d", "-public-url=https://video.example.com", "-addr", "127.0.0.1:9000", "kim@example.com"},
	} {
		if c, err := config.ParsePassword(source(nil, args...)); err != nil || c != want {
			t.Errorf("%q: got %+v, %v", args, c, err)
		}
	}
	want.WithoutSecond = true
	if c, err := config.ParsePassword(source(nil, "-without-second-factor", "-data", "d", "-addr", "127.0.0.1:9000", "-public-url="+want.PublicURL, want.Email)); err != nil || c != want {
		t.Errorf("without the second factor: %+v, %v", c, err)
	}
	want.WithoutSecond = false
	env := map[string]string{"DAILIES_DATA": "d", "DAILIES_ADDR": "127.0.0.1:9000", "DAILIES_PUBLIC_URL": want.PublicURL}
	if c, err := config.ParsePassword(source(env, "kim@example.com")); err != nil || c != want {
		t.Errorf("from the environment: %+v, %v", c, err)
	}
}

func TestUnusablePasswordSettingsAreOneLine(t *testing.T) {
	for _, args := range [][]string{
		{}, {"-data", "d"}, {"-addr", "127.0.0.1:80"}, {"a@b", "c@d"}, {"a@b", "-addr", "here"},
		{"a@b", "-data", ""}, {"a@b", "-public-url", "example.com"}, {"a@b", "-nope"},
	} {
		_, err := config.ParsePassword(source(nil, args...))
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: got %v", args, err)
		}
	}
	s := source(nil, "-h")
	if _, err := config.ParsePassword(s); !errors.Is(err, config.ErrHelp) || !strings.Contains(s.Help.(*bytes.Buffer).String(), "dailies password EMAIL") {
		t.Errorf("got %v: %s", err, s.Help)
	}
}
