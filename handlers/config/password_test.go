package config_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"dailies/handlers/config"
)

func TestPasswordIsReadInAnyOrder(t *testing.T) {
	want := config.Password{Email: "kim@example.com", Data: "d", Addr: "127.0.0.1:9000", PublicURL: "https://video.example.com"}
	for _, args := range [][]string{
		{"password", "kim@example.com", "-data", "d", "-addr", "127.0.0.1:9000", "-public-url", "https://video.example.com/"},
		{"password", "-data", "d", "-public-url=https://video.example.com", "-addr", "127.0.0.1:9000", "kim@example.com"},
	} {
		if c, asked, err := config.ParsePassword(source(nil, args...)); err != nil || !asked || c != want {
			t.Errorf("%q: got %+v, %t, %v", args, c, asked, err)
		}
	}
	env := map[string]string{"DAILIES_DATA": "d", "DAILIES_ADDR": "127.0.0.1:9000", "DAILIES_PUBLIC_URL": want.PublicURL}
	if c, _, err := config.ParsePassword(source(env, "password", "kim@example.com")); err != nil || c != want {
		t.Errorf("from the environment: %+v, %v", c, err)
	}
	for _, args := range [][]string{nil, {"check"}, {"-data", "password"}} {
		if _, asked, _ := config.ParsePassword(source(nil, args...)); asked {
			t.Errorf("%q is taken for it", args)
		}
	}
}

func TestPasswordThatCannotBeAskedForIsOneLine(t *testing.T) {
	for _, args := range [][]string{
		{"password"}, {"password", "-data", "d"}, {"password", "-addr", "127.0.0.1:80"}, {"password", "a@b", "c@d"}, {"password", "a@b", "-addr", "here"},
		{"password", "a@b", "-data", ""}, {"password", "a@b", "-public-url", "example.com"}, {"password", "a@b", "-nope"},
	} {
		_, asked, err := config.ParsePassword(source(nil, args...))
		if !asked || err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: got %t, %v", args, asked, err)
		}
	}
	s := source(nil, "password", "-h")
	if _, _, err := config.ParsePassword(s); !errors.Is(err, config.ErrHelp) || !strings.Contains(s.Help.(*bytes.Buffer).String(), "dailies password EMAIL") {
		t.Errorf("got %v: %s", err, s.Help)
	}
}
