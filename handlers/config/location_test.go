package config_test

import (
	"bytes"
	"errors"
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

const inBucket = "s3://videos/team?endpoint=http://127.0.0.1:7070&region=us-east-1"

func TestCredentialsOfABucketComeFromTheEnvironmentOrFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("from a file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, env := range []map[string]string{
		{"DAILIES_MEDIA": inBucket, "DAILIES_S3_ACCESS_KEY": "me", "DAILIES_S3_SECRET_KEY": "from a file"},
		{"DAILIES_MEDIA": inBucket, "DAILIES_S3_ACCESS_KEY": "me", "DAILIES_S3_SECRET_KEY_FILE": file},
	} {
		c, err := config.ParseApp(source(env))
		if m := c.Media; err != nil || m.AccessKey != "me" || m.SecretKey != "from a file" || m.Bucket.String() != "s3://videos/team" {
			t.Errorf("%+v, %v", m, err)
		}
		u, err := config.ParseUpkeep(config.Backup, source(env, "b.zip"))
		if err != nil || u.Media != c.Media {
			t.Errorf("%+v, %v", u.Media, err)
		}
	}
	c, err := config.ParseApp(source(map[string]string{"DAILIES_SECRET_FILE": file, "DAILIES_SETUP_TOKEN_FILE": file, "DAILIES_SECRET": "sixteen characters"}))
	if err != nil || c.Secret != "sixteen characters" || c.SetupToken != "from a file" {
		t.Errorf("%q, %q, %v", c.Secret, c.SetupToken, err)
	}
}

func TestUnusableBucketsAreOneLineWithoutSecrets(t *testing.T) {
	large := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(large, bytes.Repeat([]byte("hunter22222"), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	keys := map[string]string{"DAILIES_S3_ACCESS_KEY": "me", "DAILIES_S3_SECRET_KEY": "hunter22222"}
	for want, s := range map[string]config.Source{
		"DAILIES_S3_SECRET_KEY":              source(map[string]string{"DAILIES_S3_ACCESS_KEY": "me"}, "-media", inBucket),
		"do not belong":                      source(keys, "-media", "s3://me:hunter22222@videos"),
		"no address such as":                 source(map[string]string{"DAILIES_MEDIA": "hunter22222"}),
		"DAILIES_S3_SECRET_KEY_FILE: open":   source(map[string]string{"DAILIES_S3_ACCESS_KEY": "me", "DAILIES_S3_SECRET_KEY_FILE": "/none"}, "-media", inBucket),
		"DAILIES_S3_SECRET_KEY_FILE: more":   source(map[string]string{"DAILIES_S3_ACCESS_KEY": "me", "DAILIES_S3_SECRET_KEY_FILE": large}, "-media", inBucket),
		"DAILIES_SECRET_FILE: open /nowhere": source(map[string]string{"DAILIES_SECRET_FILE": "/nowhere"}),
	} {
		_, err := config.ParseApp(s)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "hunter22222") {
			t.Errorf("%s: %v", want, err)
		}
	}
	help := source(keys, "-h")
	if _, err := config.ParseApp(help); !errors.Is(err, config.ErrHelp) {
		t.Error(err)
	}
	if said := help.Help.(*bytes.Buffer).String(); strings.Contains(said, "hunter22222") || !strings.Contains(said, "DAILIES_S3_SECRET_KEY_FILE") || !strings.Contains(said, "\n  -media") {
		t.Error(said)
	}
}
