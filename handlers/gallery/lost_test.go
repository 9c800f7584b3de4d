package gallery_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/handlers/handlerstest"
)

func TestALostFileIsKeptAgain(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	ada := h.Joiner(t, p, "ada")
	h.Run(t)
	film := h.MadeAndKept(t, p)
	video, _ := film.Video()
	cover, _ := film.Cover()
	link := p.Share(handlerstest.TaskPage(film), "Boat")
	path := fmt.Sprintf("/media/%d", video.ID)
	whole := p.Get(path).Is(200).Text
	for name, harm := range map[string]func(){
		"missing": func() { must(t, os.Remove(h.Blob(video))) },
		"cut":     func() { must(t, os.Truncate(h.Blob(video), video.Size/2)) },
		"empty":   func() { must(t, os.Truncate(h.Blob(video), 0)) },
		"all of them": func() {
			must(t, os.Remove(h.Blob(video)))
			must(t, os.Remove(h.Blob(cover)))
		},
	} {
		harm()
		p.Get(path).Is(404).Shows("missing or damaged").Hides("Something went wrong")
		p.Get(path, "Range", "bytes=0-1").Is(404)
		h.Stranger(t).Get(link + path).Is(404).Shows("missing or damaged")
		p.Get(handlerstest.TaskPage(film)).Is(200).Shows("Its file is missing", "Save again", "File missing").
			Lacks(fmt.Sprintf(`[src="%s"]`, path))
		p.Get("/gallery").Is(200).Shows("File missing")
		ada.Get(handlerstest.TaskPage(film)).Is(200).Shows("Its file is missing", "Kim Doe can save it again").Hides("Trying…")
		p.Post(handlerstest.TaskPage(film)+"/keep", nil).Is(303).LeadsTo(handlerstest.TaskPage(film))
		film = h.Kept(t, film.ID)
		if again := p.Get(path).Is(200); again.Text != whole || again.Header.Get("Cache-Control") != "private, no-cache" {
			t.Errorf("%s: it comes back as %d bytes", name, len(again.Text))
		}
		if name == "all of them" {
			p.Get(fmt.Sprintf("/media/%d", cover.ID)).Is(200)
		}
		p.Get(handlerstest.TaskPage(film)).Is(200).Hides("Its file is missing", "Try once more").Shows(path)
		h.Stranger(t).Get(link).Is(200)
		if len(film.Media) != 2 {
			t.Fatalf("%s: it has %+v", name, film.Media)
		}
	}
}

// The file is lost, and no page has noticed that before Keep does.
func TestKeepFindsOutByItselfThatTheFileIsLost(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	film := h.MadeAndKept(t, p)
	video, _ := film.Video()
	p.Post(handlerstest.TaskPage(film)+"/keep", nil).Is(303)
	p.Get(handlerstest.TaskPage(film)).Is(200).Shows("Saved.")
	must(t, os.Remove(h.Blob(video)))
	p.Post(handlerstest.TaskPage(film)+"/keep", nil).Is(303)
	h.Kept(t, film.ID)
	p.Get(fmt.Sprintf("/media/%d", video.ID)).Is(200)
}

func TestALostFileIsAskedForOnceWhereItsLinkIsOld(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	film := h.MadeAndKept(t, p)
	video, _ := film.Video()
	fresh, err := h.Config.Media.File(t.Context(), video.Hash)
	must(t, err)
	content, err := io.ReadAll(fresh)
	must(t, err)
	must(t, fresh.Close())
	must(t, os.Remove(h.Blob(video)))
	h.Alter(t, film.ID, func(t *db.Task) {
		t.Results = []db.Result{{Kind: db.Video, URL: handlerstest.SandboxBase + "/files/no-longer.webm"}}
		t.DoneAt = t.DoneAt.Add(-time.Hour)
	})
	asked := h.Wire.Count("/api/ai/query")
	p.Post(handlerstest.TaskPage(film)+"/keep", nil).Is(303)
	film = h.Kept(t, film.ID)
	asked = h.Wire.Count("/api/ai/query") - asked
	if p.Get(fmt.Sprintf("/media/%d", video.ID)).Is(200).Text != string(content) || asked != 1 {
		t.Errorf("asked %d times; %+v", asked, film.Media)
	}
}

func TestAFileThatIsPutBackIsKept(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	film := h.KeptFilm(t, 1, "a paper boat")
	away := filepath.Join(t.TempDir(), "away")
	must(t, os.Rename(h.Blob(film.Media[0]), away))
	path := fmt.Sprintf("/media/%d", film.Media[0].ID)
	p.Get(path).Is(404)
	p.Get(handlerstest.TaskPage(film)).Is(200).Shows("Its file is missing")
	must(t, os.Rename(away, h.Blob(film.Media[0])))
	p.Get(handlerstest.TaskPage(film)).Is(200).Hides("Its file is missing").Shows(path)
	p.Get(path).Is(200)
}

func TestALostCoverIsDrawnAgain(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	film := h.KeptFilm(t, 1, "a paper boat")
	cover := film.Media[1]
	must(t, os.Truncate(h.Blob(cover), 3))
	path := fmt.Sprintf("/media/%d", cover.ID)
	p.Get(path).Is(404)
	p.Get("/gallery").Is(200).Has(fmt.Sprintf(`[data-poster="/tasks/%d/poster"]`, film.ID)).Hides("File missing", path)
	if at := p.SendPoster(t, film.ID, handlerstest.FrameOf(t, 64, 36)).Is(204).Header.Get("Location"); at != path {
		t.Errorf("it is at %s, was at %s", at, path)
	}
	p.Get(path).Is(200)
	p.Get("/gallery").Is(200).Shows(fmt.Sprintf(`src=%q`, path)).Hides("data-poster")
}

func TestArchiveNamesAFileThatIsCut(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	film := h.KeptFilm(t, 1, "a paper boat")
	must(t, os.Truncate(h.Blob(film.Media[0]), 1))
	archive := p.Get(fmt.Sprintf("/tasks/download?id=%d", film.ID)).Is(200).Text
	if missing := handlerstest.Unzip(t, archive)["MISSING.txt"]; !strings.Contains(missing, "missing") {
		t.Errorf("it says %q", missing)
	}
}

// A disk that fails to say what it has loses no file.
func TestADiskThatCannotBeReadNowLosesNoFile(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	film := h.KeptFilm(t, 1, "a paper boat")
	shelf, away := filepath.Dir(h.Blob(film.Media[0])), filepath.Join(t.TempDir(), "away")
	must(t, os.Rename(shelf, away))
	must(t, os.Symlink(shelf, shelf)) // a loop: neither there nor missing
	p.Get(handlerstest.TaskPage(film)).Is(200).Hides("Its file is missing")
	must(t, os.Remove(shelf))
	must(t, os.Rename(away, shelf))
	p.Get("/gallery").Is(200).Hides("File missing")
	p.Get(fmt.Sprintf("/media/%d", film.Media[0].ID)).Is(200)
}
