package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dailies/handlers/config"
)

// setting returns the named setting of the inspection.
func setting(t *testing.T, i config.Inspection, name string) config.Setting {
	t.Helper()
	at := slices.IndexFunc(i.Settings, func(s config.Setting) bool { return s.Name == name })
	if at < 0 {
		t.Fatalf("there is no setting %s", name)
	}
	return i.Settings[at]
}

// What the app refuses, the inspection refuses with the same sentence, at its setting.
func TestAnInspectionRefusesWhatTheAppRefuses(t *testing.T) {
	for name, values := range map[string][]string{
		"DAILIES_ADDR": {"here", "1.2.3.4:99999"}, "DAILIES_DATA": {""}, "DAILIES_API_URL": {"ftp://x"}, "DAILIES_PUBLIC_URL": {"example.com", "https://x.example/path"},
		"DAILIES_SETUP_TOKEN": {"short"}, "DAILIES_SECRET": {"short"}, "DAILIES_POLL": {"soon", "5", "1ms", "2h"}, "DAILIES_QUERIES": {"0", "many", "100001"},
		"DAILIES_ALLOW_PRIVATE": {"perhaps"}, "DAILIES_TRUSTED_PROXY": {"nobody"}, "DAILIES_DATABASE": {"mysql://x", "postgres://host"}, "DAILIES_MEDIA": {"s3://", "file://x", "s3://b?endpoint=https://e.example&region=r"},
		"DAILIES_OIDC_ISSUER": {"login", "https://login.example.com"}, "DAILIES_OIDC_CLIENT_ID": {"x"}, "DAILIES_OIDC_CLIENT_SECRET": {"x"}, "DAILIES_SESSION_MAX": {"1m", "soon", "2161h"},
		"DAILIES_KEEP_MAX": {"much"}, "DAILIES_SMTP": {"imap://x", "smtp://kim@mail.example.com?from=a@b.com"}, "DAILIES_METRICS_ADDR": {"x"}, "DAILIES_LOG_FORMAT": {"xml"},
		"DAILIES_SECRET_FILE": {"/missing"}, "DAILIES_DEV": {"perhaps"},
	} {
		for _, value := range values {
			env := map[string]string{name: value}
			_, refused := config.ParseApp(source(env))
			i, err := config.InspectApp(source(env))
			if refused == nil || err != nil {
				t.Errorf("%s=%s: the app says %v, the inspection %v", name, value, refused, err)
				continue
			}
			wrong := 0
			for _, s := range i.Settings {
				if s.Problem != "" {
					wrong++
				}
				if s.Problem != "" && s.Problem != refused.Error() {
					t.Errorf("%s=%s: %q, and the app says %q", name, value, s.Problem, refused)
				}
			}
			if i.Usable() || wrong != 1 {
				t.Errorf("%s=%s: %d settings are wrong", name, value, wrong)
			}
		}
	}
}

func TestAnInspectionGoesOnAfterAnUnusableValue(t *testing.T) {
	i, err := config.InspectApp(source(map[string]string{"DAILIES_POLL": "abc", "DAILIES_QUERIES": "0", "DAILIES_ADDR": "here", "DAILIES_QUERRIES": "5"}))
	if err != nil || i.Usable() {
		t.Fatalf("usable %t, %v", i.Usable(), err)
	}
	for name, value := range map[string]string{"poll": "abc", "queries": "0", "addr": "here"} {
		if s := setting(t, i, name); s.Problem == "" || s.Value != value || s.From != "environment" {
			t.Errorf("%s is %+v", name, s)
		}
	}
	if len(i.Notes) != 1 || !strings.Contains(i.Notes[0], "did you mean DAILIES_QUERIES?") {
		t.Errorf("the notes are %q", i.Notes)
	}
}

func TestAnInspectionSaysWhereEachValueComesFrom(t *testing.T) {
	dir := t.TempDir()
	env, secret := filepath.Join(dir, "dailies.env"), filepath.Join(dir, "secret")
	for path, text := range map[string]string{env: "DAILIES_POLL=7s\nDAILIES_QUERIES=9\nDAILIES_ADDR=127.0.0.1:1\n", secret: "mB4hqYt8VbZ0d2kLw9xT\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	i, err := config.InspectApp(source(map[string]string{"DAILIES_QUERIES": "8", "DAILIES_SECRET_FILE": secret, "DAILIES_ADDR": "127.0.0.1:2"}, "-env", env, "-addr", "127.0.0.1:3", "-json"))
	if err != nil || !i.JSON || !i.Usable() || i.App.Queries != 8 || i.App.Addr != "127.0.0.1:3" {
		t.Fatalf("got %+v, %v", i.App, err)
	}
	for name, want := range map[string]config.Setting{
		"addr":    {Variable: "DAILIES_ADDR", Value: "127.0.0.1:3", From: "command line"},
		"queries": {Variable: "DAILIES_QUERIES", Value: "8", From: "environment"},
		"poll":    {Variable: "DAILIES_POLL", Value: "7s", From: env},
		"secret":  {Variable: "DAILIES_SECRET", Value: config.Hidden, From: "file of DAILIES_SECRET_FILE"},
		"data":    {Variable: "DAILIES_DATA", Value: "./data", From: "default"},
	} {
		want.Name = name
		if got := setting(t, i, name); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

func TestAnInspectionShowsNoSecret(t *testing.T) {
	const secret = "geheim-geheim-geheim"
	all := map[string]string{
		"DAILIES_SECRET": secret, "DAILIES_SETUP_TOKEN": secret, "DAILIES_OIDC_CLIENT_SECRET": secret, "DAILIES_OIDC_ISSUER": "https://login.example.com", "DAILIES_OIDC_CLIENT_ID": "dailies",
		"DAILIES_S3_ACCESS_KEY": secret, "DAILIES_S3_SECRET_KEY": secret, "DAILIES_SMTP_PASSWORD": secret, "DAILIES_SMTP": "smtp://kim@mail.example.com?from=a@example.com",
		"DAILIES_DATABASE": "postgres://kim:" + secret + "@db.example.com/dailies?password=" + secret + " postgres://kim:" + secret + "@direct.example.com/dailies",
		"DAILIES_API_URL":  "https://kim:" + secret + "@api.example.com", "DAILIES_MEDIA": "s3://bucket/team?endpoint=https://s3.example.com&region=r",
	}
	shows := func(env map[string]string, want bool) {
		t.Helper()
		i, err := config.InspectApp(source(env))
		if text := fmt.Sprint(i.Settings, i.Notes); err != nil || i.Usable() != want || strings.Contains(text, "geheim") {
			t.Errorf("usable %t, %v: %s", i.Usable(), err, text)
		}
	}
	shows(all, true)
	shows(map[string]string{"DAILIES_API_URL": "https://api.example.com?key=" + secret}, false)
	for name, value := range map[string]string{ // none of these can be used
		"DAILIES_SMTP": "smtp://kim:" + secret + "@mail.example.com?from=a@example.com", "DAILIES_MEDIA": "s3://" + secret + ":x@bucket?region=" + secret, "DAILIES_SECRET": "geheim",
		"DAILIES_DATABASE": "mysql://kim:" + secret + "@x/y", "DAILIES_API_URL": "ftp://kim:" + secret + "@x", "DAILIES_PUBLIC_URL": "https://kim:" + secret + "@x.example", "DAILIES_OIDC_ISSUER": "https://kim:" + secret + "@x",
	} {
		env := map[string]string{name: value}
		if name == "DAILIES_OIDC_ISSUER" {
			env["DAILIES_OIDC_CLIENT_ID"] = "dailies"
		}
		shows(env, false)
	}
}

func TestAnInspectionReadsTheSettingsOfTheInstalledService(t *testing.T) {
	env := filepath.Join(t.TempDir(), "dailies.env")
	if err := os.WriteFile(env, []byte("DAILIES_POLL=7s\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := source(nil)
	s.Installed = env
	i, err := config.InspectApp(s)
	if err != nil {
		t.Fatal(err)
	}
	if got := setting(t, i, "poll"); got.Value != "7s" || got.From != env {
		t.Errorf("got %+v", got)
	}
	if got := setting(t, i, "data"); got.Value != "/var/lib/dailies" || got.From != "unit of the installed service" {
		t.Errorf("got %+v", got)
	}
}
