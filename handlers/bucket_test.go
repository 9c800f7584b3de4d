package handlers_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/backup"
	"dailies/db/media"
	"dailies/db/media/bucket"
	"dailies/db/media/buckettest"
	"dailies/handlers/handlerstest"
	"dailies/handlers/watch"
)

// inBucket starts an app whose media are in the server's bucket. more is appended to
// the URL in -media.
func inBucket(t *testing.T, s *buckettest.Server, more string) (*handlerstest.Server, *bucket.Bucket) {
	t.Helper()
	dir := t.TempDir()
	book := &handlerstest.LogBook{}
	b := s.Open(t, s.URL("team")+more, slog.New(slog.NewTextHandler(book, nil)))
	files, err := media.New(b, dir+"/cache")
	must(t, err)
	t.Cleanup(func() {
		if strings.Contains(book.String(), buckettest.SecretKey) {
			t.Error("the secret is in the log")
		}
	})
	return handlerstest.NewOver(t, dir, files), b
}

func TestVideosLieInABucket(t *testing.T) {
	s := buckettest.New(t)
	h, b := inBucket(t, s, "")
	p := h.Founder(t)
	h.Run(t)
	film := h.MadeAndKept(t, p)
	video, _ := film.Video()
	cover, _ := film.Cover()
	path := fmt.Sprintf("/media/%d", video.ID)

	whole := p.Get(path).Is(200)
	if int64(len(whole.Text)) != video.Size || whole.Header.Get("Content-Type") != video.Type || whole.Header.Get("Accept-Ranges") != "bytes" {
		t.Errorf("%d bytes of %d, %v", len(whole.Text), video.Size, whole.Header)
	}
	if part := p.Get(path, "Range", "bytes=100-299").Is(206); part.Text != whole.Text[100:300] || part.Header.Get("Content-Range") != fmt.Sprintf("bytes 100-299/%d", video.Size) {
		t.Errorf("a range: %v", part.Header)
	}
	p.Get(path, "If-None-Match", whole.Header.Get("ETag")).Is(304)
	if saved := p.Get(path + "?download=1").Is(200); saved.Text != whole.Text || !strings.HasPrefix(saved.Header.Get("Content-Disposition"), "attachment; filename=") {
		t.Errorf("a download: %v", saved.Header)
	}
	p.Get(fmt.Sprintf("/media/%d", cover.ID)).Is(200)
	if made, err := thumbs(h).Step(t.Context()); !made || err != nil {
		t.Errorf("a thumbnail: %t, %v", made, err)
	}
	packed := p.Get(fmt.Sprintf("/tasks/download?id=%d", film.ID)).Is(200).Text
	if !strings.Contains(packed, whole.Text) || strings.Contains(packed, "MISSING.txt") {
		t.Error("the archive lacks the video")
	}
	address, err := url.Parse(p.Uploaded(handlerstest.Photo(t, 400, 300)))
	must(t, err)
	p.Get(address.Path + "/small").Is(200)
	h.Stranger(t).Get(address.Path).Is(200)

	house := backup.Location{Dir: filepath.Dir(h.Database), Bucket: b}
	said := &strings.Builder{}
	must(t, backup.Check(t.Context(), house, said))
	file := filepath.Join(t.TempDir(), "backup.zip")
	must(t, backup.Write(t.Context(), house, file, said))
	folder := backup.Location{Dir: filepath.Join(t.TempDir(), "restored")}
	must(t, backup.Restore(t.Context(), file, folder, said))
	must(t, backup.Check(t.Context(), folder, said))

	// A deleted video's file stays for a day after the video was purged.
	p.Post("/tasks/delete", handlerstest.ChosenForm([]db.Task{film})).Is(303)
	bin := watch.NewBin(h.Store, h.Config.Media, h.Config.Log)
	later := db.Now().Add(db.BinLife + time.Hour)
	must(t, bin.Round(t.Context(), later))
	if here, err := h.Config.Media.Has(t.Context(), video.Hash); !here || err != nil {
		t.Errorf("a backup that has begun does not find the file: %v", err)
	}
	must(t, bin.Round(t.Context(), later.Add(25*time.Hour)))
	if here, err := h.Config.Media.Has(t.Context(), video.Hash); here || err != nil {
		t.Errorf("the file of a deleted video is there: %v", err)
	}

	// A backup of a bucket or a folder can be restored into either.
	elsewhere := s.Open(t, s.URL("elsewhere"), slog.New(slog.DiscardHandler))
	must(t, backup.Restore(t.Context(), file, backup.Location{Dir: filepath.Join(t.TempDir(), "again"), Bucket: elsewhere}, said))
	must(t, media.In(elsewhere).Verify(t.Context(), video.Hash, video.Size))
}

func TestDownloadsMayComeFromTheBucketItself(t *testing.T) {
	h, _ := inBucket(t, buckettest.New(t), "&redirect=1")
	p := h.Founder(t)
	film := h.KeptFilm(t, 1, "Küste")
	video, _ := film.Video()
	path := fmt.Sprintf("/media/%d", video.ID)
	link := p.Share(fmt.Sprintf("/tasks/%d", film.ID), "Boat")
	shared := link + path
	whole := p.Get(path).Is(200).Text // playback is never redirected
	h.Stranger(t).Get(shared).Is(200)
	p.Get(path, "Range", "bytes=0-1").Is(206)
	// A guest's download comes from here, because an address of the bucket would outlive the link.
	if saved := h.Stranger(t).Get(shared + "?download=1").Is(200); saved.Text != whole || saved.Header.Get("Content-Disposition") == "" {
		t.Errorf("a guest's download: %v", saved.Header)
	}
	for address, from := range map[string]*handlerstest.Browser{path + "?download=1": p} {
		to := from.Get(address).Is(302)
		if to.Header.Get("Cache-Control") != "no-store" || len(to.Text) > 2000 {
			t.Errorf("%s: %v", address, to.Header)
		}
		saved, err := http.Get(to.Header.Get("Location"))
		must(t, err)
		content, err := io.ReadAll(saved.Body)
		must(t, errors.Join(err, saved.Body.Close()))
		if name := saved.Header.Get("Content-Disposition"); string(content) != whole || saved.Header.Get("Content-Type") != video.Type || !strings.HasPrefix(name, "attachment; filename") {
			t.Errorf("%s: %s, %q, %d bytes", address, saved.Status, name, len(content))
		}
	}
	h.Stranger(t).Get(path + "?download=1").Is(303).LeadsTo("/login?next=" + url.QueryEscape(path+"?download=1"))
	ada := h.Joiner(t, p, "ada")
	h.Change(t, film.ID, func(t *db.Task) error { t.Private = true; return nil })
	ada.Get(path + "?download=1").Is(404)
	must(t, h.Config.Media.Remove(t.Context(), video.Hash))
	p.Get(path + "?download=1").Is(404).Shows("missing or damaged")
}

func TestPagesAnswerWhileTheBucketDoesNot(t *testing.T) {
	s := buckettest.New(t)
	h, b := inBucket(t, s, "")
	p := h.Founder(t)
	h.Run(t)
	film := h.MadeAndKept(t, p)
	video, _ := film.Video()
	path, page := fmt.Sprintf("/media/%d", video.ID), fmt.Sprintf("/tasks/%d", film.ID)
	address, err := url.Parse(p.Uploaded(handlerstest.Photo(t, 400, 300)))
	must(t, err)
	s.Stop()
	for range 3 {
		for _, page := range []string{page, "/gallery", "/create/text-to-video", "/pictures"} {
			p.Get(page).Is(200).Hides("missing or damaged", "No file", "File missing")
		}
		if answer := p.Get(path, "Range", "bytes=0-1").Is(503).Shows("isn’t answering", "Nothing is lost"); answer.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
		p.Get(path + "?download=1").Is(503)
		h.Stranger(t).Get(address.Path).Is(503)
	}
	house := backup.Location{Dir: filepath.Dir(h.Database), Bucket: b}
	file := filepath.Join(t.TempDir(), "backup.zip")
	if err := backup.Write(t.Context(), house, file, io.Discard); !errors.Is(err, db.ErrUnavailable) {
		t.Errorf("a backup that lacks everything: %v", err)
	}
	if err := backup.Check(t.Context(), house, io.Discard); !errors.Is(err, db.ErrUnavailable) || errors.Is(err, backup.ErrTrouble) {
		t.Errorf("a check that finds everything missing: %v", err)
	}
	id := handlerstest.Made(t, p.Post("/create/text-to-video", handlerstest.GoodForm()))
	handlerstest.Eventually(t, "the new video waits", func() bool {
		task, err := h.Store.Tasks.Task(t.Context(), id)
		must(t, err)
		return task.ErrorKind == db.StorageError
	})
	p.Get(fmt.Sprintf("/tasks/%d", id)).Is(200).Shows("Storage isn’t answering")
	if log := h.Log.String(); strings.Contains(log, "level=ERROR") {
		t.Errorf("what the bucket's own log says is said again: %s", log)
	}
	if task, err := h.Store.Tasks.Task(t.Context(), film.ID); err != nil || task.Keeping != db.Kept {
		t.Errorf("%s, %v", task.Keeping, err)
	}
	s.Start(t)
	h.Kept(t, id)
	handlerstest.Eventually(t, "the file is sent", func() bool { return p.Get(path).StatusCode == 200 })
}
