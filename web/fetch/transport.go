package fetch

import (
	"net/http"
	"time"
)

// headerTimeout is how long a server of files may take to begin its answer.
const headerTimeout = 30 * time.Second

// Service returns a transport for the service's API, to which that many calls
// go at the same time: it keeps as many idle connections. How long a call may
// take is the caller's business, because an answer to a create call is waited
// for very long.
func Service(calls int) *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConns, t.MaxIdleConnsPerHost = calls, calls
	return t
}

// Files returns a transport for files that lie on the service's own host. It is
// another one than Service, so that slow files hold up no call.
func Files() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost, t.ResponseHeaderTimeout = 4, headerTimeout
	return t
}
