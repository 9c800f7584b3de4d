package config_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dailies/db/store/postgres"
	"dailies/handlers/config"
)

func TestAMoveSaysFromWhereToWhere(t *testing.T) {
	for args, want := range map[string]string{
		"":                        "needs -from-data or -from-database",
		"-from-data a":            "needs -to-data, -to-database or -to-media",
		"-from-data a b":          "is not a setting",
		"-from-data a -to-data a": "the same folder",
		"-from-database postgres://u:geheim@h/d -to-data a": "-from-data or -from-media",
		"-from-data a -to-database mysql://u:geheim@h/d":    "-to-database cannot be used",
		"-from-data a -to-media http://x":                   "-to-media:",
	} {
		_, err := config.ParseMove(config.Source{Args: strings.Fields(args), Help: &bytes.Buffer{}})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "geheim") {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
	for _, args := range []string{
		"-from-data a -to-database postgres://h/d", "-from-data a -from-database postgres://h/d -to-data b", "-abort -from-data a",
	} {
		if _, err := config.ParseMove(config.Source{Args: strings.Fields(args), Help: &bytes.Buffer{}}); err != nil {
			t.Errorf("%s: %v", args, err)
		}
	}
}

func TestADatabaseWithAPasswordIsShownNowhere(t *testing.T) {
	var help bytes.Buffer
	environ := []string{"DAILIES_DATABASE=postgres://dailies:geheim@db.example.com/dailies"}
	c, err := config.ParseApp(config.Source{Environ: environ, Help: &help})
	if err != nil || !strings.Contains(string(c.Database), "geheim") {
		t.Errorf("got %v, %v", c.Database.String(), err)
	}
	_, _ = config.ParseApp(config.Source{Args: []string{"-h"}, Environ: environ, Help: &help})
	_, err = config.ParseApp(config.Source{Args: []string{"-database", "postgres:/geheim"}, Environ: environ, Help: &help})
	if err == nil || strings.Contains(help.String()+err.Error(), "geheim") {
		t.Errorf("%v\n%s", err, &help)
	}
}

func TestADatabaseMayHaveASecondAddress(t *testing.T) {
	const pooler, direct = "postgres://dailies:geheim@pool:6432/dailies", "postgres://dailies:geheim@db/dailies"
	file := filepath.Join(t.TempDir(), "database")
	if err := os.WriteFile(file, []byte(pooler+"\n"+direct+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.ParseApp(config.Source{Environ: []string{"DAILIES_DATABASE_FILE=" + file}, Help: &bytes.Buffer{}})
	if first, second, bad := postgres.Addresses(string(c.Database)); err != nil || bad != nil || first != pooler || second != direct {
		t.Errorf("%q and %q: %v, %v", first, second, err, bad)
	}
	for text, want := range map[string]string{
		pooler + " " + direct + " " + direct:  "two of the same database",
		pooler + " postgres://dailies:geheim": "its second address",
		pooler + strings.Repeat("x", 9000):    "no address",
	} {
		_, err := config.ParseApp(config.Source{Args: []string{"-database", text}, Help: &bytes.Buffer{}})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "geheim") {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
