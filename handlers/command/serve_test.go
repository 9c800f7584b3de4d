package command_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"dailies/db/store/postgres/postgrestest"
)

// freeAddress returns an address of this machine on which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// get returns what the server answers at the address.
func get(t *testing.T, address string) string {
	t.Helper()
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestRefusedSignInsAreMeasured(t *testing.T) {
	metrics := freeAddress(t)
	base, _, _ := start(t, "-data", t.TempDir(), "-addr", "127.0.0.1:0", "-metrics-addr", metrics, "-setup-token", "the-setup-token")
	expect := func(lines ...string) {
		t.Helper()
		text := get(t, "http://"+metrics+"/metrics")
		for _, line := range lines {
			if !strings.Contains(text, "\n"+line+"\n") {
				t.Errorf("there is no line %q", line)
			}
		}
		if !strings.Contains(text, "\ndailies_free_bytes ") || strings.Contains(text, "\ndailies_free_bytes 0\n") {
			t.Error("the free space is not said")
		}
	}
	expect(`dailies_sign_ins_refused_total{reason="password"} 0`, "dailies_kept_bytes 0", "dailies_videos_failed_total 0", "dailies_videos_unconfirmed 0", "dailies_credits_paid_total 0")
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	post := func(client *http.Client, path string, form url.Values) int {
		t.Helper()
		answer, err := client.PostForm(base+path, form)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer.StatusCode
	}
	if got := post(&http.Client{Jar: jar}, "/setup?token=the-setup-token", url.Values{"name": {"Kim"}, "email": {"kim@example.com"}, "password": {"a long enough one"}}); got != http.StatusOK {
		t.Fatalf("setup answered %d", got)
	}
	stranger := &http.Client{}
	for i := range 9 { // one more than an account allows at once
		want := http.StatusUnprocessableEntity
		if i == 8 {
			want = http.StatusTooManyRequests
		}
		if got := post(stranger, "/login", url.Values{"email": {"kim@example.com"}, "password": {"a guess of mine"}}); got != want {
			t.Errorf("guess %d is answered with %d", i, got)
		}
	}
	expect(`dailies_sign_ins_refused_total{reason="password"} 8`, `dailies_sign_ins_refused_total{reason="too_many"} 1`, `dailies_sign_ins_refused_total{reason="code"} 0`)
}

var setupToken = regexp.MustCompile(`/setup\?token=([A-Z0-9]{26})\n`)

// setupLinkOf starts the program, stops it, and returns the setup token that it
// printed.
func setupLinkOf(t *testing.T, args ...string) string {
	t.Helper()
	_, stderr, stop := start(t, append(args, "-addr", "127.0.0.1:0")...)
	found := setupToken.FindStringSubmatch(stderr.String())
	if stop() != 0 || found == nil {
		t.Fatalf("%q says %s", args, stderr)
	}
	return found[1]
}

// Several processes share one address: the link that one of them prints must work at
// all of them.
func TestTheSetupLinkIsThatOfTheDatabase(t *testing.T) {
	server, secret := postgrestest.Need(t), goodSecret
	databases := [2]string{}
	for i := range databases {
		var err error
		if databases[i], err = server.Database(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	link := func(database string) string {
		return setupLinkOf(t, "-data", t.TempDir(), "-secret", secret, "-database", database)
	}
	first := link(databases[0])
	if again := link(databases[0]); again != first {
		t.Errorf("%s, and from another process %s", first, again)
	}
	if other := link(databases[1]); other == first {
		t.Error("the link of one database opens another one")
	}
	if a, b := setupLinkOf(t, "-data", t.TempDir(), "-secret", secret), setupLinkOf(t, "-data", t.TempDir(), "-secret", secret); a == b {
		t.Error("a folder has the link of another one")
	}
	_, _, said := run(t, "-data", t.TempDir(), "-secret", otherSecret, "-database", databases[0])
	if !strings.Contains(said, "a Dailies with another secret") {
		t.Errorf("another secret: %s", said)
	}
}

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
