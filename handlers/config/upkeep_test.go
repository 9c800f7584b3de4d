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
