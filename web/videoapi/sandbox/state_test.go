package sandbox_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dailies/web/videoapi"
	"dailies/web/videoapi/sandbox"
)

func TestPromptsSteerTheEnd(t *testing.T) {
	w := start(t, 100)
	for prompt, want := range map[string]videoapi.Status{
		"A sea":           videoapi.Success,
		"A #failure":      videoapi.Success,
		"A sea #slow":     videoapi.Success,
		"A sea #FAIL.":    videoapi.Failed,
		"#cancel a sea":   videoapi.Canceled,
		"#fail":           videoapi.Failed,
		"#slow #cancel ,": videoapi.Canceled,
	} {
		before := w.balance()
		r := w.end(w.create(tiny(prompt)).ID)
		if r.Status != want {
			t.Errorf("%q: %s, want %s", prompt, r.Status, want)
		}
		paid, reason := before-w.balance(), ""
		switch want {
		case videoapi.Failed:
			reason = "The sandbox was asked to fail this one."
		case videoapi.Canceled:
			reason = "The sandbox was asked to cancel this one."
		}
		if (paid == 0) != (want == videoapi.Failed) {
			t.Errorf("%q: %v credits paid in the end", prompt, paid)
		}
		if got := r.Reason().Text; got != reason {
			t.Errorf("%q: reason %q, want %q", prompt, got, reason)
		}
		if got := len(r.Results().Videos); (got == 1) != (want == videoapi.Success) {
			t.Errorf("%q: %d videos", prompt, got)
		}
	}
}

// The states at the default pace, with synctest's fake clock.
func TestASlowTaskIsPendingThenProcessingThenSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, t.TempDir(), 100, sandbox.Pace{})
		begun := time.Now()
		r := w.create(tiny("A quiet sea #slow"))
		if r = w.query(r.ID); r.Status != videoapi.Pending || r.Progress != 0 || r.TaskInfo != "" {
			t.Errorf("at once: %+v", r)
		}
		progress := 0.0
		for range 4 {
			time.Sleep(20 * time.Second)
			if r = w.query(r.ID); r.Status != videoapi.Processing || r.Progress <= progress || r.Progress >= 1 || r.TaskResult != "" {
				t.Errorf("after %v: %+v", time.Since(begun), r)
			}
			progress = r.Progress
		}
		time.Sleep(12 * time.Second)
		synctest.Wait()
		r = w.end(r.ID)
		if took := time.Since(begun); r.Status != videoapi.Success || took < 91*time.Second || took > 100*time.Second {
			t.Errorf("after %v: %+v", took, r)
		}
		w.stop()
	})
}

func TestOnlyAQueryMovesATask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, t.TempDir(), 100, sandbox.Pace{})
		r := w.create(tiny("A quiet sea #fail"))
		time.Sleep(time.Hour)
		if b := w.balance(); b != 94 {
			t.Errorf("balance %v after an hour in which nobody asked, want 94", b)
		}
		if r = w.query(r.ID); r.Status != videoapi.Failed || w.balance() != 100 {
			t.Errorf("asked: %s, balance %v", r.Status, w.balance())
		}
		w.stop()
	})
}

// A task that was being rendered starts again, and the one behind it still waits.
func TestARestartLosesNothing(t *testing.T) {
	dir := t.TempDir()
	w := open(t, dir, 1000, quick)
	kept := w.end(w.create(tiny("A quiet sea")).ID)
	picture := tiny("A late picture")
	picture.Scene, picture.Options.ImageInput = videoapi.ImageToVideo, []string{"https://pictures.example/late.png"}
	half := w.create(picture)
	next := w.create(tiny("The next one"))
	for w.query(half.ID).Status != videoapi.Processing {
		time.Sleep(time.Millisecond)
	}
	first, before := w.key, w.balance()
	w.stop()

	w = open(t, dir, 0, quick)
	w.key = first
	if b := w.balance(); b != before {
		t.Errorf("balance %v, was %v", b, before)
	}
	if again := w.query(kept.ID); again.TaskInfo != kept.TaskInfo || again.TaskResult != kept.TaskResult {
		t.Errorf("the finished task is now %+v", again)
	}
	if r := w.query(half.ID); r.Status != videoapi.Processing {
		t.Errorf("the one in the middle is %s", r.Status)
	}
	close(w.web.late)
	for _, id := range []string{half.ID, next.ID} {
		r := w.end(id)
		if r.Status != videoapi.Success || !strings.HasPrefix(w.file(r.Results().Videos[0], ""), "\x1a\x45\xdf\xa3") {
			t.Errorf("%+v", r)
		}
	}
}

func TestOnlyOneRunAtATime(t *testing.T) {
	w := start(t, 100)
	w.end(w.create(tiny("A quiet sea")).ID) // so that Run has certainly begun
	if err := w.Run(t.Context()); err == nil {
		t.Error("a second Run began")
	}
}

func TestOnlyOneSandboxInAFolder(t *testing.T) {
	w := start(t, 0)
	c := sandbox.Config{Dir: w.dir, Base: base, Fetch: http.DefaultClient}
	if _, err := sandbox.Open(t.Context(), c); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a second one opened it: %v", err)
	}
	w.stop()
	s, err := sandbox.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestOpenSaysWhatIsMissing(t *testing.T) {
	good := sandbox.Config{Dir: t.TempDir(), Base: base, Fetch: http.DefaultClient}
	for want, spoil := range map[string]func(*sandbox.Config){
		"folder":       func(c *sandbox.Config) { c.Dir = "" },
		"base address": func(c *sandbox.Config) { c.Base = "/files" },
		"fetch":        func(c *sandbox.Config) { c.Fetch = nil },
	} {
		c := good
		spoil(&c)
		if _, err := sandbox.Open(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want something about %s", err, want)
		}
	}
}

func TestTheSandboxStaysOutOfTheAppsFolder(t *testing.T) {
	for _, name := range []string{"dailies.db", "secret"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), []byte("of the app"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := sandbox.Open(t.Context(), sandbox.Config{Dir: dir, Base: base, Fetch: http.DefaultClient})
		if err == nil || !strings.Contains(err.Error(), "another folder") {
			t.Errorf("beside %s: %v", name, err)
		}
		if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
			t.Errorf("beside %s it made %v, %v", name, files, err)
		}
	}
}
