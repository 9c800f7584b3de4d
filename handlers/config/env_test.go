package config_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dailies/handlers/config"
)

func TestAnEnvironmentFileIsReadAsSystemdReadsIt(t *testing.T) {
	got, err := config.ParseEnv("\ufeff# a comment\n; another\n\n" +
		"PLAIN=a b c  \n" +
		"  SPACED = x\r\n" +
		"EMPTY=\n" +
		"QUOTED=\"two words # no comment\"\n" +
		"SINGLE='a\\b \"c\"'\n" +
		"WITHIN=say \"hello\" now\n" +
		"JOINED=\"a\"'b'  c\n" +
		"ESCAPED=a\\ b\\\\c\n" +
		"DOUBLE=\"a\\\"b\\$c\\d\"\n" +
		"LONG=one \\\n  two\n" +
		"LINES=\"one\ntwo\"\n" +
		"URL=postgres://a:b@c/d?e=f#g\n" +
		"TWICE=1\nTWICE=2\n" +
		"LAST=end")
	want := map[string]string{
		"PLAIN": "a b c", "SPACED": "x", "EMPTY": "", "QUOTED": "two words # no comment", "SINGLE": `a\b "c"`,
		"WITHIN": `say "hello" now`, "JOINED": "abc", "ESCAPED": `a b\c`, "DOUBLE": `a"b$c\d`, "LONG": "one   two",
		"LINES": "one\ntwo", "URL": "postgres://a:b@c/d?e=f#g", "TWICE": "2", "LAST": "end",
	}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("got %q, %v", got, err)
	}
	for text, line := range map[string]string{
		"A=1\nnonsense\n": "line 2", "A=1\n\n1B=2": "line 3", "=x": "line 1", "A=\"x\n\nB=2": "line 1", "export A=1": "line 1",
		strings.Repeat("# x\n", 20_000): "more than",
	} {
		if _, err := config.ParseEnv(text); err == nil || !strings.Contains(err.Error(), line) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

func FuzzParseEnv(f *testing.F) {
	f.Add("A=1\nB='x'\n#c\nD=\"e\\\nf\"")
	f.Add("A=\\")
	f.Add("A='")
	f.Fuzz(func(t *testing.T, text string) {
		values, err := config.ParseEnv(text)
		if err != nil {
			return
		}
		for name, value := range values {
			if name == "" || strings.ContainsAny(name, "= \n") || len(value) > len(text) {
				t.Errorf("%q has the value %q", name, value)
			}
			// What was read can be written in single quotes, and is then read the same.
			if strings.Contains(value, "'") {
				continue
			}
			again, err := config.ParseEnv(name + "='" + value + "'")
			if len(text) < 1000 && (err != nil || again[name] != strings.ReplaceAll(value, "\r\n", "\n")) {
				t.Errorf("%q became %q, %v", value, again[name], err)
			}
		}
	})
}

// envFile writes an environment file and returns its path.
func envFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "dailies.env")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSettingsComeFromTheNamedFileLast(t *testing.T) {
	path := envFile(t, "DAILIES_POLL=1s\nDAILIES_DATA=/from/file\nDAILIES_ADDR=127.0.0.1:1\n")
	env := map[string]string{"DAILIES_DATA": "/from/environment", "DAILIES_ENV": path}
	for _, s := range []config.Source{source(env, "-addr", "127.0.0.1:2"), source(env, "-addr", "127.0.0.1:2", "-env", path)} {
		c, err := config.ParseApp(s)
		if err != nil || c.Poll != time.Second || c.Data != "/from/environment" || c.Addr != "127.0.0.1:2" {
			t.Errorf("got %+v, %v", c, err)
		}
	}
	for _, s := range []config.Source{source(nil, "-env", path+"x"), source(nil, "-env", envFile(t, "nonsense"))} {
		if _, err := config.ParseApp(s); err == nil || !strings.Contains(err.Error(), "-env") {
			t.Errorf("%q: %v", s.Args, err)
		}
	}
}

// A command without settings is about the service that the packages install. One that
// names another data folder is not, and must not use that service's database.
func TestCommandsReadTheFileOfTheInstalledService(t *testing.T) {
	const database = "postgres://dailies@db.example.com/dailies"
	installed := envFile(t, "DAILIES_DATABASE="+database+"\n")
	for _, c := range []struct {
		env            map[string]string
		args           []string
		data, database string
	}{
		{nil, nil, "/var/lib/dailies", database},
		{nil, []string{"-data", "/var/lib/dailies/"}, "/var/lib/dailies/", database},
		{nil, []string{"-data", "/elsewhere"}, "/elsewhere", ""},
		{nil, []string{"-data", "./data"}, "./data", ""},
		{map[string]string{"DAILIES_DATA": "/elsewhere"}, nil, "/elsewhere", ""},
		{map[string]string{"DAILIES_DATA": "/var/lib/dailies"}, nil, "/var/lib/dailies", database},
		{map[string]string{"DAILIES_DATABASE": database + "2"}, nil, "/var/lib/dailies", database + "2"},
		{nil, []string{"-env", envFile(t, "DAILIES_DATA=/other")}, "/other", ""},
	} {
		s := source(c.env, c.args...)
		s.Installed = installed
		got, err := config.ParseUpkeep(config.Check, s)
		if err != nil || got.Data != c.data || string(got.Database) != c.database {
			t.Errorf("%v %q: got %q and %q, %v", c.env, c.args, got.Data, string(got.Database), err)
		}
	}
	s := source(nil)
	s.Installed = filepath.Join(t.TempDir(), "nothing")
	if got, err := config.ParseUpkeep(config.Check, s); err != nil || got.Data != "./data" {
		t.Errorf("without an installed service: %+v, %v", got, err)
	}
	s.Installed = envFile(t, "DAILIES_DATA=/srv/dailies\nDAILIES_PUBLIC_URL=https://video.example.com\n")
	s.Args = []string{"kim@example.com"}
	if got, err := config.ParsePassword(s); err != nil || got.Data != "/srv/dailies" || got.PublicURL != "https://video.example.com" {
		t.Errorf("password: %+v, %v", got, err)
	}
}

func TestMisspeltVariablesAreNoted(t *testing.T) {
	var notes []string
	s := source(map[string]string{
		"DAILIES_PUBLIC_URI": "x", "DAILIES_NOTHING_OF_THE_KIND": "x", "DAILIES_SECRET_FILE": "", "DAILIES_S3_ACCESS_KEY_FILE": "x",
		"DAILIES_SMTP_PASSWORD": "x", "DAILIES_POLL": "1s", "DAILIES_EXPIRE": "1s", "OTHER_ADDR": "x", "DAILES_POLL": "1s", "dailies_poll": "1s", "DAILIES_ENV": envFile(t, "DAILIES_ADRR=x\n"),
	})
	s.Environ = append(s.Environ[:0:0], s.Environ...)
	s.Note = func(sentence string) { notes = append(notes, sentence) }
	for i, pair := range s.Environ {
		if strings.HasPrefix(pair, "DAILIES_SECRET_FILE=") {
			s.Environ[i] += envFile(t, "a long secret for this test")
		}
	}
	if _, err := config.ParseApp(s); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"DAILES_POLL is not a setting and is ignored; did you mean DAILIES_POLL?",
		"DAILIES_ADRR is not a setting and is ignored; did you mean DAILIES_ADDR?",
		"DAILIES_NOTHING_OF_THE_KIND is not a setting and is ignored",
		"DAILIES_PUBLIC_URI is not a setting and is ignored; did you mean DAILIES_PUBLIC_URL?",
		"dailies_poll is not a setting and is ignored; did you mean DAILIES_POLL?",
	}
	if strings.Join(notes, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q", notes)
	}
}

func TestUnusableValuesSayWhatIsNeeded(t *testing.T) {
	for want, s := range map[string]config.Source{
		"with its unit, such as 500ms, 3s":                                              source(nil, "-poll", "5"),
		"DAILIES_POLL has a value that cannot be used: it takes a number with its unit": source(map[string]string{"DAILIES_POLL": "abc"}),
		"DAILIES_VERBOSE has a value that cannot be used: it takes true or false":       source(map[string]string{"DAILIES_VERBOSE": "maybe"}),
		"DAILIES_KEEP_MAX has a value that cannot be used: it takes a size":             source(map[string]string{"DAILIES_KEEP_MAX": "much"}),
		"-queries: it takes a whole number":                                             source(nil, "-queries", "many"),
		"-verbose: it takes true or false":                                              source(nil, "-verbose=maybe"),
		"DAILIES_QUERIES has a value that cannot be used: it takes a whole number":      source(map[string]string{"DAILIES_QUERIES": "25/s"}),
		"DAILIES_TRUSTED_PROXY has a value that cannot be used: it takes networks":      source(map[string]string{"DAILIES_TRUSTED_PROXY": "300.1.1.1"}),
		"root of its host": source(nil, "-public-url", "https://example.com/dailies"),
	} {
		if _, err := config.ParseApp(s); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "parse error") {
			t.Errorf("%q: %v", s.Args, err)
		}
	}
	for url, want := range map[string]string{
		"HTTPS://Video.Example.com": "https://video.example.com", "https://example.com:443/": "https://example.com", "http://example.com:80": "http://example.com",
		"http://example.com:443": "http://example.com:443", "https://bücher.example": "https://xn--bcher-kva.example", "http://[2001:DB8::1]:8080": "http://[2001:db8::1]:8080",
		"http://192.168.1.7:8080": "http://192.168.1.7:8080", "http://my_host": "http://my_host", "http://[::1]": "http://[::1]",
		"https://example.com:99999": "", "https://example.com:0": "", "https://example.com:": "", "http://*.example.com": "", "https://a b": "", "http://[fe80::1%25eth0]": "", "https://<example>": "", "https://:8080": "",
	} {
		c, err := config.ParseApp(source(nil, "-public-url", url))
		if want == "" && err == nil || want != "" && (err != nil || c.PublicURL != want) {
			t.Errorf("%s: %q, %v", url, c.PublicURL, err)
		}
	}
	for _, url := range []string{"https://example.com/a", "https://example.com?a", "https://example.com/#a", "https://me@example.com", "http://example.com//"} {
		_, app := config.ParseApp(source(nil, "-public-url", url))
		_, password := config.ParsePassword(source(nil, "kim@example.com", "-public-url", url))
		if url == "http://example.com//" { // slashes at the end are left out
			if app != nil || password != nil {
				t.Errorf("%s: %v, %v", url, app, password)
			}
		} else if app == nil || password == nil {
			t.Errorf("%s was accepted", url)
		}
	}
}
