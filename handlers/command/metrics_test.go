package command_test

import (
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
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
