package command_test

import (
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
)

// lines parses every line of a log of JSON objects.
func lines(t *testing.T, log string) (all []map[string]any) {
	t.Helper()
	for line := range strings.Lines(log) {
		var one map[string]any
		if err := json.Unmarshal([]byte(line), &one); err != nil || one["msg"] == nil || one["time"] == nil {
			t.Errorf("%q is no line of the log: %v", line, err)
		}
		all = append(all, one)
	}
	return all
}

func TestEveryLineOfAJSONLogIsAnObject(t *testing.T) {
	base, stderr, stop := start(t, "-data", t.TempDir(), "-addr", "127.0.0.1:0", "-log-format", "json", "-verbose", "-trusted-proxy", "127.0.0.1", "-setup-token", "the-setup-token")
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar}
	answer, err := client.PostForm(base+"/setup?token=the-setup-token", url.Values{"name": {"Kim"}, "email": {"kim@example.com"}, "password": {"a long enough one"}})
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	r, err := http.NewRequest("GET", base+"/gallery?q=SECRET", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Forwarded-For", "198.51.100.7")
	if answer, err = client.Do(r); err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if status := stop(); status != 0 {
		t.Errorf("status %d: %s", status, stderr)
	}
	all, found, link := lines(t, stderr.String()), false, false
	for _, line := range all {
		took, isNumber := line["took"].(float64)
		found = found || line["route"] == "GET /gallery" && line["status"] == 200.0 && isNumber && took > 0 && took < 60 && line["user"] == 1.0 && line["address"] == "198.51.100.7"
		opens, _ := line["link"].(string)
		link = link || strings.Contains(opens, "/setup?token=the-setup-token")
	}
	if !found || !link || strings.Contains(stderr.String(), "SECRET") {
		t.Errorf("the log is %s", stderr)
	}
}

func TestAnErrorAtTheEndIsInAJSONLogToo(t *testing.T) {
	for _, args := range [][]string{{}, {"sandbox"}} {
		status, _, stderr := run(t, append(args, "-data", t.TempDir(), "-addr", "192.0.2.1:1", "-log-format", "json")...)
		all := lines(t, stderr)
		if said, _ := all[len(all)-1]["err"].(string); status != 1 || !strings.Contains(said, "listen") {
			t.Errorf("%q: status %d, %q", args, status, stderr)
		}
	}
}
