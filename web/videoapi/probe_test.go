package videoapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dailies/web/videoapi"
)

// nothingGuarded says that no error is about a private address.
func nothingGuarded(error) bool { return false }

func TestProbeTellsServicesApart(t *testing.T) {
	const missing = `{"code":-1,"message":"Task not found"}`
	for name, c := range map[string]struct {
		status int
		body   string
		want   videoapi.Finding
	}{
		"it knows no such task":            {200, missing, videoapi.FoundAccepted},
		"the same with a status":           {404, missing, videoapi.FoundAccepted},
		"in other words":                   {400, `{"code":"-1","message":"no such record: unknown taskId"}`, videoapi.FoundAccepted},
		"the task is another account's":    {200, `{"code":-1,"message":"no permission"}`, videoapi.FoundAccepted},
		"a refused key":                    {200, `{"code":-1,"message":"no auth, please sign in"}`, videoapi.FoundRefused},
		"a refused key with a status":      {401, `{"code":-1,"message":"bad"}`, videoapi.FoundRefused},
		"an error that says nothing":       {200, `{"code":-1,"message":"query failed"}`, videoapi.FoundUnsaid},
		"no error":                         {200, `{"code":0,"message":"ok","data":null}`, videoapi.FoundUnsaid},
		"too many calls":                   {429, `slow down`, videoapi.FoundBusy},
		"too many calls, in its own words": {200, `{"code":-1,"message":"rate limit"}`, videoapi.FoundBusy},
		"a gateway without a service":      {502, `<html>Bad gateway</html>`, videoapi.FoundBusy},
		"its own fault":                    {500, `{"code":-1,"message":"internal"}`, videoapi.FoundBusy},
		"a page":                           {200, `<!doctype html><title>Hello</title>`, videoapi.FoundForeign},
		"a page that says no":              {403, `<!doctype html><title>Forbidden</title>`, videoapi.FoundForeign},
		"nothing":                          {200, ``, videoapi.FoundForeign},
		"no content":                       {204, ``, videoapi.FoundForeign},
		"another dialect":                  {401, `{"error":{"message":"Incorrect API key provided","type":"invalid_request_error"}}`, videoapi.FoundForeign},
		"another envelope":                 {200, `{"code":200,"msg":"success","data":{}}`, videoapi.FoundForeign},
		"another envelope without a word":  {200, `{"code":0,"msg":"success","data":{}}`, videoapi.FoundForeign},
		"another envelope with an error":   {200, `{"code":401,"message":"Unauthorized"}`, videoapi.FoundForeign},
		"an envelope without a word":       {200, `{"code":-1}`, videoapi.FoundForeign},
		"a list":                           {200, `[{"code":-1,"message":"Task not found"}]`, videoapi.FoundForeign},
		"half an answer":                   {200, `{"code":-1,"message":"Task not`, videoapi.FoundForeign},
		"no such page":                     {404, `404 page not found`, videoapi.FoundNothing},
		"no such path":                     {404, `{"code":404,"message":"Cannot POST /api/ai/query"}`, videoapi.FoundNothing},
		"too long":                         {200, `{"code":-1,"message":"Task not found","more":"` + strings.Repeat("x", 64<<10) + `"}`, videoapi.FoundForeign},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		}))
		if got := videoapi.Probe(t.Context(), s.URL, key, s.Client(), nothingGuarded); got != c.want {
			t.Errorf("%s: found %q, want %q", name, got, c.want)
		}
		s.Close()
	}
}

// The query is one that costs nothing, below the base with its path.
func TestProbeSendsOneQuery(t *testing.T) {
	var calls atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		var body map[string]string
		err := json.NewDecoder(r.Body).Decode(&body)
		if r.Method != http.MethodPost || r.URL.Path != "/v1/api/ai/query" || r.Header.Get("Authorization") != "Bearer "+key || err != nil || len(body) != 1 || body["taskId"] == "" {
			t.Errorf("got %s %s with %v, %v", r.Method, r.URL, body, err)
		}
		_, _ = io.WriteString(w, `{"code":-1,"message":"task not found"}`)
	}))
	defer s.Close()
	if got := videoapi.Probe(t.Context(), s.URL+"/v1", key, s.Client(), nothingGuarded); got != videoapi.FoundAccepted || calls.Load() != 1 {
		t.Errorf("found %q in %d calls", got, calls.Load())
	}
}

// The key must not be sent to where a redirect leads, not even to the same host.
func TestProbeFollowsNoRedirect(t *testing.T) {
	var calls atomic.Int64
	var s *httptest.Server
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		w.Header().Set("Location", s.URL+"/elsewhere")
		w.WriteHeader(http.StatusTemporaryRedirect)
	}))
	defer s.Close()
	if got := videoapi.Probe(t.Context(), s.URL, key, s.Client(), nothingGuarded); got != videoapi.FoundRedirect || calls.Load() != 1 {
		t.Errorf("found %q in %d calls", got, calls.Load())
	}
}

// A body may be endless.
func TestProbeReadsLittle(t *testing.T) {
	var sent atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for range 10 << 10 {
			n, err := w.Write(make([]byte, 1<<10))
			sent.Add(int64(n))
			if err != nil {
				return
			}
		}
	}))
	if got := videoapi.Probe(t.Context(), s.URL, key, s.Client(), nothingGuarded); got != videoapi.FoundForeign {
		t.Errorf("found %q", got)
	}
	s.CloseClientConnections()
	s.Close()
	if sent.Load() >= 10<<20 {
		t.Error("all 10 MB were read")
	}
}

func TestProbeSaysWhyItReachesNobody(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	untrusted := httptest.NewUnstartedServer(http.NotFoundHandler())
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
	untrusted.StartTLS()
	defer untrusted.Close()
	hangingUp := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }))
	defer hangingUp.Close()
	cutting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, `{"code":-1`)
	}))
	defer cutting.Close()
	for name, c := range map[string]struct {
		base string
		want videoapi.Finding
	}{
		"nobody listens":  {closed.URL, videoapi.FoundClosed},
		"no TLS":          {strings.Replace(plain.URL, "http:", "https:", 1), videoapi.FoundPlain},
		"not trusted":     {untrusted.URL, videoapi.FoundUntrusted},
		"it hangs up":     {hangingUp.URL, videoapi.FoundBroken},
		"half an answer":  {cutting.URL, videoapi.FoundBroken},
		"no such address": {"http://127.0.0.1:port", videoapi.FoundNoHost},
	} {
		if got := videoapi.Probe(t.Context(), c.base, key, &http.Client{}, nothingGuarded); got != c.want {
			t.Errorf("%s: found %q, want %q", name, got, c.want)
		}
	}
	errGuard := errors.New("guarded")
	for want, dial := range map[videoapi.Finding]error{
		videoapi.FoundPrivate: errGuard,
		videoapi.FoundNoHost:  &net.DNSError{Err: "no such host", Name: "video.example", IsNotFound: true},
	} {
		h := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, dial }}}
		if got := videoapi.Probe(t.Context(), "https://video.example", key, h, func(err error) bool { return errors.Is(err, errGuard) }); got != want {
			t.Errorf("found %q, want %q", got, want)
		}
	}
}

func TestProbeWaitsNotForLong(t *testing.T) {
	release := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { <-release }))
	defer s.Close()
	defer close(release)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if got := videoapi.Probe(ctx, s.URL, key, s.Client(), nothingGuarded); got != videoapi.FoundSilent {
		t.Errorf("found %q", got)
	}
	deadline := func(r *http.Request) time.Duration {
		at, _ := r.Context().Deadline()
		return time.Until(at)
	}
	h := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		if d := deadline(r); d <= 0 || d > 10*time.Second {
			t.Errorf("a test may take %v", d)
		}
		return nil, context.DeadlineExceeded
	})}
	if got := videoapi.Probe(t.Context(), s.URL, key, h, nothingGuarded); got != videoapi.FoundSilent {
		t.Errorf("found %q", got)
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Whatever is answered, a key is only called good if the answer is about a task, and
// nothing of the answer is in the finding.
func FuzzProbe(f *testing.F) {
	f.Add(200, []byte(`{"code":-1,"message":"Task not found"}`))
	f.Add(401, []byte(`{"code":-1,"message":"no auth, please sign in"}`))
	f.Add(200, []byte(`{"code":0,"message":"ok","data":{"id":"1","status":"success"}}`))
	f.Add(200, []byte(`{"code":404,"message":"unknown"}`))
	f.Add(502, []byte("<html>"))
	known := map[videoapi.Finding]bool{
		videoapi.FoundAccepted: true, videoapi.FoundUnsaid: true, videoapi.FoundRefused: true, videoapi.FoundBusy: true,
		videoapi.FoundForeign: true, videoapi.FoundNothing: true, videoapi.FoundRedirect: true,
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if status < 200 || status > 599 {
			return
		}
		got := videoapi.Probe(t.Context(), "http://service.invalid", key, &http.Client{Transport: fixed{status, body}}, nothingGuarded)
		if !known[got] {
			t.Fatalf("found %q", got)
		}
		text := strings.ToLower(string(body))
		about := strings.Contains(text, "task") || strings.Contains(text, "record") || strings.Contains(text, "permission") || strings.Contains(text, `\u`)
		if got == videoapi.FoundAccepted && (!about || !json.Valid(body)) {
			t.Fatalf("the key is called good after %q", body)
		}
		if got.Usable() && status >= 300 && status < 400 {
			t.Fatalf("usable with the status %d", status)
		}
	})
}
