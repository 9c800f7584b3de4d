package gallery

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"

	"dailies/db"
	"dailies/handlers/site"
)

// Download streams the chosen videos as one zip archive, each with a JSON file
// that says how it was made.
func (h *Gallery) Download(w http.ResponseWriter, r *http.Request) error {
	ids, err := site.ParseIDs(r.URL.Query()["id"])
	if err != nil {
		return err
	}
	tasks, err := h.search.TasksOf(r.Context(), site.Me(r).ID, ids)
	if err != nil || len(tasks) == 0 {
		return site.OrNotFound(err)
	}
	makings, err := h.makings(r, tasks)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("dailies-%d-videos.zip", len(tasks))
	if len(tasks) == 1 {
		name = db.FileName(fmt.Sprintf("dailies-%d", tasks[0].ID), tasks[0].Heading()) + ".zip"
	}
	return site.Stream(h.log, w, "application/zip", name, func(w io.Writer) error {
		return h.writeArchive(r.Context(), w, tasks, makings)
	})
}

// DownloadMaking sends a JSON file that says how the video was made.
func (h *Gallery) DownloadMaking(w http.ResponseWriter, r *http.Request) error {
	t, err := h.named.Task(r)
	if err != nil {
		return err
	}
	makings, err := h.makings(r, []db.Task{t})
	if err != nil {
		return err
	}
	site.Attach(w, "application/json", recipeName(t))
	return writeJSON(w, makings[0])
}

// makings returns how the tasks were made, without parents that the viewer may not see.
func (h *Gallery) makings(r *http.Request, tasks []db.Task) ([]db.Making, error) {
	var parents []int64
	for _, t := range tasks {
		if t.ParentID != 0 {
			parents = append(parents, t.ParentID)
		}
	}
	visible, err := h.search.TasksOf(r.Context(), site.Me(r).ID, parents)
	if err != nil {
		return nil, err
	}
	seen := map[int64]bool{}
	for _, t := range visible {
		seen[t.ID] = true
	}
	makings := make([]db.Making, len(tasks))
	for i, t := range tasks {
		makings[i] = db.MakingOf(t, seen[t.ParentID])
	}
	return makings, nil
}

// writeArchive streams the archive, so that a video is never in memory as a whole. Videos
// whose file is missing are listed in a text file in the archive.
func (h *Gallery) writeArchive(ctx context.Context, w io.Writer, tasks []db.Task, makings []db.Making) error {
	archive := zip.NewWriter(w)
	var missing strings.Builder
	for i, t := range tasks {
		if _, here := t.Video(); !here {
			missing.WriteString(videoNotSaved(t))
		}
		for _, m := range t.Media {
			if m.Kind != db.Video {
				continue
			}
			err := site.ArchiveVideo(ctx, archive, h.media, m, m.Name(t.Heading()))
			if errors.Is(err, fs.ErrNotExist) {
				h.log.Error("a kept file is missing", "media", m.ID, "err", err)
				missing.WriteString(videoFileMissing(t, m.Name(t.Heading())))
			} else if err != nil {
				return err
			}
		}
		entry, err := archive.CreateHeader(&zip.FileHeader{Name: recipeName(t), Method: zip.Deflate, Modified: t.CreatedAt})
		if err == nil {
			err = writeJSON(entry, makings[i])
		}
		if err != nil {
			return err
		}
	}
	if missing.Len() > 0 {
		entry, err := archive.Create("MISSING.txt")
		if err == nil {
			_, err = io.WriteString(entry, missing.String())
		}
		if err != nil {
			return err
		}
	}
	return archive.Close()
}

// recipeName returns the name of the JSON file beside a video.
func recipeName(t db.Task) string {
	return db.FileName(fmt.Sprintf("dailies-%d", t.ID), t.Heading()) + ".json"
}

func writeJSON(w io.Writer, v any) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(v)
}
