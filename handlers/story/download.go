package story

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"

	"dailies/db"
	"dailies/handlers/site"
	"dailies/web"
)

// Archive streams the scenes of a storyline as one zip archive: numbered, with a
// playlist, and with a list from which ffmpeg can join them.
func (h *Story) Archive(w http.ResponseWriter, r *http.Request) error {
	_, line, err := h.lists.NamedStoryline(r)
	if err != nil {
		return err
	}
	scenes := line.Scenes
	if len(scenes) == 0 {
		return web.NotFound()
	}
	return site.Stream(h.log, w, "application/zip", storyName(scenes[0])+".zip", func(w io.Writer) error {
		return h.writeArchive(r.Context(), w, scenes)
	})
}

// storyName returns the file name of a storyline that begins with the video, without an
// extension.
func storyName(first db.Task) string {
	return db.FileName(fmt.Sprintf("dailies-storyline-%d", first.ID), first.Heading())
}

// writeArchive streams the archive. Scenes whose file is missing are left out of the lists and
// named in a text file.
func (h *Story) writeArchive(ctx context.Context, w io.Writer, scenes []db.Task) error {
	archive := zip.NewWriter(w)
	playlist, joined, missing := "#EXTM3U\n", "ffconcat version 1.0\n", ""
	for i, t := range scenes {
		m, _ := t.Video()
		name := fmt.Sprintf("%02d %s", i+1, m.Name(t.Heading()))
		err := site.ArchiveVideo(ctx, archive, h.media, m, name)
		if errors.Is(err, fs.ErrNotExist) {
			h.log.Error("a kept file is missing", "media", m.ID, "err", err)
			missing += sceneFileMissing(i+1, name)
			continue
		}
		if err != nil {
			return err
		}
		playlist += fmt.Sprintf("#EXTINF:%d,%s\n%s\n", t.Options.Duration, strings.Join(strings.Fields(t.Heading()), " "), name)
		joined += fmt.Sprintf("file '%s'\n", strings.ReplaceAll(name, "'", `'\''`))
	}
	lists := map[string]string{"storyline.m3u": playlist, "concat.txt": joined, "MISSING.txt": missing}
	for _, name := range []string{"storyline.m3u", "concat.txt", "MISSING.txt"} {
		if lists[name] == "" {
			continue
		}
		entry, err := archive.Create(name)
		if err == nil {
			_, err = io.WriteString(entry, lists[name])
		}
		if err != nil {
			return err
		}
	}
	return archive.Close()
}
