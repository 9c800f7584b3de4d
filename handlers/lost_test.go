package handlers_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dailies/db"
)

// blob is where a kept file lies.
func (h *house) blob(m db.Media) string {
	return filepath.Join(filepath.Dir(h.path), "media", m.Hash[:2], m.Hash[2:])
}

// madeAndKept lets the service make a video of the person's, with its files kept.
func (h *house) madeAndKept(t testing.TB, p *person) db.Task {
	t.Helper()
	p.post("/create/text-to-video", good()).is(303)
	latest, err := h.store.LatestTasks(t.Context(), 1, 1)
	must(t, err)
	return h.kept(t, latest[0].ID)
}

func (h *house) kept(t testing.TB, id int64) (task db.Task) {
	t.Helper()
	eventually(t, "the video is kept", func() bool {
		var err error
		task, err = h.store.Task(t.Context(), id)
		must(t, err)
		return task.Keeping == db.Kept
	})
	return task
}

func TestALostFileIsKeptAgain(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	ada := h.joiner(t, p, "ada")
	h.work(t)
	film := h.madeAndKept(t, p)
	video, _ := film.Video()
	cover, _ := film.Cover()
	link := p.share(taskPage(film), "Boat")
	path := fmt.Sprintf("/media/%d", video.ID)
	whole := p.get(path).is(200).body
	for name, harm := range map[string]func(){
		"missing": func() { must(t, os.Remove(h.blob(video))) },
		"cut":     func() { must(t, os.Truncate(h.blob(video), video.Size/2)) },
		"empty":   func() { must(t, os.Truncate(h.blob(video), 0)) },
		"all of them": func() {
			must(t, os.Remove(h.blob(video)))
			must(t, os.Remove(h.blob(cover)))
		},
	} {
		harm()
		p.get(path).is(404).shows("missing or damaged").hides("Something went wrong")
		p.get(path, "Range", "bytes=0-1").is(404)
		h.stranger(t).get(path + "?share=" + strings.TrimPrefix(link, "/share/")).is(404)
		p.get(taskPage(film)).is(200).shows("Its file is missing", "Try once more to save it", "No file").hides(fmt.Sprintf(`src="%s"`, path))
		p.get("/gallery").is(200).shows("No file")
		ada.get(taskPage(film)).is(200).shows("Its file is missing", "Kim Doe can do that").hides("Try once more")
		p.post(taskPage(film)+"/keep", nil).is(303).leadsTo(taskPage(film))
		film = h.kept(t, film.ID)
		if again := p.get(path).is(200); again.body != whole || again.Header.Get("Cache-Control") != "private, no-cache" {
			t.Errorf("%s: it comes back as %d bytes", name, len(again.body))
		}
		if name == "all of them" {
			p.get(fmt.Sprintf("/media/%d", cover.ID)).is(200)
		}
		p.get(taskPage(film)).is(200).hides("Its file is missing", "Try once more").shows(path)
		h.stranger(t).get(link).is(200)
		if len(film.Media) != 2 {
			t.Fatalf("%s: it has %+v", name, film.Media)
		}
	}
}

// Nobody has looked at the video since its file was lost.
func TestKeepFindsOutByItselfThatTheFileIsLost(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.work(t)
	film := h.madeAndKept(t, p)
	video, _ := film.Video()
	p.post(taskPage(film)+"/keep", nil).is(303)
	p.get(taskPage(film)).is(200).shows("The video is kept here.")
	must(t, os.Remove(h.blob(video)))
	p.post(taskPage(film)+"/keep", nil).is(303)
	h.kept(t, film.ID)
	p.get(fmt.Sprintf("/media/%d", video.ID)).is(200)
}

func TestALostFileIsAskedForOnceWhereItsLinkIsOld(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.work(t)
	film := h.madeAndKept(t, p)
	video, _ := film.Video()
	fresh, err := h.config.Media.File(video.Hash)
	must(t, err)
	content, err := io.ReadAll(fresh)
	must(t, err)
	must(t, fresh.Close())
	must(t, os.Remove(h.blob(video)))
	h.alter(t, film.ID, func(t *db.Task) {
		t.Results = []db.Result{{Kind: db.Video, URL: base + "/files/no-longer.webm"}}
		t.DoneAt = t.DoneAt.Add(-time.Hour)
	})
	asked := h.wire.count("/api/ai/query")
	p.post(taskPage(film)+"/keep", nil).is(303)
	film = h.kept(t, film.ID)
	asked = h.wire.count("/api/ai/query") - asked
	if p.get(fmt.Sprintf("/media/%d", video.ID)).is(200).body != string(content) || asked != 1 {
		t.Errorf("asked %d times; %+v", asked, film.Media)
	}
}

func TestAFileThatIsPutBackIsKept(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	film := h.keptFilm(t, 1, "a paper boat")
	away := filepath.Join(t.TempDir(), "away")
	must(t, os.Rename(h.blob(film.Media[0]), away))
	path := fmt.Sprintf("/media/%d", film.Media[0].ID)
	p.get(path).is(404)
	p.get(taskPage(film)).is(200).shows("Its file is missing")
	must(t, os.Rename(away, h.blob(film.Media[0])))
	p.get(taskPage(film)).is(200).hides("Its file is missing").shows(path)
	p.get(path).is(200)
}

func TestALostCoverIsDrawnAgain(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	film := h.keptFilm(t, 1, "a paper boat")
	cover := film.Media[1]
	must(t, os.Truncate(h.blob(cover), 3))
	path := fmt.Sprintf("/media/%d", cover.ID)
	p.get(path).is(404)
	p.get("/gallery").is(200).shows(fmt.Sprintf(`data-poster="/tasks/%d/poster"`, film.ID)).hides("No file", path)
	if at := p.sendPoster(t, film.ID, frameOf(t, 64, 36)).is(204).Header.Get("Location"); at != path {
		t.Errorf("it is at %s, was at %s", at, path)
	}
	p.get(path).is(200)
	p.get("/gallery").is(200).shows(fmt.Sprintf(`src=%q`, path)).hides("data-poster")
}

func TestArchiveNamesAFileThatIsCut(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	film := h.keptFilm(t, 1, "a paper boat")
	must(t, os.Truncate(h.blob(film.Media[0]), 1))
	if missing := unzip(t, p.get(fmt.Sprintf("/tasks/download?id=%d", film.ID)).is(200).body)["MISSING.txt"]; !strings.Contains(missing, "missing") {
		t.Errorf("it says %q", missing)
	}
}
