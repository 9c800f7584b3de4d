package watch_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/secrets"
	"dailies/db/store/postgres/postgrestest"
	"dailies/db/store/sampletest"
	"dailies/handlers/watch"
)

// TestAnOutageIsOverSoonAfterItsEnd makes the service unreachable for a while with
// running videos. All of them are queried within seconds of its return, but not all
// at once.
func TestAnOutageIsOverSoonAfterItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const videos = 20
		b := newBench(t)
		var mu sync.Mutex
		asked := map[int64]int{} // queries by second
		away := true
		b.line.setAlways(func(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			if r.URL.Path == ask {
				if away {
					return nil, errReset
				}
				asked[time.Now().Unix()]++
			}
			return through()
		})
		defer b.start(t)()
		var ids []int64
		for i := range videos {
			ids = append(ids, b.add(t, fmt.Sprintf("boat %d", i)))
			time.Sleep(300 * time.Millisecond)
		}
		time.Sleep(90 * time.Second)
		mu.Lock()
		away = false
		mu.Unlock()
		time.Sleep(17 * time.Second)
		mu.Lock()
		all, most := 0, 0
		for _, n := range asked {
			all += n
			most = max(most, n)
		}
		mu.Unlock()
		if all < videos {
			t.Errorf("%d of %d videos were asked about within 17 s", all, videos)
		}
		if most > videos/2 {
			t.Errorf("%d of %d questions came within one second", most, videos)
		}
		time.Sleep(time.Minute)
		for _, id := range ids {
			if task, _ := b.store.Tasks.Task(t.Context(), id); task.Keeping != db.Kept {
				t.Errorf("video %d is %s", id, task.State)
			}
		}
		if n := b.line.count(create); n != videos {
			t.Errorf("%d creates for %d videos", n, videos)
		}
	})
}

// TestOnePersonsTroubleDelaysNobodyElse gives one user a revoked key and stalling
// calls; another user's videos are not delayed.
func TestOnePersonsTroubleDelaysNobodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		must(t, sampletest.AddUser(t, b.store, &db.User{Name: "Bo", Email: "bo@example.com", Role: db.Member, CreatedAt: db.Now()}))
		must(t, b.store.Keys.PutKey(t.Context(), secrets.Key{UserID: 2, Sealed: b.vault.Seal(2, "sk-bo"), Fingerprint: b.vault.Fingerprint("sk-bo"), CreatedAt: db.Now()}))
		b.line.setAlways(func(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
			switch {
			case r.Header.Get("Authorization") != "Bearer sk-bo":
				return through()
			case r.URL.Path == create:
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			return says(200, `{"code":-1,"message":"no auth, please sign in"}`)(r, through)
		})
		revoked := b.addFor(t, 2, "a boat that runs already")
		_, err := b.store.Tasks.UpdateTask(t.Context(), revoked, func(t *db.Task) error {
			now := db.Now()
			if err := t.Begin(now); err != nil {
				return err
			}
			return t.Accept(db.Report{RemoteID: "r", Status: "processing"}, now, now)
		})
		must(t, err)
		b.addFor(t, 2, "a boat whose create stalls")
		defer b.start(t)()
		for i := range 5 {
			id := b.add(t, fmt.Sprintf("boat %d", i))
			time.Sleep(10 * time.Second)
			if task, _ := b.store.Tasks.Task(t.Context(), id); task.Keeping != db.Kept {
				t.Errorf("after ten seconds, video %d is %s", id, task.State)
			}
		}
		time.Sleep(3 * time.Minute)
		task, err := b.store.Tasks.Task(t.Context(), revoked)
		must(t, err)
		if !task.State.Running() || task.ErrorKind != db.KeyError || task.NextAt.IsZero() {
			t.Errorf("the video with the revoked key is given up: %s, %q", task.State, task.Message)
		}
	})
}

// While the database is out of reach, thumbnails are not tried many times a second.
func TestThumbnailsWaitForTheDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		files, err := media.Open(b.dir + "/media")
		must(t, err)
		must(t, b.store.Close())
		var log bytes.Buffer
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		must(t, watch.NewThumbs(b.store, files, slog.New(slog.NewTextHandler(&log, nil))).Run(ctx))
		if n := strings.Count(log.String(), "cannot make a thumbnail"); n < 2 || n > 40 {
			t.Errorf("%d attempts in a minute", n)
		}
	})
}

// While the database is out of reach, the days of the usage are not recomputed many times
// a second either, and the log says why they stay as they are.
func TestTheTimeZoneWaitsForTheDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		must(t, b.store.Close())
		var log bytes.Buffer
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		must(t, watch.NewZone(b.store, slog.New(slog.NewTextHandler(&log, nil))).Run(ctx))
		if n := strings.Count(log.String(), "cannot bring the usage into the time zone"); n < 2 || n > 40 {
			t.Errorf("%d attempts in a minute: %s", n, log.String())
		}
	})
}

// logged returns a change of the settings that writes the log to the text.
func logged(text *bytes.Buffer) func(*watch.Config) {
	return func(c *watch.Config) { c.Log = slog.New(slog.NewTextHandler(text, nil)) }
}

// The service does not answer for twelve seconds, in which two videos are asked about and
// one is sent, whose answer is lost.
func TestTheLogTellsOfAnOutageOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var log bytes.Buffer
		stop := b.start(t, logged(&log), func(c *watch.Config) { c.Poll = time.Second })
		b.line.setAlways(func(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
			if r.URL.Path == ask {
				return says(200, `{"code":0,"data":{"status":"processing"}}`)(r, through)
			}
			return through()
		})
		b.add(t, "a boat")
		b.add(t, "another boat")
		time.Sleep(5 * time.Second)
		b.line.setAlways(reset)
		id := b.add(t, "a boat that is lost")
		time.Sleep(12 * time.Second)
		b.line.setAlways(nil)
		time.Sleep(2 * time.Minute)
		stop()
		said := log.String()
		if strings.Count(said, "an outage begins") != 1 || strings.Count(said, "an outage is over") != 1 ||
			!strings.Contains(said, "host=sandbox.invalid") || !strings.Contains(said, `videos=3 "creates without an answer"=1`) {
			t.Errorf("the log is %s", said)
		}
		if want := fmt.Sprintf(`"a video is unconfirmed: it is not known whether it was paid" task=%d state=unconfirmed user=1 model=seedance-2.0 key="the person's own" "service id"="" reason="The video service gave no clear answer."`, id); !strings.Contains(said, want) {
			t.Errorf("the log is %s, want %s", said, want)
		}
	})
}

// One call that fails, which happens every day, is no outage.
func TestOneFailedCallIsNoOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var log bytes.Buffer
		b.fail(ask, reset)
		stop := b.start(t, logged(&log))
		b.add(t, "a boat")
		time.Sleep(time.Minute)
		stop()
		if strings.Contains(log.String(), "outage") {
			t.Errorf("the log is %s", &log)
		}
	})
}

func TestAServiceThatComesAndGoesDoesNotFillTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var log bytes.Buffer
		b.line.setAlways(func(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
			if r.URL.Path == ask && time.Now().Unix()%60 < 30 {
				return nil, errReset
			}
			if r.URL.Path == ask {
				return says(200, `{"code":0,"data":{"status":"processing"}}`)(r, through)
			}
			return through()
		})
		stop := b.start(t, logged(&log), func(c *watch.Config) { c.Poll = 5 * time.Second })
		for range 5 {
			b.add(t, "a boat")
		}
		time.Sleep(2 * time.Hour)
		stop()
		if n := strings.Count(log.String(), "outage"); n < 2 || n > 24 {
			t.Errorf("%d lines in two hours", n)
		}
	})
}

// The host of the finished videos is another one than the service.
func TestTheLogTellsThatVideosCannotBeFetched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var log bytes.Buffer
		b.fail("/files/", says(502, html), says(502, html), says(502, html), says(502, html))
		stop := b.start(t, logged(&log))
		b.add(t, "a boat")
		time.Sleep(5 * time.Minute)
		stop()
		if said := log.String(); strings.Count(said, "an outage begins: the host of finished videos") != 1 || strings.Count(said, "an outage is over") != 1 {
			t.Errorf("the log is %s", said)
		}
	})
}

func TestTheLogNamesEveryVideoThatWasNotMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var log bytes.Buffer
		b.fail(create, says(200, `{"code":-1,"message":"`+strings.Repeat("no ", 160)+`"}`))
		b.fail(ask, says(200, `{"code":0,"data":{"status":"failed","failReason":"blocked by the safety filter"}}`))
		stop := b.start(t, logged(&log))
		refused, failed := b.add(t, "a boat"), b.add(t, "another boat")
		time.Sleep(time.Minute)
		stop()
		for _, want := range []string{
			fmt.Sprintf(`msg="a video was refused: nothing was paid" task=%d`, refused),
			fmt.Sprintf(`msg="a video failed at the service" task=%d state=failed`, failed),
		} {
			if strings.Count(log.String(), want) != 1 {
				t.Errorf("%s is not in %s", want, &log)
			}
		}
		for line := range strings.Lines(log.String()) {
			if len(line) > 600 {
				t.Errorf("a line has %d bytes", len(line))
			}
		}
	})
}

// A cutter stands in front of a Postgres server. It loses connections after the server
// has carried out a commit, but before its answer arrives.
type cutter struct {
	server string
	after  string       // loses commits after a statement that contains this
	left   atomic.Int64 // how many commits it still loses
}

// before starts the cutter, and returns the address of the database through it.
func (c *cutter) before(t *testing.T, database string) string {
	t.Helper()
	u, err := url.Parse(database)
	must(t, err)
	const socket = ".s.PGSQL.5432"
	query := u.Query()
	c.server = filepath.Join(query.Get("host"), socket)
	dir := t.TempDir()
	listener, err := net.Listen("unix", filepath.Join(dir, socket))
	must(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go c.serve(client)
		}
	}()
	query.Set("host", dir)
	u.RawQuery = query.Encode()
	return u.String()
}

func (c *cutter) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("unix", c.server)
	if err != nil {
		return
	}
	defer server.Close()
	var cut atomic.Bool
	go func() {
		defer client.Close() // which ends the loop below
		answer := make([]byte, 64<<10)
		for {
			n, err := server.Read(answer)
			if err != nil || cut.Load() { // the answer to the commit is not passed on
				return
			}
			if _, err := client.Write(answer[:n]); err != nil {
				return
			}
		}
	}()
	request, watched := make([]byte, 64<<10), false
	for {
		n, err := client.Read(request)
		if err != nil {
			return
		}
		watched = watched || bytes.Contains(request[:n], []byte(c.after))
		if watched && bytes.Contains(request[:n], []byte("commit\x00")) && c.left.Add(-1) >= 0 {
			cut.Store(true)
		}
		if _, err := server.Write(request[:n]); err != nil {
			return
		}
	}
}

// Whether a commit was carried out is not known if its answer is lost. A video of which
// the database may have recorded that it is being sent, but that was not sent, is sent
// soon, and nobody is asked about it.
func TestVideosAreSentSoonAfterTheConnectionIsLost(t *testing.T) {
	address, err := postgrestest.Need(t).Database(t.Context())
	must(t, err)
	b, c := newBench(t), &cutter{after: "INSERT INTO create_calls"}
	c.left.Store(2)
	b.store = sampletest.Open(t, c.before(t, address))
	must(t, b.store.Enter(t.Context(), false))
	must(t, sampletest.AddUser(t, b.store, &db.User{Name: "Kim", Email: "kim@example.com", Role: db.Admin, CreatedAt: db.Now()}))
	b.giveKey(t, b.key)
	b.start(t)
	began, ids := time.Now(), []int64{b.add(t, "a boat"), b.add(t, "another boat")}
	for _, id := range ids {
		task := b.until(t, id, "its end", func(t db.Task) bool { return kept(t) || t.State == db.Unconfirmed })
		if took := time.Since(began); !kept(task) || took > 20*time.Second {
			t.Errorf("after %v video %d is %s: %s", took, id, task.State, task.Message)
		}
	}
	if n := b.line.count(create); n != len(ids) || c.left.Load() > 0 {
		t.Errorf("%d creates for %d videos; %d commits were not lost", n, len(ids), c.left.Load())
	}
}
