package fetch_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dailies/web/fetch"
)

// inside returns a server at a loopback address, which stands for a private network.
func inside(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		fmt.Fprint(w, "secret of the house")
	}))
	t.Cleanup(s.Close)
	return s
}

func client(t *testing.T, allowPrivate bool, trust fetch.Trust) *http.Client {
	t.Helper()
	c, err := fetch.NewClient(allowPrivate, trust)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestPrivateAddressesAreRefused(t *testing.T) {
	c := client(t, false, fetch.Trust{})
	_, port, _ := strings.Cut(strings.TrimPrefix(inside(t).URL, "http://"), ":")
	for _, host := range []string{
		"127.0.0.1", "localhost", "[::1]", "0.0.0.0", "[::]", "127.1.2.3", "2130706433", "0x7f000001", "[::ffff:127.0.0.1]",
		"10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "[fe80::1]", "[fc00::1]", "100.64.0.1", "[64:ff9b::7f00:1]",
	} {
		resp, err := c.Get("http://" + host + ":" + port + "/")
		if err == nil {
			resp.Body.Close()
			t.Errorf("%s was fetched", host)
		}
	}
	_, err := c.Get("http://127.0.0.1:" + port)
	if !fetch.Refused(err) {
		t.Errorf("not refused by the guard: %v", err)
	}
}

func TestOnlyWebAddressesAreFetched(t *testing.T) {
	c := client(t, true, fetch.Trust{})
	for _, address := range []string{"file:///etc/passwd", "ftp://example.com/x", "gopher://example.com", "data:text/plain,x"} {
		if resp, err := c.Get(address); err == nil {
			resp.Body.Close()
			t.Errorf("%s was fetched", address)
		}
	}
}

func TestAllowedPrivateAddressesAreFetched(t *testing.T) {
	resp, err := client(t, true, fetch.Trust{}).Get(inside(t).URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if b, err := io.ReadAll(resp.Body); err != nil || string(b) != "secret of the house" {
		t.Errorf("got %q, %v", b, err)
	}
}

func TestTrustDoesNotExtendToRedirects(t *testing.T) {
	service, neighbour := inside(t), inside(t)
	c := client(t, false, fetch.Trust{Base: service.URL, Transport: http.DefaultTransport})
	resp, err := c.Get(service.URL)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	for _, address := range []string{neighbour.URL, service.URL + "/?to=" + neighbour.URL} {
		if resp, err := c.Get(address); err == nil {
			resp.Body.Close()
			t.Errorf("%s was fetched", address)
		}
	}
	if resp, err := c.Get(service.URL + "/?to=" + service.URL); err != nil {
		t.Errorf("the service's own redirect: %v", err)
	} else {
		resp.Body.Close()
	}
}

// The same host with another scheme counts as another server.
func TestTrustIsForOneScheme(t *testing.T) {
	service := inside(t)
	c := client(t, false, fetch.Trust{Base: strings.Replace(service.URL, "http:", "https:", 1), Transport: http.DefaultTransport})
	resp, err := c.Get(service.URL)
	if err == nil {
		resp.Body.Close()
	}
	if !fetch.Refused(err) {
		t.Errorf("it was fetched by the trusted transport: %v", err)
	}
}

// Connections are reused by as many concurrent calls as the transport was made for.
func TestConnectionsToTheServiceAreKept(t *testing.T) {
	const calls, rounds = 40, 4
	var opened atomic.Int64
	gate := make(chan struct{}, calls)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { gate <- struct{}{}; time.Sleep(time.Millisecond) }))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	transport := fetch.Service(calls)
	defer transport.CloseIdleConnections()
	c := &http.Client{Transport: transport}
	for range rounds {
		var all sync.WaitGroup
		for range calls {
			all.Go(func() {
				resp, err := c.Get(s.URL)
				if err != nil {
					t.Error(err)
					return
				}
				resp.Body.Close()
			})
		}
		for range calls {
			<-gate
		}
		all.Wait()
	}
	// A transport may open a connection although another one becomes free meanwhile.
	if n := opened.Load(); n > 2*calls {
		t.Errorf("%d connections for %d calls at a time", n, calls)
	}
}

// The response to a create call may take minutes, but a file must begin soon.
func TestOnlyFilesHaveAResponseHeaderTimeout(t *testing.T) {
	if d := fetch.Service(1).ResponseHeaderTimeout; d != 0 {
		t.Errorf("a call may take %v", d)
	}
	for name, transport := range map[string]*http.Transport{"the service's": fetch.Files(), "a stranger's": fetch.Guarded(false), "a neighbour's": fetch.Guarded(true)} {
		if d := transport.ResponseHeaderTimeout; d <= 0 || d > time.Minute {
			t.Errorf("%s file may begin after %v", name, d)
		}
	}
}

func TestRedirectsAreBounded(t *testing.T) {
	calls := 0
	var s *httptest.Server
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		http.Redirect(w, r, s.URL, http.StatusFound)
	}))
	defer s.Close()
	if resp, err := client(t, true, fetch.Trust{}).Get(s.URL); err == nil {
		resp.Body.Close()
		t.Error("an endless chain of redirects ended well")
	}
	if calls > 6 {
		t.Errorf("%d calls", calls)
	}
}

// The Referer could reveal a private URL to the redirect's target.
func TestRedirectsSendNoReferer(t *testing.T) {
	var got atomic.Value
	end := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got.Store(r.Header.Get("Referer")) }))
	defer end.Close()
	resp, err := client(t, true, fetch.Trust{}).Get(inside(t).URL + "/private?to=" + end.URL)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if got.Load() != "" {
		t.Errorf("the Referer is %v", got.Load())
	}
}

// A service may name its own host in another spelling, or with the usual port.
func TestTrustIsForAHostHoweverItIsSpelled(t *testing.T) {
	said := roundTrip(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: r}, nil
	})
	for base, address := range map[string]string{
		"https://video.example.com":     "https://Video.Example.com:443/film.webm",
		"http://VIDEO.example.com:80":   "http://video.example.com/film.webm",
		"http://video.example.com:8080": "http://video.example.com:8080/film.webm",
	} {
		resp, err := client(t, false, fetch.Trust{Base: base, Transport: said}).Get(address)
		if err != nil {
			t.Errorf("%s is not trusted with %s: %v", address, base, err)
			continue
		}
		resp.Body.Close()
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestRetryAfterHasTwoForms(t *testing.T) {
	now := time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "x": 0, "7": 7 * time.Second, " 7 ": 7 * time.Second, "-7": 0, "0": 0, "7200": time.Hour, "99999999999999999999": time.Hour,
		"Tue, 03 Nov 2026 12:01:00 GMT": time.Minute, "Tue, 03 Nov 2026 11:59:00 GMT": 0, "Tue, 03 Nov 2026 23:00:00 GMT": time.Hour,
	} {
		if got := fetch.RetryAfter(http.Header{"Retry-After": {header}}, now, time.Hour); got != want {
			t.Errorf("%q: %s, want %s", header, got, want)
		}
	}
}
