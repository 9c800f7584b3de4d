package config_test

import (
	"bytes"
	"errors"
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
