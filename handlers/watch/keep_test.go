package watch_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db"
	"dailies/db/schedule"
	"dailies/handlers/watch"
)

// expired is an object store's answer to an expired link.
var expired = says(403, "<Error><Message>Request has expired</Message></Error>")

// elsewhere answers with a finished record that has a new URL.
func elsewhere(address string) fault {
	return func(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
		return says(200, fmt.Sprintf(`{"code":0,"data":{"status":"success","taskInfo":"{\"videoUrl\":\"%s\"}"}}`, address))(r, through)
	}
}

func TestExpiredLinkIsReplacedByAFreshOne(t *testing.T) {
	b := newBench(t)
	id := b.add(t, "a boat")
	stop := b.start(t)
	// The first round tries both the video and its cover.
	b.fail("/files/", expired, expired)
	task := b.until(t, id, "kept", kept)
	stop()
	if task.RefreshedAt.IsZero() || task.Message != "" {
		t.Errorf("got %+v", task)
	}
	if n := b.line.count(create); n != 1 {
		t.Errorf("%d creates", n)
	}
}

func TestFreshAddressesAreUsed(t *testing.T) {
	b := newBench(t)
	b.fail("/files/", func(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
		b.fail(ask, elsewhere(base+r.URL.Path+"?fresh=1"))
		return says(404, "")(r, through)
	})
	b.start(t)
	task := b.until(t, b.add(t, "a boat"), "kept", kept)
	video, _ := task.Video()
	if video.Marks != db.NoMarks {
		t.Errorf("its marks are %q", video.Marks)
	}
	if len(task.Results) != 1 || !strings.HasSuffix(video.Source, "?fresh=1") {
		t.Errorf("got %+v, kept %+v", task.Results, video)
	}
}

// Not every file store says 403 or 404 when a link has expired.
func TestHoweverAnExpiredLinkIsAnsweredAFreshOneIsAskedForSoon(t *testing.T) {
	for name, answer := range map[string]fault{
		"400":    says(400, "<Error><Code>ExpiredToken</Code></Error>"),
		"401":    says(401, ""),
		"a page": says(200, html),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				first := b.add(t, "a boat")
				stop := b.start(t)
				task := b.until(t, first, "kept", kept)
				stop()
				video, _ := task.Video()
				b.line.setAlways(func(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
					switch r.URL.Path {
					case "/files/old.webm":
						return answer(r, through)
					case ask:
						return elsewhere(video.Source)(r, through)
					}
					return through()
				})
				id := b.finished(t, 1, base+"/files/old.webm")
				defer b.start(t, func(c *watch.Config) { c.Poll = 3 * time.Second })()
				time.Sleep(5 * time.Minute)
				task, err := b.store.Tasks.Task(t.Context(), id)
				must(t, err)
				if !kept(task) || task.RefreshedAt.IsZero() {
					t.Errorf("after five minutes: %s, %q, attempt %d", task.Keeping, task.Message, task.Attempts)
				}
				if n := b.line.count(ask); n > 20 {
					t.Errorf("%d queries", n)
				}
			})
		})
	}
}

func TestAFileWhoseLinkStaysExpiredIsReportedAsLost(t *testing.T) {
	b := newBench(t)
	for range 40 {
		b.fail("/files/", says(410, ""))
	}
	b.start(t)
	id := b.add(t, "a boat")
	b.until(t, id, "made", func(t db.Task) bool { return t.State == db.Success })
	_, err := b.store.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error {
		t.DoneAt = t.DoneAt.Add(-time.Hour) // so that the answer 410 is believed, unlike for a new video
		return nil
	})
	must(t, err)
	task := b.until(t, id, "lost", func(t db.Task) bool { return t.Keeping == db.Lost })
	if task.State != db.Success || len(task.Results) == 0 || task.Message == "" || !task.NextAt.IsZero() || len(task.Media) != 0 {
		t.Errorf("got %+v", task)
	}
}

func TestNothingIsKeptWithoutRoom(t *testing.T) {
	for name, full := range map[string]func(*watch.Config){
		"the disk is full":     func(c *watch.Config) { c.Free = func() (int64, error) { return schedule.Reserve, nil } },
		"the bound is reached": func(c *watch.Config) { c.KeepMax = 1000 },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			id := b.add(t, "a boat")
			stop := b.start(t, full)
			task := b.until(t, id, "stuck", func(t db.Task) bool { return t.Blame == db.BlameSpace })
			if task.State != db.Success || task.Keeping != db.Saving || len(task.Media) != 0 {
				t.Errorf("got %+v", task)
			}
			if n, err := b.store.Files.WaitingForRoom(t.Context()); err != nil || n != 1 {
				t.Errorf("%d wait, %v", n, err)
			}
			stop()
			if files, _ := filepath.Glob(b.dir + "/media/*/*"); len(files) > 1 { // the small cover may be there
				t.Errorf("%q is there", files)
			}
			b.start(t) // now with room
			b.until(t, id, "kept", kept)
		})
	}
}

func TestBoundHoldsForManyCopiesAtOnce(t *testing.T) {
	b := newBench(t)
	first := b.add(t, "a boat")
	stop := b.start(t)
	size := int64(0)
	for _, m := range b.until(t, first, "kept", kept).Media {
		size += m.Size
	}
	stop()
	bound := 3 * size
	b.start(t, func(c *watch.Config) { c.KeepMax = bound })
	var ids []int64
	for range 5 {
		ids = append(ids, b.add(t, "a boat"))
	}
	for _, id := range ids {
		b.until(t, id, "kept or stuck", func(t db.Task) bool { return kept(t) || t.Blame == db.BlameSpace })
	}
	used, err := b.store.Files.KeptBytes(t.Context())
	if err != nil || used > bound || used < bound/2 {
		t.Errorf("%d of %d bytes, %v", used, bound, err)
	}
}

// A truncated film is not kept while the service may still deliver it complete.
func TestATruncatedFilmIsFetchedAgain(t *testing.T) {
	b := newBench(t)
	cut := func(_ *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
		resp, err := through()
		if err == nil {
			resp.Body, resp.ContentLength = io.NopCloser(io.LimitReader(resp.Body, 700)), -1
		}
		return resp, err
	}
	b.fail("/files/", cut, nil, cut)
	b.start(t)
	task := b.until(t, b.add(t, "a boat"), "kept", kept)
	video, _ := task.Video()
	if info, err := os.Stat(b.dir + "/media/" + video.Hash[:2] + "/" + video.Hash[2:]); err != nil || info.Size() < 1000 {
		t.Errorf("got %+v, %v", video, err)
	}
}

// fail adds faults for calls to the path.
func (b *bench) fail(path string, faults ...fault) {
	b.line.mu.Lock()
	defer b.line.mu.Unlock()
	b.line.faults[path] = append(b.line.faults[path], faults...)
}
