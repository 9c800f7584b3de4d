package config_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"dailies/handlers/config"
)

func TestSandboxTakesFlagsBeforeTheEnvironment(t *testing.T) {
	c, err := config.ParseSandbox(source(map[string]string{"DAILIES_RESULTS": "veo", "DAILIES_SEED": "7", "DAILIES_EXPIRE": "10m", "DAILIES_PASSWORD": "correct horse"},
		"-results", "mixed", "-fault", "500=0.1", "-addr", "127.0.0.1:0"))
	if err != nil {
		t.Fatal(err)
	}
	if c.Results != "mixed" || c.Seed != 7 || c.Expire != 10*time.Minute || c.Password != "correct horse" || c.Fault != "500=0.1" || c.Data == "" {
		t.Errorf("got %+v", c)
	}
}

func TestSandboxSaysInOneLineWhatCannotBeUsed(t *testing.T) {
	for want, args := range map[string][]string{
		"-addr":         {"-addr", "nowhere"},
		"-data":         {"-data", ""},
		"-password":     {"-password", "short"},
		"-expire":       {"-expire", "-1s"},
		"-seed":         {"-seed", "x"},
		"-public-url":   {"-public-url", "ftp://x"},
		"-bogus":        {"-bogus"},
		"not a setting": {"more"},
	} {
		_, err := config.ParseSandbox(source(nil, args...))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v", args, err)
		}
	}
	_, err := config.ParseSandbox(source(map[string]string{"DAILIES_PASSWORD": "secret"}))
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("the environment's password: %v", err)
	}
}

func TestSandboxExplainsEverySetting(t *testing.T) {
	s := source(nil, "-h")
	help := &bytes.Buffer{}
	s.Help = help
	if _, err := config.ParseSandbox(s); !errors.Is(err, config.ErrHelp) {
		t.Errorf("got %v", err)
	}
	for _, name := range []string{"addr", "data", "public-url", "password", "results", "fault", "expire", "seed", "catalog", "allow-private", "trusted-proxy"} {
		if !strings.Contains(help.String(), "  -"+name+" ") && !strings.Contains(help.String(), "  -"+name+"\n") {
			t.Errorf("-%s is not explained", name)
		}
	}
}
