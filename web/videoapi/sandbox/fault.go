package sandbox

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"dailies/web/videoapi"
)

// A Fault is a kind of failure that the sandbox can simulate.
type Fault string

// The faults. With the first five, the call is not carried out, as if it had
// never arrived. With the others it is carried out, but its answer is damaged or
// lost.
const (
	Fault500   Fault = "500"   // HTTP 500 with an envelope
	Fault502   Fault = "502"   // HTTP 502 with a gateway's page
	Fault429   Fault = "429"   // HTTP 429 with Retry-After
	FaultReset Fault = "reset" // the connection is reset
	FaultStall Fault = "stall" // no answer for Pace.Stall, then the connection ends
	FaultCut   Fault = "cut"   // the connection ends in the middle of the answer's body
	FaultLost  Fault = "lost"  // the task is created and paid, then the connection ends; create calls only
)

// faults lists all faults, in the order in which draw tries them.
var faults = []Fault{Fault500, Fault502, Fault429, FaultReset, FaultStall, FaultCut, FaultLost}

// Faults holds the rate of each fault: the share of calls that it affects, from 0
// to 1.
type Faults map[Fault]float64

// ParseFaults parses rates such as "500=0.1,reset=0.02". Empty text means none.
func ParseFaults(text string) (Faults, error) {
	rates := Faults{}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		if name == "" && value == "" {
			continue
		}
		rate, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, fmt.Errorf("%.40q is not a fault and its rate, such as 500=0.1", part)
		}
		if _, twice := rates[Fault(name)]; twice {
			return nil, fmt.Errorf("the fault %.40q is there twice", name)
		}
		rates[Fault(name)] = rate
	}
	return rates, rates.check()
}

func (f Faults) check() error {
	sum := 0.0
	for name, rate := range f {
		if !slices.Contains(faults, name) {
			return fmt.Errorf("there is no fault %.40q; there are 500, 502, 429, reset, stall, cut and lost", string(name))
		}
		if !(rate >= 0 && rate <= 1) {
			return fmt.Errorf("the rate of the fault %s is %v, not from 0 to 1", name, rate)
		}
		sum += rate
	}
	if sum > 1+1e-9 {
		return fmt.Errorf("the rates of the faults add up to %.3g, more than 1", sum)
	}
	return nil
}

// draw returns the fault of the n-th call of an endpoint, or "" for none. It
// depends on nothing but its arguments.
func (f Faults) draw(seed int64, endpoint string, n uint64) Fault {
	h := fnv.New64a()
	_, _ = h.Write([]byte(endpoint)) // never fails
	random := rand.New(rand.NewPCG(uint64(seed), h.Sum64()+n)).Float64()
	for _, name := range faults {
		if random -= f[name]; random < 0 {
			return name
		}
	}
	return ""
}

// createEndpoint names the only endpoint that FaultLost affects.
const createEndpoint = "generate"

// A faultInjector makes calls fail.
type faultInjector struct {
	faults Faults
	seed   int64
	stall  time.Duration
	log    *slog.Logger
}

// wrap makes the calls of an endpoint fail at the configured rates. Each endpoint
// counts its own calls, so that the number of queries does not change which
// create calls fail.
func (f *faultInjector) wrap(endpoint string, next http.Handler) http.Handler {
	if len(f.faults) == 0 {
		return next
	}
	var calls atomic.Uint64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := calls.Add(1)
		fault := f.faults.draw(f.seed, endpoint, n)
		if fault == "" || fault == FaultLost && endpoint != createEndpoint {
			next.ServeHTTP(w, r)
			return
		}
		f.log.Info("sandbox: fault", "endpoint", endpoint, "call", n, "fault", string(fault))
		switch fault {
		case FaultLost, FaultCut:
			whole := &recorder{ResponseWriter: w, status: http.StatusOK}
			next.ServeHTTP(whole, r)
			if fault == FaultLost {
				breakOff(w)
				return
			}
			w.WriteHeader(whole.status)
			_, _ = w.Write(whole.body.Bytes()[:whole.body.Len()/2])
			_ = http.NewResponseController(w).Flush() // otherwise nothing might be sent
			panic(http.ErrAbortHandler)
		default:
			_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, maxBody)) // net/http detects that a client has disconnected only once the body is read
			f.answer(w, r, fault, n)
		}
	})
}

// answer sends what a fault requires, in place of the endpoint's answer.
func (f *faultInjector) answer(w http.ResponseWriter, r *http.Request, fault Fault, n uint64) {
	switch fault {
	case Fault500:
		reply(w, errBroken.status, envelope{Code: -1, Message: errBroken.message})
	case Fault502:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(
			w,
			"<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n",
		)
	case Fault429:
		w.Header().Set("Retry-After", strconv.FormatUint(1+n%3, 10))
		reply(w, http.StatusTooManyRequests, envelope{Code: -1, Message: "too many requests"})
	case FaultStall:
		select {
		case <-r.Context().Done():
		case <-time.After(f.stall):
		}
		breakOff(w)
	default:
		breakOff(w)
	}
}

// breakOff closes the connection; a TCP connection is reset.
func breakOff(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// A recorder buffers an answer's status and body instead of sending them.
type recorder struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(status int) { r.status = status }

// Write implements http.ResponseWriter.
func (r *recorder) Write(p []byte) (int, error) { return r.body.Write(p) }

// A steering holds what the words #fail, #face, #slow, #cancel and #refuse in a prompt
// ask for.
type steering struct {
	refuse bool            // the create call is refused
	slow   bool            // the task stays in processing for a long time
	face   bool            // it fails if it has a picture, because that may show a real person
	end    videoapi.Status // Failed or Canceled; empty for a video
}

// The messages of steered tasks.
const (
	askedToFail   = "The sandbox was asked to fail this one."
	askedForFaces = "The request failed because the input image may contain real person. The sandbox was asked to say so."
	askedToCancel = "The sandbox was asked to cancel this one."
	askedToRefuse = "generate video failed: The sandbox was asked to refuse this one."
)

// steer separates the steering words from a prompt. They stand alone, in any
// case, with nothing but punctuation behind them: "#failure" is not one.
func steer(prompt string) (drawn string, s steering) {
	var words []string
	for w := range strings.FieldsSeq(prompt) {
		switch strings.ToLower(strings.TrimRight(w, ".,;:!?")) {
		case "#refuse":
			s.refuse = true
		case "#slow":
			s.slow = true
		case "#fail":
			s.end = videoapi.Failed
		case "#face":
			s.face = true
		case "#cancel":
			s.end = videoapi.Canceled
		default:
			words = append(words, w)
		}
	}
	return strings.Join(words, " "), s
}
