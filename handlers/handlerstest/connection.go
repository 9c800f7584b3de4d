package handlerstest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"time"
)

// connection is a ResponseWriter that records how files are written to it and which
// write deadlines are set.
type connection struct {
	*httptest.ResponseRecorder
	Files     int // how many files were passed to ReadFrom, so that the kernel could send them
	Deadlines []time.Time
}

func (c *connection) ReadFrom(src io.Reader) (int64, error) {
	if limited, ok := src.(*io.LimitedReader); ok {
		if _, ok := limited.R.(*os.File); ok {
			c.Files++
		}
	}
	return io.Copy(c.ResponseRecorder, struct{ io.Reader }{src})
}

func (c *connection) SetWriteDeadline(at time.Time) error {
	c.Deadlines = append(c.Deadlines, at)
	return nil
}

// Answers sends a GET request directly to the app's handler, and returns the recorded
// response.
func (p *Browser) Answers(path string, headers ...string) *connection {
	p.T.Helper()
	app, err := p.Server.App.Handler()
	must(p.T, err)
	r := httptest.NewRequestWithContext(p.T.Context(), http.MethodGet, path, nil)
	r.Header.Set("Accept-Encoding", "gzip, zstd")
	for _, c := range p.Jar.Cookies(MustURL(p.T, p.Server.URL)) {
		r.AddCookie(c)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	c := &connection{ResponseRecorder: httptest.NewRecorder()}
	app.ServeHTTP(c, r)
	return c
}
