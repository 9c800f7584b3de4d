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
		{"backup", "b.zip", "-data", "d"}, {"backup", "-data", "d", "b.zip"}, {"backup", "-data=d", "b.zip"}, {"backup", "b.zip", "--data=d"},
	} {
		if c, asked, err := config.ParseUpkeep(source(nil, args...)); err != nil || !asked || c != want {
			t.Errorf("%q: got %+v, %t, %v", args, c, asked, err)
		}
	}
	want = config.Upkeep{Command: config.Check, Data: "from the environment"}
	if c, asked, err := config.ParseUpkeep(source(map[string]string{"DAILIES_DATA": want.Data}, "check")); err != nil || !asked || c != want {
		t.Errorf("got %+v, %t, %v", c, asked, err)
	}
	for _, args := range [][]string{nil, {"-data", "check"}, {"sandbox"}} {
		if _, asked, _ := config.ParseUpkeep(source(nil, args...)); asked {
			t.Errorf("%q is taken for upkeep", args)
		}
	}
}

func TestUpkeepThatCannotBeDoneIsOneLine(t *testing.T) {
	for _, args := range [][]string{
		{"backup"}, {"restore"}, {"restore", "-data", "d"}, {"check", "b.zip"}, {"backup", "a", "b"}, {"check", "-nope"}, {"check", "-data", ""},
	} {
		_, asked, err := config.ParseUpkeep(source(nil, args...))
		if !asked || err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: got %t, %v", args, asked, err)
		}
	}
	s := source(nil, "backup", "-h")
	if _, _, err := config.ParseUpkeep(s); !errors.Is(err, config.ErrHelp) || !strings.Contains(s.Help.(*bytes.Buffer).String(), "dailies restore FILE") {
		t.Errorf("got %v: %s", err, s.Help)
	}
}
