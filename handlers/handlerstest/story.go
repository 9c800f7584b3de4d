package handlerstest

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/web/videoapi/sandbox/film"
)

// Story stores the films as consecutive scenes of a storyline.
func Story(t *testing.T, h *Server, films ...[]byte) (ids []int64) {
	t.Helper()
	var last db.Task
	for i, content := range films {
		kind := "video/webm"
		if bytes.HasPrefix(content[4:], []byte("ftyp")) {
			kind = "video/mp4"
		}
		kept, next := h.File(t, db.Video, kind, content), After(last, fmt.Sprintf("part %d", i+1))
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

// After returns a change that makes the task the next scene after parent.
func After(parent db.Task, prompt string) func(*db.Task) {
	return func(t *db.Task) {
		t.ParentID, t.Reuse, t.Prompt, t.Options.Duration = parent.ID, db.Continued, prompt, 5
	}
}

// Cuts returns the form of a storyline. Each scene is given as "id first last".
func Cuts(scenes ...string) url.Values {
	form := url.Values{}
	for _, s := range scenes {
		values := strings.Split(s, " ")
		for i, name := range []string{"scene", "first", "last"} {
			form.Add(name, values[i])
		}
	}
	return form
}

func StoryPath(id int64) string { return fmt.Sprintf("/story/%d", id) }

func TaskPage(t db.Task) string { return fmt.Sprintf("/tasks/%d", t.ID) }

// Rendered returns a video that the sandbox renders, one second long.
func Rendered(t *testing.T, prompt string, width int) []byte {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "film.webm"))
	must(t, err)
	defer file.Close()
	must(
		t,
		film.Film{Scene: film.TextToVideo, Prompt: prompt, Duration: time.Second, Width: width, Height: 48}.Render(t.Context(), file, nil),
	)
	b, err := os.ReadFile(file.Name())
	must(t, err)
	return b
}

// Encoded returns an MP4 file of 12 frames, of which the first and the seventh are key
// frames.
func Encoded(t *testing.T) []byte {
	t.Helper()
	b, err := os.ReadFile("../../db/media/splice/testdata/plain.mp4")
	must(t, err)
	return b
}

// Unzip returns the contents of an archive's files by name.
func Unzip(t *testing.T, archive string) map[string]string {
	t.Helper()
	r, err := zip.NewReader(strings.NewReader(archive), int64(len(archive)))
	must(t, err)
	files := map[string]string{}
	for _, f := range r.File {
		in, err := f.Open()
		must(t, err)
		content, err := io.ReadAll(in)
		must(t, err)
		if _, twice := files[f.Name]; twice {
			t.Errorf("%q is in it twice", f.Name)
		}
		if strings.HasSuffix(f.Name, ".webm") && f.Method != zip.Store {
			t.Errorf("%q is compressed", f.Name)
		}
		files[f.Name] = string(content)
	}
	return files
}

// ContentCredentials is the box that holds Content Credentials in an MP4 file.
const ContentCredentials = "\x00\x00\x00\x1cuuid\xd8\xfe\xc3\xd6\x1b\x0e\x48\x3c\x92\x97\x58\x28\x87\x7e\xc4\x81\x00\x00\x00\x00"
