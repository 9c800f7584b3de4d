package config_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dailies/handlers/config"
)

func TestAMailServerIsReadWithItsPassword(t *testing.T) {
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte("geheim\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, env := range []map[string]string{
		{"DAILIES_SMTP": "smtp://kim@mail.example.com?from=dailies@example.com", "DAILIES_SMTP_PASSWORD": "geheim"},
		{"DAILIES_SMTP": "smtp://kim@mail.example.com?from=dailies@example.com", "DAILIES_SMTP_PASSWORD_FILE": file},
	} {
		c, err := config.ParseApp(source(env))
		if err != nil || c.Mail.Address.Server() != "mail.example.com:587" || c.Mail.Address.User != "kim" || c.Mail.Password != "geheim" {
			t.Errorf("got %+v, %v", c.Mail.Address, err)
		}
	}
}

func TestMistakesInAMailServerAreOneLineWithoutThePassword(t *testing.T) {
	for text, want := range map[string]string{
		"smtp://kim:geheim@mail.example.com?from=a@example.com": "it must hold no password",
		"smtp://kim:ge heim@mail.example.com?from=a@b.com":      "it takes an address such as",
		"smtp://kim@mail.example.com?from=a@b.com":              "it needs DAILIES_SMTP_PASSWORD",
		"smtp://mail.example.com":                               "it lacks the address",
		"imap://kim:geheim@h":                                   "it begins with smtp://",
	} {
		var help bytes.Buffer
		_, err := config.ParseApp(config.Source{Args: []string{"-smtp", text}, Help: &help})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "-smtp") || strings.Contains(err.Error()+help.String(), "heim") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	env := map[string]string{"DAILIES_SMTP": "smtp://mail.example.com?from=a@example.com", "DAILIES_SMTP_PASSWORD": "geheim"}
	if _, err := config.ParseApp(source(env)); err == nil || !strings.Contains(err.Error(), "names no user") || strings.Contains(err.Error(), "geheim") {
		t.Errorf("a password without a user: %v", err)
	}
}
