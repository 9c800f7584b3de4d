package sandbox

import (
	"io"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// createEndpoint is the one whose answers can be lost.
const createEndpoint = "generate"

// faulty lets the calls of an endpoint go wrong as often as the configuration
// says. Each endpoint counts its own calls, so that how often a client asks
// does not change what becomes of the tasks that it makes.
func (s *Sandbox) faulty(endpoint string, next http.Handler) http.Handler {
	if len(s.faults) == 0 {
		return next
	}
	var calls atomic.Uint64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := calls.Add(1)
		fault := s.faults.draw(s.seed, endpoint, n)
		if fault == "" || fault == FaultLost && endpoint != createEndpoint {
			next.ServeHTTP(w, r)
			return
		}
		s.log.Info("sandbox: fault", "endpoint", endpoint, "call", n, "fault", string(fault))
		switch fault {
		case FaultLost:
			next.ServeHTTP(&nowhere{header: http.Header{}}, r)
			breakOff(w)
		case FaultCut:
			next.ServeHTTP(&cutter{ResponseWriter: w}, r)
		default:
			_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, maxBody)) // so that the end of the client is noticed
			s.spoil(w, r, fault, n)
		}
	})
}

// spoil answers with a fault in place of the endpoint.
func (s *Sandbox) spoil(w http.ResponseWriter, r *http.Request, fault Fault, n uint64) {
	switch fault {
	case Fault500:
		_ = reply(w, http.StatusInternalServerError, envelope{Code: -1, Message: "internal error, please try again later"})
	case Fault502:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(w, "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n")
	case Fault429:
		w.Header().Set("Retry-After", strconv.FormatUint(1+n%3, 10))
		_ = reply(w, http.StatusTooManyRequests, envelope{Code: -1, Message: "too many requests"})
	case FaultStall:
		select {
		case <-r.Context().Done():
		case <-time.After(s.pace.Stall):
		}
		breakOff(w)
	default:
		breakOff(w)
	}
}

// breakOff resets the connection. In this process, RoundTrip fails as if it
// had been.
func breakOff(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // a reset in place of a polite end
	}
	_ = conn.Close()
}

// nowhere is where lost answers go.
type nowhere struct{ header http.Header }

func (n *nowhere) Header() http.Header         { return n.header }
func (n *nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (n *nowhere) WriteHeader(int)             {}

// A cutter sends the first half of the body that the header announces, and
// then breaks off.
type cutter struct {
	http.ResponseWriter
	begun bool
	left  int64
}

// WriteHeader learns how long the body will be.
func (c *cutter) WriteHeader(status int) {
	if c.begun {
		return
	}
	c.begun = true
	if length, err := strconv.ParseInt(c.Header().Get("Content-Length"), 10, 64); err == nil {
		c.left = length / 2
	}
	c.ResponseWriter.WriteHeader(status)
}

// Write passes on what may pass.
func (c *cutter) Write(p []byte) (int, error) {
	c.WriteHeader(http.StatusOK)
	if int64(len(p)) < c.left {
		c.left -= int64(len(p))
		return c.ResponseWriter.Write(p)
	}
	_, _ = c.ResponseWriter.Write(p[:c.left])
	_ = http.NewResponseController(c.ResponseWriter).Flush() // else nothing might be sent
	panic(http.ErrAbortHandler)
}
