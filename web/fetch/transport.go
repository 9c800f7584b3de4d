package fetch

import (
	"net/http"
	"time"
)

// headerTimeout limits how long a server may take to begin the response with a file.
const headerTimeout = 30 * time.Second

// Service returns a transport for the service's API that keeps as many idle connections
// as there are concurrent calls. It sets no timeout for a call, because the response to
// a create call may take very long; that is up to the caller.
func Service(calls int) *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConns, t.MaxIdleConnsPerHost = calls, calls
	return t
}

// Files returns a transport for files on the service's own host. It is separate from
// that of Service so that slow files do not delay calls.
func Files() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost, t.ResponseHeaderTimeout = 32, headerTimeout
	return t
}

// ServiceOfOthers is like Service, for a service whose address somebody has typed into a
// page: it refuses private addresses, as NewClient does, unless allowPrivate is set.
func ServiceOfOthers(allowPrivate bool, calls int) *http.Transport {
	t := guarded(allowPrivate)
	t.ResponseHeaderTimeout = 0 // a create call is waited for as long as it takes
	t.MaxIdleConns, t.MaxIdleConnsPerHost = calls, calls
	return t
}
