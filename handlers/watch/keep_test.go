package watch_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/media/splice"
	"dailies/db/schedule"
	"dailies/db/team"
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
			task := b.until(t, id, "stuck", func(t db.Task) bool { return t.ErrorKind == db.SpaceError })
			if task.State != db.Success || task.Keeping != db.Saving || len(task.Media) != 0 {
				t.Errorf("got %+v", task)
			}
			if n, err := b.store.Files.WaitingForSpace(t.Context()); err != nil || n != 1 {
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
		b.until(t, id, "kept or stuck", func(t db.Task) bool { return kept(t) || t.ErrorKind == db.SpaceError })
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

// served notes the videos that the service delivers.
type served struct {
	mu    sync.Mutex
	files map[string][]byte // by SHA-256, in hex
}

func (s *served) note(_ *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
	resp, err := through()
	if err != nil || resp.Header.Get("Content-Type") != "video/webm" {
		return resp, err
	}
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[hex.EncodeToString(sum[:])] = b
	resp.Body = io.NopCloser(bytes.NewReader(b))
	return resp, nil
}

const producer = "001191440300708461136T1XGW3"

func TestNewVideosGetTheLabelOfTheTeam(t *testing.T) {
	b := newBench(t)
	came := &served{files: map[string][]byte{}}
	b.line.setAlways(came.note)
	b.start(t)
	earlier := b.until(t, b.add(t, "a boat"), "kept", kept)
	plain, _ := earlier.Video()
	if plain.ServedHash != "" || plain.Marks != db.NoMarks || came.files[plain.Hash] == nil {
		t.Errorf("without a code, %+v was kept", plain)
	}

	must(t, b.store.Settings.SetLabels(t.Context(), team.Labels{Producer: producer}))
	id := b.add(t, "a second boat")
	task := b.until(t, id, "kept", kept)
	m, _ := task.Video()
	was := came.files[m.ServedHash]
	if was == nil || m.Marks != db.LabelMark || m.Hash == m.ServedHash {
		t.Fatalf("kept is %+v", m)
	}
	path := filepath.Join(b.dir, "media", media.Path(m.Hash))
	is, err := os.ReadFile(path)
	must(t, err)
	if sum := sha256.Sum256(is); hex.EncodeToString(sum[:]) != m.Hash || int64(len(is)) != m.Size {
		t.Errorf("%d bytes are stored, and %d are recorded", len(is), m.Size)
	}
	label := team.Labels{Producer: producer}.Label(fmt.Sprintf("%d-%s", id, m.ServedHash[:16]))
	if !bytes.Contains(is, []byte(label)) || !strings.HasPrefix(label, `{"Label":"1","ContentProducer":"`+producer+`","ProduceID":"`) {
		t.Errorf("the file does not say %s", label)
	}
	before, err := splice.Read(bytes.NewReader(was), int64(len(was)))
	must(t, err)
	after, err := splice.Read(bytes.NewReader(is), m.Size)
	must(t, err)
	if before.Frames() != after.Frames() || before.Length() != after.Length() {
		t.Errorf("%d frames became %d", before.Frames(), after.Frames())
	}
	if now, _ := b.until(t, earlier.ID, "kept", kept).Video(); now != plain {
		t.Errorf("the earlier video became %+v", now)
	}

	// Whenever saving begins again, it stores the same bytes.
	must(t, os.Remove(path))
	_, err = b.store.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error {
		t.Media[0].LostAt, t.Keeping, t.NextAt = db.Now(), db.Saving, db.Now()
		return nil
	})
	must(t, err)
	b.wake()
	again, _ := b.until(t, id, "kept again", kept).Video()
	if again.Hash != m.Hash || again.ServedHash != m.ServedHash || again.ID != m.ID || again.Marks != db.LabelMark {
		t.Errorf("saved again, it is %+v, not %+v", again, m)
	}
	if left, err := filepath.Glob(filepath.Join(b.dir, "media", "begun-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
	must(t, media.At(b.dir+"/media").Verify(t.Context(), m.Hash, m.Size)) // as a backup and a check do
}

// Whatever cannot be labelled is saved as it came.
func TestAVideoThatCannotBeLabelledStaysAsItCame(t *testing.T) {
	b := newBench(t)
	must(t, b.store.Settings.SetLabels(t.Context(), team.Labels{Producer: producer}))
	signed, err := os.ReadFile("../../db/media/splice/testdata/plain.mp4")
	must(t, err)
	signed = append(signed, "\x00\x00\x00\x1cuuid\xd8\xfe\xc3\xd6\x1b\x0e\x48\x3c\x92\x97\x58\x28\x87\x7e\xc4\x81\x00\x00\x00\x00"...)
	b.line.setAlways(func(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
		if strings.HasSuffix(r.URL.Path, ".webm") {
			return says(200, string(signed))(r, through)
		}
		return through()
	})
	b.start(t)
	m, _ := b.until(t, b.add(t, "a boat"), "kept", kept).Video()
	if sum := sha256.Sum256(signed); m.Hash != hex.EncodeToString(sum[:]) || m.ServedHash != "" || m.Marks != db.CredentialsMark {
		t.Errorf("kept is %+v", m)
	}
}
