package picture_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"dailies/web/fetch"
	"dailies/web/picture"
)

func checker(t *testing.T, allowPrivate bool) *picture.Checker {
	t.Helper()
	client, err := fetch.NewClient(allowPrivate, fetch.Trust{})
	if err != nil {
		t.Fatal(err)
	}
	return picture.NewChecker(client)
}

func TestFindingDependsOnTheResponse(t *testing.T) {
	photo := taken(t)["image/jpeg"]
	mux := http.NewServeMux()
	serve := func(path string, b []byte) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(b) })
	}
	serve("/photo.txt", photo)
	serve("/page.jpg", []byte("<!DOCTYPE html><html>"))
	serve("/broken", photo[:20])
	serve("/nothing", nil)
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/photo.txt", http.StatusFound) })
	mux.HandleFunc("/round", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/round", http.StatusFound) })
	mux.HandleFunc("/inside", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
	})
	mux.HandleFunc("/large", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(picture.MaxBytes+1))
		_, _ = w.Write(photo)
	})
	mux.HandleFunc("/endless", func(w http.ResponseWriter, r *http.Request) {
		for b := append(photo, make([]byte, 1<<16)...); ; {
			if _, err := w.Write(b); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("/cut", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write(photo[:40])
		panic(http.ErrAbortHandler)
	})
	s := httptest.NewServer(mux)
	defer s.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	c := checker(t, true)
	for address, want := range map[string]picture.Finding{
		s.URL + "/photo.txt":       {Info: picture.Info{Type: "image/jpeg", Width: 16, Height: 24}},
		s.URL + "/moved":           {Info: picture.Info{Type: "image/jpeg", Width: 16, Height: 24}},
		s.URL + "/page.jpg":        {Fault: picture.Other, Kind: "text/html"},
		s.URL + "/nothing":         {Fault: picture.Other},
		s.URL + "/broken":          {Fault: picture.Broken},
		s.URL + "/missing":         {Fault: picture.Answered, Status: 404},
		s.URL + "/large":           {Fault: picture.TooManyBytes},
		s.URL + "/endless":         {Fault: picture.TooManyBytes},
		s.URL + "/cut":             {Fault: picture.Unreachable},
		s.URL + "/round":           {Fault: picture.Unreachable},
		s.URL + "/inside":          {Fault: picture.Unreachable},
		gone.URL:                   {Fault: picture.Unreachable},
		"http://nowhere.invalid/a": {Fault: picture.Nowhere},
		"http://%zz":               {Fault: picture.Unreachable},
	} {
		got := c.Check(t.Context(), "kim", address)
		if want.Fault == picture.Nowhere && got.Fault == picture.Unreachable {
			continue // cannot be determined on a machine without DNS
		}
		if got != want {
			t.Errorf("%s: %+v (%v), want %+v", address, got, got.Fault, want)
		}
	}
	if got := checker(t, false).Check(t.Context(), "kim", s.URL+"/photo.txt"); got.Fault != picture.Private {
		t.Errorf("a private address: %v", got.Fault)
	}
}

func TestAGoodPictureIsFetchedOnce(t *testing.T) {
	var asked atomic.Int64
	good := atomic.Bool{}
	good.Store(true)
	photo := plain(t, "image/png")
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if !good.Load() {
			http.NotFound(w, r)
			return
		}
		time.Sleep(50 * time.Millisecond)
		_, _ = w.Write(photo)
	}))
	defer s.Close()
	c := checker(t, true)
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() {
			if f := c.Check(t.Context(), "kim", s.URL); f.Fault != picture.Fine {
				t.Errorf("%v", f.Fault)
			}
		})
	}
	all.Wait()
	if c.Check(t.Context(), "kim", s.URL); asked.Load() != 1 {
		t.Errorf("it was fetched %d times", asked.Load())
	}
	good.Store(false)
	for range 2 {
		if f := c.Check(t.Context(), "kim", s.URL+"/other"); f.Fault != picture.Answered {
			t.Errorf("%v", f.Fault)
		}
	}
	if asked.Load() != 3 {
		t.Errorf("what was wrong is not looked at anew: %d", asked.Load())
	}
}

func TestASlowAddressIsAbandonedAfterPatience(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		_, _ = w.Write(bytes.Repeat([]byte{0xff}, 2)[:1])
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	defer s.Close()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	go func() {
		if conn, err := silent.Accept(); err == nil {
			asked.Add(1)
			defer conn.Close()
			<-t.Context().Done()
		}
	}()
	c := checker(t, true)
	var all sync.WaitGroup
	for _, address := range []string{s.URL, "http://" + silent.Addr().String()} {
		all.Go(func() {
			if f := c.Check(t.Context(), "kim", address); f.Fault != picture.Slow {
				t.Errorf("%s: %v", address, f.Fault)
			}
			if n := asked.Load(); n != 2 { // one after the other
				t.Errorf("at the end of %s, %d were asked for", address, n)
			}
		})
	}
	all.Wait()
	if f := c.Check(t.Context(), "kim", s.URL); f.Fault != picture.Slow || asked.Load() != 2 {
		t.Errorf("asked again: %v, %d calls", f.Fault, asked.Load())
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if f := c.Check(ctx, "kim", "http://"+silent.Addr().String()+"/other"); f.Fault != picture.Slow {
		t.Errorf("given up by the asker: %v", f.Fault)
	}
}

// hosts is a transport on which hosts named "slow…" never respond and others respond at
// once. It counts the concurrent requests per host.
type hosts struct {
	mu      sync.Mutex
	now     map[string]int
	most    map[string]int
	asked   map[string]int
	content []byte
}

func (h *hosts) RoundTrip(r *http.Request) (*http.Response, error) {
	host := r.URL.Hostname()
	h.mu.Lock()
	h.now[host]++
	h.asked[r.URL.String()]++
	h.most[host] = max(h.most[host], h.now[host])
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		h.now[host]--
		h.mu.Unlock()
	}()
	if strings.HasPrefix(host, "slow") {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	select {
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case <-time.After(10 * time.Millisecond):
	}
	return &http.Response{StatusCode: 200, Body: io.NopCloser(bytes.NewReader(h.content)), ContentLength: int64(len(h.content)), Request: r}, nil
}

func newHosts(t *testing.T) (*hosts, *picture.Checker) {
	h := &hosts{now: map[string]int{}, most: map[string]int{}, asked: map[string]int{}, content: plain(t, "image/png")}
	return h, picture.NewChecker(&http.Client{Transport: h})
}

func TestOnePersonsSlowAddressesDelayNobodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := newHosts(t)
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for i := range 200 {
			all.Go(func() { c.Check(ctx, "kim", fmt.Sprintf("http://slow%d.example/a.png", i)) })
		}
		synctest.Wait()
		for i := range 5 {
			began := time.Now()
			f := c.Check(t.Context(), "ada", fmt.Sprintf("http://good.example/%d.png", i))
			if took := time.Since(began); f.Fault != picture.Fine || took > time.Second {
				t.Errorf("a colleague's picture %d is %v after %v", i, f.Fault, took)
			}
		}
		cancel()
		time.Sleep(time.Minute)
		all.Wait()
	})
}

func TestConcurrentChecksPerHostAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, c := newHosts(t)
		var all sync.WaitGroup
		for person := range 10 {
			for i := range 10 {
				all.Go(func() {
					if f := c.Check(t.Context(), fmt.Sprint(person), fmt.Sprintf("http://good.example:80%d/%d%d.png", person, person, i)); f.Fault != picture.Fine {
						t.Errorf("picture %d of person %d: %v", i, person, f.Fault)
					}
				})
			}
		}
		all.Wait()
		if h.most["good.example"] > 6 {
			t.Errorf("%d at one time", h.most["good.example"])
		}
	})
}

// A good address that has to wait for slow ones in the queue is still checked with all
// of Timeout.
func TestTimeInTheQueueDoesNotCountAsSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := newHosts(t)
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() { c.Check(t.Context(), "kim", fmt.Sprintf("http://slow%d.example/", i)) })
		}
		synctest.Wait()
		began := time.Now()
		f := c.Check(t.Context(), "kim", "http://good.example/a.png")
		if took := time.Since(began); f.Fault != picture.Fine || took < picture.Timeout-time.Second {
			t.Errorf("%v after %v", f.Fault, took)
		}
		for i := range 40 {
			all.Go(func() { c.Check(t.Context(), "kim", fmt.Sprintf("http://slow%d.example/late", i)) })
		}
		synctest.Wait()
		if f := c.Check(t.Context(), "kim", "http://good.example/b.png"); f.Fault != picture.Waited {
			t.Errorf("at the end of a long line: %v", f.Fault)
		}
		all.Wait()
	})
}

// A person may have some pictures of a host checked at once, and a few dozen a minute,
// whether they come in one request or in many, and however the host is spelled. A picture
// that was checked already costs nothing, and others are not affected.
func TestOnePersonCausesFewRequestsToAHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, c := newHosts(t)
		spellings := []string{"flood.example", "FLOOD.example", "flood.example.", "flood.example:8443"}
		var skipped atomic.Int64
		flood := func(first, n int) {
			var all sync.WaitGroup
			for i := first; i < first+n; i++ {
				all.Go(func() {
					switch f := c.Check(t.Context(), "kim", fmt.Sprintf("http://%s/%d.png", spellings[i%len(spellings)], i)); f.Fault {
					case picture.Fine:
					case picture.Skipped:
						skipped.Add(1)
					default:
						t.Errorf("picture %d: %v", i, f.Fault)
					}
				})
			}
			all.Wait()
		}
		flood(0, 100)
		if asked := len(h.asked); asked != 24 || skipped.Load() != 76 {
			t.Errorf("of 100 pictures at once, %d were asked for and %d skipped", asked, skipped.Load())
		}
		most := 0
		for _, n := range h.most {
			most = max(most, n)
		}
		if most > 3 {
			t.Errorf("%d at one time", most)
		}
		if f := c.Check(t.Context(), "kim", "http://other.example/a.png"); f.Fault != picture.Fine {
			t.Errorf("a picture of another host: %v", f.Fault)
		}
		if f := c.Check(t.Context(), "ada", "http://flood.example/ada.png"); f.Fault != picture.Fine {
			t.Errorf("a colleague's picture of the host: %v", f.Fault)
		}
		time.Sleep(time.Minute)
		before := len(h.asked)
		flood(0, 200)
		if asked := len(h.asked) - before; asked < 18 || asked > 30 {
			t.Errorf("%d more were asked for a minute later", asked)
		}
	})
}

// Many host names cost as much as one, because they may lead to the same machine.
func TestOnePersonCausesFewRequestsToManyHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, c := newHosts(t)
		var all sync.WaitGroup
		for i := range 300 {
			all.Go(func() { c.Check(t.Context(), "kim", fmt.Sprintf("http://h%d.example/a.png", i)) })
		}
		all.Wait()
		if asked := len(h.asked); asked < 100 || asked > 130 {
			t.Errorf("%d of 300 hosts were asked at once", asked)
		}
	})
}

// A host that redirects to another one cannot be used to flood it.
func TestRedirectsToAHostCount(t *testing.T) {
	photo := plain(t, "image/png")
	var asked atomic.Int64
	victim := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		_, _ = w.Write(photo)
	}))
	defer victim.Close()
	away := http.RedirectHandler(strings.Replace(victim.URL, "127.0.0.1", "localhost", 1)+"/a.png", http.StatusFound)
	s := httptest.NewServer(away)
	defer s.Close()
	other, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Skip("this machine has no second loopback address")
	}
	second := &http.Server{Handler: away}
	go func() { _ = second.Serve(other) }()
	defer second.Close()
	c, faults := checker(t, true), map[picture.Fault]int{}
	for i := range 40 {
		host := []string{s.URL, "http://" + other.Addr().String()}[i%2]
		faults[c.Check(t.Context(), "kim", fmt.Sprintf("%s/%d", host, i)).Fault]++
	}
	if asked.Load() > 30 || faults[picture.Skipped] < 10 || faults[picture.Fine] < 20 {
		t.Errorf("%d requests by way of two other hosts: %v", asked.Load(), faults)
	}
}

// While two people wait for many pictures of a slow host, a third one's turn comes with
// the next free place.
func TestPeopleTakeTurnsAtASlowHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := newHosts(t)
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for _, person := range []string{"kim", "bo"} {
			for i := range 24 {
				all.Go(func() { c.Check(ctx, person, fmt.Sprintf("http://slow.example/%s/%d", person, i)) })
			}
		}
		synctest.Wait()
		began := time.Now()
		f := c.Check(t.Context(), "ada", "http://slow.example/hers")
		if took := time.Since(began); f.Fault != picture.Slow || took > 2*picture.Timeout+time.Second {
			t.Errorf("%v after %v", f.Fault, took)
		}
		cancel()
		time.Sleep(time.Minute)
		all.Wait()
	})
}

// Two people check the same address, and the one whose check began first leaves the
// page. The other one still learns what is there.
func TestACheckGoesOnForTheOthersWhoWaitForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := newHosts(t)
		leaves, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() { c.Check(leaves, "kim", "http://good.example/a.png") })
		synctest.Wait()
		all.Go(func() {
			if f := c.Check(t.Context(), "ada", "http://good.example/a.png"); f.Fault != picture.Fine {
				t.Errorf("for the other one it is %v", f.Fault)
			}
		})
		synctest.Wait()
		cancel()
		all.Wait()
	})
}
