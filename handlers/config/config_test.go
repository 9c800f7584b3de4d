package config_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"dailies/handlers/config"
)

func source(env map[string]string, args ...string) config.Source {
	s := config.Source{Args: args, Help: &bytes.Buffer{}}
	for name, value := range env {
		s.Environ = append(s.Environ, name+"="+value)
	}
	return s
}

func TestDefaults(t *testing.T) {
	c, err := config.ParseApp(source(nil))
	want := config.App{Addr: "127.0.0.1:8080", Data: "./data", Poll: 3 * time.Second, Queries: 400, Open: true, LogFormat: config.TextLog, OIDC: config.OIDC{SessionMax: 30 * 24 * time.Hour}}
	if err != nil || c != want {
		t.Errorf("got %+v, %v", c, err)
	}
}

func TestFlagWinsOverEnvironment(t *testing.T) {
	env := map[string]string{"DAILIES_POLL": "1s", "DAILIES_PUBLIC_URL": "https://video.example.com/", "DAILIES_ALLOW_PRIVATE": "true"}
	c, err := config.ParseApp(source(env, "-poll", "2s"))
	if err != nil || c.Poll != 2*time.Second || c.PublicURL != "https://video.example.com" || !c.AllowPrivate {
		t.Errorf("got %+v, %v", c, err)
	}
	if c, err := config.ParseApp(source(map[string]string{"DAILIES_QUERIES": "25"})); c.Queries != 25 || err != nil {
		t.Errorf("%d queries, %v", c.Queries, err)
	}
}

func TestUnusableSettingsAreOneLine(t *testing.T) {
	for _, s := range []config.Source{
		source(nil, "-nope"), source(nil, "extra"), source(nil, "-poll", "soon"), source(nil, "-poll", "1ms"),
		source(nil, "-queries", "0"), source(nil, "-queries", "many"), source(nil, "-queries", "100001"), source(map[string]string{"DAILIES_QUERIES": "-5"}),
		source(nil, "-addr", "here"), source(nil, "-addr", "1.2.3.4:99999"), source(nil, "-metrics-addr", "x"),
		source(nil, "-api-url", "ftp://x"), source(nil, "-public-url", "example.com"), source(nil, "-log-format", "xml"),
		source(nil, "-oidc-issuer", "https://login.example.com"), source(nil, "-oidc-client-id", "x"), source(nil, "-session-max", "1m"), source(nil, "-session-max", "2161h"), source(nil, "-session-max", "0"), source(nil, "-oidc-issuer", "http://login.example.com", "-oidc-client-id", "x"), source(nil, "-oidc-issuer", "login", "-oidc-client-id", "x"), source(nil, "-data", ""),
		source(map[string]string{"DAILIES_POLL": "x"}), source(map[string]string{"DAILIES_ALLOW_PRIVATE": "perhaps"}),
	} {
		_, err := config.ParseApp(s)
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: got %v", s.Args, err)
		}
	}
}

// The service has one address however it is spelled, and the one that an admin enters in the
// browser.
func TestTheServiceHasOneAddress(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "https://Video.Example.com:443/v1//": "https://video.example.com/v1", "video.example.com": "https://video.example.com",
		"http://127.0.0.1:9090/": "http://127.0.0.1:9090", "http://video_service:9090": "http://video_service:9090", "http://localhost:80": "http://localhost",
		"https://ana:word@video.example.com": "https://video.example.com",
	} {
		if c, err := config.ParseApp(source(nil, "-api-url", text)); c.APIURL != want || err != nil {
			t.Errorf("%q: got %q, %v", text, c.APIURL, err)
		}
	}
	for text, want := range map[string]string{
		"ftp://video.example.com": "not a web address", "https://video.example.com:0": "a port that does not exist", "https://video.example.com/?a=b": "a ? or a #", "https://": "not a web address",
	} {
		if _, err := config.ParseApp(source(nil, "-api-url", text)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestHelpListsEverySetting(t *testing.T) {
	s := source(nil, "-h")
	if _, err := config.ParseApp(s); !errors.Is(err, config.ErrHelp) {
		t.Fatalf("got %v", err)
	}
	for _, name := range []string{"addr", "data", "api-url", "public-url", "setup-token", "open", "secret", "poll", "queries", "allow-private", "metrics-addr", "catalog", "verbose", "log-format", "dev", "keep-max", "trusted-proxy", "smtp", "oidc-issuer", "oidc-client-id", "oidc-client-secret", "session-max", "forget-sealed"} {
		if !strings.Contains(s.Help.(*bytes.Buffer).String(), "\n  -"+name) {
			t.Errorf("-%s is not listed", name)
		}
	}
}

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

// A misspelt setting in these files would be ignored silently.
func TestInstalledFilesNameOnlySettingsThatExist(t *testing.T) {
	s := source(nil, "-h")
	_, _ = config.ParseApp(s)
	help := s.Help.(*bytes.Buffer).String()
	for _, file := range []string{"Containerfile", "package/dailies.env", "package/dailies.service"} {
		text, err := os.ReadFile(filepath.Join("..", "..", ".release", filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		names := regexp.MustCompile(`DAILIES_([A-Z0-9_]+)=`).FindAllSubmatch(text, -1)
		if len(names) == 0 {
			t.Errorf("%s names no setting", file)
		}
		for _, name := range names {
			flag := strings.ToLower(strings.ReplaceAll(string(name[1]), "_", "-"))
			if !strings.Contains(help, "\n  -"+flag+" ") && !strings.Contains(help, "\n  -"+flag+"\n") {
				t.Errorf("%s: %s is not a setting", file, name[0])
			}
		}
	}
}

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
