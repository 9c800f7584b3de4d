package watch_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db"
	"dailies/db/schedule"
	"dailies/db/store/sampletest"
	"dailies/handlers/watch"
)

// film returns the beginning of a valid film of size bytes; the rest is its picture
// data.
func film(size int) string {
	const contents = "\x00\x00\x00\x10ftypisom\x00\x00\x00\x00" + "\x00\x00\x00\x08moov"
	return contents + string(binary.BigEndian.AppendUint32(nil, uint32(size-len(contents)))) + "mdat"
}

// hosts is a RoundTripper that serves videos from several hosts. A host whose name
// begins with "quick" answers immediately (without a length if the name contains
// "mute"), "huge" announces more than the limit, "crawl" and "steady" send at a fixed
// rate, "busy" refuses more than three copies at once, "pipe" shares a fixed rate among
// all copies, "each" takes two seconds for each, and all others never answer. A path
// that begins with "/crawl" is slow on every host.
type hosts struct {
	mu    sync.Mutex
	now   map[string]int // copies in progress, by host
	most  map[string]int
	began map[string]int
}

func newHosts() *hosts {
	return &hosts{now: map[string]int{}, most: map[string]int{}, began: map[string]int{}}
}

// under returns how many copies from the host are in progress, the maximum so far,
// and the total begun.
func (h *hosts) under(host string) (now, most, began int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now[host], h.most[host], h.began[host]
}

func (h *hosts) RoundTrip(r *http.Request) (*http.Response, error) {
	h.mu.Lock()
	host := r.URL.Host
	h.now[host]++
	h.began[host]++
	h.most[host] = max(h.most[host], h.now[host])
	h.mu.Unlock()
	body := &slowBody{ctx: r.Context(), left: 1000, close: func() { h.mu.Lock(); h.now[host]--; h.mu.Unlock() }}
	switch {
	case strings.HasPrefix(host, "crawl"), strings.HasPrefix(r.URL.Path, "/crawl"):
		body.left, body.rate = 1<<20, 1000
	case strings.HasPrefix(host, "each"):
		body.rate = 500
	case strings.HasPrefix(host, "pipe"):
		body.left = 1 << 20
		body.share = func() int { now, _, _ := h.under(host); return (4 << 20) / now }
	case strings.HasPrefix(host, "busy"):
		body.rate = 500
		if now, _, _ := h.under(host); now > 3 {
			_ = body.Close()
			return &http.Response{StatusCode: http.StatusServiceUnavailable, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
		}
	case strings.HasPrefix(host, "steady"):
		body.left, body.rate = 1<<20, 16<<10
	case strings.HasPrefix(host, "huge"):
		body.left = 3 << 30
	case !strings.HasPrefix(host, "quick"):
		<-r.Context().Done()
		_ = body.Close()
		return nil, r.Context().Err()
	}
	length := int64(body.left)
	if strings.Contains(host, "mute") {
		length = -1
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: body, ContentLength: length, Request: r}, nil
}

// slowBody returns left bytes at rate bytes per second; rate 0 means no delay. If share
// is set, it returns the rate at this moment.
type slowBody struct {
	ctx   context.Context
	left  int
	rate  int
	share func() int
	begun bool
	close func()
}

func (b *slowBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, io.EOF
	}
	n, rate := min(len(p), b.left), b.rate
	if b.share != nil {
		rate = b.share()
	}
	if rate > 0 {
		n = min(n, rate)
		select {
		case <-b.ctx.Done():
			return 0, b.ctx.Err()
		case <-time.After(time.Second * time.Duration(n) / time.Duration(rate)):
		}
	}
	if clear(p[:n]); !b.begun {
		copy(p[:n], film(b.left))
		b.begun = true
	}
	b.left -= n
	return n, nil
}

func (b *slowBody) Close() error {
	b.close()
	b.close = func() {}
	return nil
}

// finished adds a video that the service has finished and that is not copied yet.
func (b *bench) finished(t *testing.T, userID int64, addresses ...string) int64 {
	t.Helper()
	id := b.addDue(t, userID, "a boat", db.Now().Add(time.Hour)) // so that a running watcher does not send it before it is marked as finished
	_, err := b.store.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error {
		now := db.Now()
		if err := t.Begin(now); err != nil {
			return err
		}
		r := db.Report{RemoteID: fmt.Sprint(id), Status: "success"}
		for _, a := range addresses {
			kind := db.Video
			if strings.HasSuffix(a, ".jpg") {
				kind = db.Cover
			}
			r.Results = append(r.Results, db.Result{Kind: kind, URL: a})
		}
		if err := t.Accept(db.Report{RemoteID: fmt.Sprint(id), Status: "pending"}, now, now); err != nil {
			return err
		}
		return t.Report(r, now, now)
	})
	must(t, err)
	b.wake()
	return id
}

func (b *bench) addBo(t *testing.T) {
	t.Helper()
	must(t, sampletest.AddUser(t, b.store, &db.User{Name: "Bo", Email: "bo@example.com", Role: db.Member, CreatedAt: db.Now()}))
}

func from(h *hosts) func(*watch.Config) {
	return func(c *watch.Config) {
		c.Fetch = &http.Client{Transport: h}
		c.Poll = 3 * time.Second
	}
}

func TestSlowHostsHoldUpNobody(t *testing.T) {
	for name, slow := range map[string]func(i int) string{
		"one host":              func(int) string { return "stalls.example" },
		"five hosts that crawl": func(i int) string { return fmt.Sprintf("crawl%d.example", i%5) },
		"many subdomains":       func(i int) string { return fmt.Sprintf("stalls%d.example", i) },
		"many ports":            func(i int) string { return fmt.Sprintf("crawl.example:%d", 1000+i) },
		"the colleague's host":  func(i int) string { return fmt.Sprintf("quick.example/crawl%d", i) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, h := newBench(t), newHosts()
				b.addBo(t)
				for i := range 40 {
					b.finished(t, 1, "https://"+slow(i)+"/a.mp4")
				}
				stop := b.start(t, from(h))
				defer stop()
				time.Sleep(5 * time.Second)
				for i := range 3 {
					id := b.finished(t, 2, fmt.Sprintf("https://quick.example/%d.mp4", i))
					time.Sleep(2 * time.Second)
					if task, _ := b.store.Tasks.Task(t.Context(), id); !kept(task) {
						t.Errorf("a colleague's video is %s (%q) after two seconds", task.Keeping, task.Message)
					}
				}
				time.Sleep(3 * time.Minute)
				h.mu.Lock()
				defer h.mu.Unlock()
				for host, n := range h.most {
					if n > schedule.CopiesPerHost+1 { // and the colleague's
						t.Errorf("%d copies from %s at once", n, host)
					}
				}
				if name == "many ports" && len(h.began) < 40 {
					t.Errorf("of 40 hosts that crawl, %d had a turn within three minutes", len(h.began))
				}
			})
		})
	}
}

// TestStalledCopiesAreAborted measures when the stalled copy is tried again.
func TestStalledCopiesAreAborted(t *testing.T) {
	for _, host := range []string{"stalls.example", "crawl.example"} {
		synctest.Test(t, func(t *testing.T) {
			b, h := newBench(t), newHosts()
			id := b.finished(t, 1, "https://"+host+"/a.mp4")
			stop := b.start(t, from(h))
			defer stop()
			time.Sleep(29 * time.Second)
			if now, most, _ := h.under(host); most != 1 || now != 1 {
				t.Errorf("%s: %d copies at once, %d now", host, most, now)
			}
			time.Sleep(32 * time.Second)
			if task, _ := b.store.Tasks.Task(t.Context(), id); task.Attempts == 0 || task.Keeping != db.Saving {
				t.Errorf("%s: after a minute its task is %+v", host, task)
			}
		})
	}
}

func TestASlowButSteadyCopyIsNotAborted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, h := newBench(t), newHosts()
		id := b.finished(t, 1, "https://steady.example/a.mp4")
		stop := b.start(t, from(h))
		defer stop()
		time.Sleep(2 * time.Minute)
		_, _, began := h.under("steady.example")
		if task, _ := b.store.Tasks.Task(t.Context(), id); !kept(task) || began != 1 {
			t.Errorf("got %+v after %d attempts", task, began)
		}
	})
}

// A missing cover, or a stalling host of a cover, delays no video.
func TestMissingCoverHoldsUpNoVideo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, h := newBench(t), newHosts()
		id := b.finished(t, 1, "https://quick.example/a.mp4", "https://stalls.example/c.jpg")
		stop := b.start(t, from(h))
		defer stop()
		time.Sleep(20 * time.Second)
		if task, _ := b.store.Tasks.Task(t.Context(), id); !kept(task) || len(task.Media) != 1 {
			t.Errorf("got %+v", task)
		}
	})
}

func TestVideosOnSeveralHostsAreAllKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, h := newBench(t), newHosts()
		id := b.finished(t, 1, "https://quick1.example/a.mp4", "https://quick2.example/b.mp4", "https://stalls.example/c.mp4")
		stop := b.start(t, from(h))
		defer stop()
		time.Sleep(2 * time.Minute)
		if task, _ := b.store.Tasks.Task(t.Context(), id); len(task.Media) != 2 || task.Keeping != db.Saving {
			t.Errorf("got %+v", task)
		}
	})
}

func TestAVideoThatIsTooLargeIsGivenUpAndSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, h := newBench(t), newHosts()
		id := b.finished(t, 1, "https://huge.example/a.mp4")
		defer b.start(t, from(h))()
		time.Sleep(10 * time.Second)
		_, _, began := h.under("huge.example")
		if task, _ := b.store.Tasks.Task(t.Context(), id); task.Keeping != db.Lost || task.Message != db.TooLarge || began != 1 {
			t.Errorf("%s after %d fetches: %q", task.Keeping, began, task.Message)
		}
	})
}

// A file of unknown length reserves all room that is left, and gives back the unused
// part before the next file is fetched.
func TestRoomThatAFileDidNotNeedIsThereForTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, h := newBench(t), newHosts()
		id := b.finished(t, 1, "https://quickmute.example/a.mp4", "https://quickmute.example/b.mp4")
		defer b.start(t, from(h), func(c *watch.Config) { c.KeepMax = 10_000 })()
		time.Sleep(time.Minute)
		_, _, began := h.under("quickmute.example")
		if task, _ := b.store.Tasks.Task(t.Context(), id); !kept(task) || began != 2 {
			t.Errorf("%s after %d fetches", task.Keeping, began)
		}
	})
}

func TestManyResultsCauseFewFetches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, h := newBench(t), newHosts()
		var addresses []string
		for i := range 3000 {
			addresses = append(addresses, fmt.Sprintf("https://quick.example/%d.mp4", i))
		}
		id := b.finished(t, 1, addresses...)
		stop := b.start(t, from(h))
		defer stop()
		time.Sleep(time.Minute)
		_, _, began := h.under("quick.example")
		if task, _ := b.store.Tasks.Task(t.Context(), id); !kept(task) || began > db.MaxVideos {
			t.Errorf("%s after %d fetches", task.Keeping, began)
		}
	})
}

func TestStopDoesNotWaitForCopies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, h := newBench(t), newHosts()
		id := b.finished(t, 1, "https://steady.example/a.mp4")
		stop := b.start(t, from(h))
		time.Sleep(5 * time.Second)
		began := time.Now()
		stop()
		if took := time.Since(began); took > time.Second {
			t.Errorf("the stop took %v", took)
		}
		stop = b.start(t, from(h))
		defer stop()
		time.Sleep(2 * time.Minute)
		if task, _ := b.store.Tasks.Task(t.Context(), id); !kept(task) {
			t.Errorf("got %+v", task)
		}
	})
}

// If there is room for only one file, two copies that begin at the same time cannot
// both use it.
func TestRoomIsSetAsideForCopiesUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, h := newBench(t), newHosts()
		ids := []int64{b.finished(t, 1, "https://steady1.example/a.mp4"), b.finished(t, 1, "https://steady2.example/b.mp4")}
		stop := b.start(t, from(h), func(c *watch.Config) { c.KeepMax = 3 << 19 })
		defer stop()
		time.Sleep(5 * time.Second)
		one, _, _ := h.under("steady1.example")
		two, _, _ := h.under("steady2.example")
		if one+two != 1 {
			t.Errorf("under way: %d and %d", one, two)
		}
		time.Sleep(3 * time.Minute)
		if used, err := b.store.Files.KeptBytes(t.Context()); used != 1<<20 || err != nil {
			t.Errorf("%d bytes are kept, %v", used, err)
		}
		stuck := 0
		for _, id := range ids {
			if task, _ := b.store.Tasks.Task(t.Context(), id); task.ErrorKind == db.SpaceError {
				stuck++
			}
		}
		if stuck != 1 {
			t.Errorf("%d of two wait for room", stuck)
		}
	})
}

// While its link is young, a video that could not be copied is retried at least every
// two minutes.
func TestCopiesOfYoungLinksAreTriedOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		id := b.finished(t, 1, base+"/files/a.mp4")
		b.line.setAlways(says(500, ""))
		stop := b.start(t, func(c *watch.Config) { c.Poll = 3 * time.Second })
		defer stop()
		time.Sleep(20 * time.Minute)
		before := b.line.count("/files/")
		time.Sleep(30 * time.Minute)
		if n := b.line.count("/files/") - before; n < 15 || n > 60 {
			t.Errorf("%d attempts in half an hour", n)
		}
		b.line.setAlways(nil)
		if task, _ := b.store.Tasks.Task(t.Context(), id); task.Keeping != db.Saving {
			t.Errorf("got %+v", task)
		}
	})
}
