package share_test

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/handlers/handlerstest"
	"dailies/web/videoapi/sandbox/film"
)

// rendered returns a video that the sandbox renders, one second long.
func rendered(t *testing.T, prompt string, width int) []byte {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "film.webm"))
	must(t, err)
	defer file.Close()
	must(t, film.Film{Scene: film.TextToVideo, Prompt: prompt, Duration: time.Second, Width: width, Height: 48}.Render(t.Context(), file, nil))
	b, err := os.ReadFile(file.Name())
	must(t, err)
	return b
}

// story stores the films as consecutive scenes of a storyline.
func story(t *testing.T, h *handlerstest.Server, films ...[]byte) (ids []int64) {
	t.Helper()
	var last db.Task
	for i, content := range films {
		kind := "video/webm"
		if bytes.HasPrefix(content[4:], []byte("ftyp")) {
			kind = "video/mp4"
		}
		kept, next := h.File(t, db.Video, kind, content), after(last, fmt.Sprintf("part %d", i+1))
		last = h.Film(t, 1, func(t *db.Task) {
			next(t)
			if len(t.Media) > 0 { // the task is finished
				t.Media = []db.Media{kept}
			}
		})
		ids = append(ids, last.ID)
	}
	return ids
}

// cuts returns the form of a storyline. Each scene is given as "id first last".
func cuts(scenes ...string) url.Values {
	form := url.Values{}
	for _, s := range scenes {
		values := strings.Split(s, " ")
		for i, name := range []string{"scene", "first", "last"} {
			form.Add(name, values[i])
		}
	}
	return form
}

func storyPath(id int64) string { return fmt.Sprintf("/story/%d", id) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func taskPage(t db.Task) string { return fmt.Sprintf("/tasks/%d", t.ID) }

// after returns a change that makes the task the next scene after parent.
func after(parent db.Task, prompt string) func(*db.Task) {
	return func(t *db.Task) {
		t.ParentID, t.Reuse, t.Prompt, t.Options.Duration = parent.ID, db.Continued, prompt, 5
	}
}
