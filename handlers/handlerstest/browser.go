package handlerstest

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// JoinLink returns the path of the first join link in the page.
func JoinLink(body string) string {
	_, after, _ := strings.Cut(body, "/join/")
	return "/join/" + after[:26]
}

// A Browser is an HTTP client with a cookie jar. It is signed in as one user, or not
// yet signed in.
type Browser struct {
	T      testing.TB
	Server *Server
	*http.Client
}

// Send sends the form, if it is not nil, with extra headers, given as alternating names
// and values.
func (p *Browser) Send(method, path string, form url.Values, headers ...string) *Answer {
	p.T.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r, err := http.NewRequestWithContext(p.T.Context(), method, p.Server.URL+path, body)
	must(p.T, err)
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return p.do(r, method+" "+path, headers)
}

// do sends the request with extra headers, given as alternating names and values.
func (p *Browser) do(r *http.Request, what string, headers []string) *Answer {
	p.T.Helper()
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := p.Do(r)
	must(p.T, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	must(p.T, err)
	return &Answer{p.T, what, resp, string(b)}
}

// Tell sends a request with a body that is no form. Headers follow as names and values.
func (p *Browser) Tell(method, path, body string, headers ...string) *Answer {
	p.T.Helper()
	r, err := http.NewRequestWithContext(p.T.Context(), method, p.Server.URL+path, strings.NewReader(body))
	must(p.T, err)
	return p.do(r, method+" "+path, headers)
}

// Get sends a GET request.
func (p *Browser) Get(path string, headers ...string) *Answer {
	p.T.Helper()
	return p.Send(http.MethodGet, path, nil, headers...)
}

// Post sends a form; nil stands for an empty one.
func (p *Browser) Post(path string, form url.Values, headers ...string) *Answer {
	p.T.Helper()
	if form == nil {
		form = url.Values{}
	}
	return p.Send(http.MethodPost, path, form, headers...)
}

// Request returns the text of an HTTP/1.1 request with the user's cookies.
func (p *Browser) Request(method, path, form string, headers ...string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s %s HTTP/1.1\r\nHost: %s\r\n", method, path, p.Server.Listener.Addr())
	text.WriteString("User-Agent: Mozilla/5.0\r\nAccept: text/html\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n")
	home, err := url.Parse(p.Server.URL)
	must(p.T, err)
	for _, c := range p.Jar.Cookies(home) {
		fmt.Fprintf(&text, "Cookie: %s=%s\r\n", c.Name, c.Value)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		fmt.Fprintf(&text, "%s: %s\r\n", headers[i], headers[i+1])
	}
	if method == http.MethodPost {
		fmt.Fprintf(&text, "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n", len(form))
	}
	return text.String() + "\r\n" + form
}
