package watch

import (
	"maps"
	"sync"
	"time"

	"dailies/db/schedule"
)

const (
	// mostFromHost limits the simultaneous copies from one host, however fast it is.
	mostFromHost = 32

	// hostRest is for how many rounds the limit of a host stays as it is after a higher
	// one did not make it deliver faster, or made copies fail. A round is as many
	// finished copies as the limit allows at once.
	hostRest = 10

	// hostBytes limits the bytes of the copies in progress from one host. Large files
	// are copied one after another, because more at once would make each arrive later.
	hostBytes = 512 << 20

	// mostHosts limits the number of hosts that are remembered.
	mostHosts = 1000
)

// A hostTable learns how many simultaneous copies each host can deliver.
type hostTable struct {
	mu    sync.Mutex
	hosts map[string]*host
}

// A host is a host from which files are copied. Its limit of simultaneous copies grows
// as long as it delivers more bytes per second with a higher one. When a copy fails, the
// limit is halved, or lowered again if it had just been raised.
type host struct {
	limit    int
	running  int
	bytes    int64 // sizes of the copies in progress
	size     int64 // the usual size of a file; 0 if unknown
	failures int   // how many times copies have failed

	// The round in progress.
	began    time.Time
	finished int
	received int64
	full     bool // whether the limit was reached

	rate   float64 // bytes per second before the limit was raised last
	before int     // the limit until then; 0 if the present one has proved its worth
	rest   int     // rounds until the limit is raised again
}

// limits returns how many copies may be in progress from each host that is known.
func (t *hostTable) limits() map[string]int {
	t.mu.Lock()
	defer t.mu.Unlock()
	most := make(map[string]int, len(t.hosts))
	for name, h := range t.hosts {
		most[name] = h.most()
	}
	return most
}

// most returns the limit, reduced if more copies would exceed the limit of bytes.
func (h *host) most() int {
	if h.size == 0 {
		return h.limit
	}
	more := (hostBytes - h.bytes) / h.size
	return max(1, min(h.limit, h.running+int(max(0, more))))
}

// A hostCopy is the copy of a video in progress. The methods of a nil one, for covers,
// which are small, do nothing.
type hostCopy struct {
	table    *hostTable
	host     *host
	bytes    int64 // the announced size, or the usual one
	failures int   // those of the host when the copy began
}

// begin records that the copy of a video from the host begins. The caller must call end.
func (t *hostTable) begin(name string) *hostCopy {
	t.mu.Lock()
	defer t.mu.Unlock()
	h := t.hosts[name]
	if h == nil {
		if t.hosts == nil || len(t.hosts) >= mostHosts {
			t.forget()
		}
		h = &host{limit: schedule.CopiesPerHost, began: time.Now()}
		t.hosts[name] = h
	}
	if h.running == 0 {
		h.newRound() // the pause before was not the host's
	}
	h.running++
	h.full = h.full || h.running >= h.most()
	h.bytes += h.size // until the size is announced
	return &hostCopy{table: t, host: h, bytes: h.size, failures: h.failures}
}

// forget removes the hosts from which nothing is being copied.
func (t *hostTable) forget() {
	if t.hosts == nil {
		t.hosts = map[string]*host{}
	}
	maps.DeleteFunc(t.hosts, func(_ string, h *host) bool { return h.running == 0 })
}

// announce records the size that the host has announced for the file. A negative size
// is unknown.
func (c *hostCopy) announce(size int64) {
	if c == nil {
		return
	}
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	if size >= 0 {
		c.host.bytes += size - c.bytes
		c.bytes = size
	}
}

// A copyOutcome says what the end of a copy tells about its host.
type copyOutcome int

const (
	copyDone   copyOutcome = iota
	copyFailed             // the host was overloaded, too slow or unreachable
	copyOther              // it ended for a reason that is not the host's load
)

// end records that the copy has ended after that many bytes. Of the copies that were in
// progress at the same time, only the first that fails lowers the limit.
func (c *hostCopy) end(outcome copyOutcome, bytes int64) {
	if c == nil {
		return
	}
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	h := c.host
	h.running--
	h.bytes -= c.bytes
	switch {
	case outcome == copyDone:
		if h.size == 0 {
			h.size = bytes
		}
		h.size = (3*h.size + bytes) / 4
		h.finished++
		h.received += bytes
		if h.finished >= h.limit {
			h.judge()
		}
	case outcome == copyFailed && c.failures == h.failures:
		h.failures++
		if h.limit /= 2; h.before > 0 {
			h.limit, h.rest = h.before, hostRest
		}
		h.limit, h.before = max(1, h.limit), 0
		h.newRound()
	}
}

// judge ends a round: it keeps a raised limit if that made the host deliver more, and
// raises the limit again if it was reached.
func (h *host) judge() {
	seconds := max(time.Since(h.began), time.Millisecond).Seconds()
	rate, full := float64(h.received)/seconds, h.full
	h.newRound()
	if !full {
		return
	}
	if h.before > 0 {
		// With the limit raised by a half, the rate must grow by a sixth.
		grown := 1 + float64(h.limit-h.before)/float64(3*h.before)
		if rate < h.rate*grown {
			h.limit, h.before, h.rest = h.before, 0, hostRest
			return
		}
		h.before = 0
	}
	if h.rest > 0 {
		h.rest--
		return
	}
	if h.limit < mostFromHost {
		h.rate, h.before = rate, h.limit
		h.limit = min(h.limit+max(1, h.limit/2), mostFromHost)
	}
}

func (h *host) newRound() {
	h.began, h.finished, h.received, h.full = time.Now(), 0, 0, h.running >= h.most()
}
