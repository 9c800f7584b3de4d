package watch

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
)

// Failed calls to many hosts fill no memory, and an outage that was logged is not forgotten
// because of them.
func TestOutagesOfFewHostsAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		o := &outages{log: slog.New(slog.NewTextHandler(&log, nil))}
		fail := func(host string) { o.failed(host, "it", 1, false, errors.New("no answer")) }
		begun := func() int { return strings.Count(log.String(), "an outage begins") }
		fail("down")
		fail("down")
		for i := range maxOutageHosts {
			fail(fmt.Sprint("once ", i))
		}
		if down := o.hosts["down"]; len(o.hosts) > maxOutageHosts || begun() != 1 || down == nil || !down.begun {
			t.Errorf("%d hosts are counted, the log is %s", len(o.hosts), &log)
		}
		for i := range maxOutageHosts {
			fail(fmt.Sprint("twice ", i))
			fail(fmt.Sprint("twice ", i))
		}
		if len(o.hosts) != maxOutageHosts || begun() != maxOutageHosts {
			t.Errorf("of %d hosts, %d have an outage", len(o.hosts), begun())
		}
	})
}
