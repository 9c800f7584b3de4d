package library

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/media/splice"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/views/part"
	"dailies/web"
)

// A reel holds the scenes of a storyline with their open files and their cuts.
type reel struct {
	id     int64 // ID of the video whose page led to the storyline
	scenes []db.Task
	cuts   []splice.Cut // Clip is nil if the file is missing or cannot be parsed
	files  []io.Closer
}

// maxPackets limits the packets of all scenes of a film; each takes a quarter of a
// kilobyte of memory. The limit amounts to hours of video. Scenes beyond it cannot be
// cut.
const maxPackets = 1 << 19

// open opens the storyline of the video in the path. The caller must close the reel.
func (h *reels) open(r *http.Request) (*reel, error) {
	t, scenes, err := h.scenes.namedIn(r)
	if err != nil {
		return nil, err
	}
	reel := &reel{id: t.ID, scenes: scenes}
	var ids []int64
	for _, t := range reel.scenes {
		ids = append(ids, t.ID)
	}
	kept, err := h.lineage.Cuts(r.Context(), ids)
	if err != nil {
		return nil, err
	}
	left := maxPackets
	for _, t := range reel.scenes {
		clip, err := reel.read(r.Context(), h.media, t)
		if err == nil {
			if left -= clip.Packets(); left < 0 {
				clip, err = nil, splice.ErrUnsupported
			}
		}
		if err != nil {
			h.log.Debug("a scene cannot be cut", "task", t.ID, "err", err)
		}
		reel.cuts = append(reel.cuts, cut(clip, kept[t.ID].Start, kept[t.ID].Finish))
	}
	return reel, nil
}

// read opens and parses the file of a scene. The file stays open until the reel is
// closed.
func (rl *reel) read(ctx context.Context, media *media.Store, t db.Task) (*splice.Clip, error) {
	m, _ := t.Video()
	file, err := media.Whole(ctx, m.Hash, m.Size)
	if err != nil {
		return nil, err
	}
	rl.files = append(rl.files, file)
	return splice.Read(file, m.Size)
}

func (rl *reel) close() {
	for _, f := range rl.files {
		_ = f.Close() // the files were only read
	}
}

// cut returns the frames of the clip from start up to, but not including, finish, and
// at least one. It begins at the last key frame that is not after start. A finish
// outside the clip means the clip's end.
func cut(clip *splice.Clip, start, finish int) splice.Cut {
	if clip == nil {
		return splice.Cut{}
	}
	if finish <= 0 || finish > clip.Frames() {
		finish = clip.Frames()
	}
	return splice.Cut{Clip: clip, From: clip.Key(max(0, min(start, finish-1))), To: finish}
}

// finish returns the frame at which the scene's cut ends, 0 for the end of the video.
func (rl *reel) finish(i int) int {
	if c := rl.cuts[i]; c.Clip != nil && c.To < c.Clip.Frames() {
		return c.To
	}
	return 0
}

// scene returns the page's data about a scene.
func (rl *reel) scene(i int, card part.Card) libraryview.Scene {
	c := rl.cuts[i]
	if c.Clip == nil {
		return libraryview.Scene{Card: card}
	}
	s := libraryview.Scene{Card: card, Frames: c.Clip.Frames(), Start: c.From, Finish: c.To, From: c.Clip.Time(c.From), To: c.Clip.Time(c.To)}
	if keys := c.Clip.Keys(); len(keys) < s.Frames {
		s.Keys = keys
	}
	s.Begin, s.End = c.Clip.Time(0), c.Clip.Time(s.Frames)
	return s
}

// arrange applies the order and the cuts in the form. It returns a sentence for each
// start that was not at a key frame and was moved. Scenes that the form does not name
// follow at the end, in their previous order.
func (rl *reel) arrange(r *http.Request) (notes []string) {
	_ = r.PostFormValue("scene") // parses the form
	form := r.PostForm
	at := func(name string, i int) int {
		if i >= len(form[name]) {
			return 0
		}
		n, _ := strconv.Atoi(form[name][i])
		return n
	}
	place := map[int64]int{}
	for i, text := range form["scene"] {
		place[site.ParseID(text)] = i
	}
	for k, t := range rl.scenes {
		i, named := place[t.ID]
		if !named || rl.cuts[k].Clip == nil {
			continue
		}
		start := max(0, at("first", i)-1)
		c := cut(rl.cuts[k].Clip, start, at("last", i))
		if rl.cuts[k] = c; c.From != start {
			notes = append(notes, fmt.Sprintf("Scene %d begins with frame %d: only a key frame can come first.", i+1, c.From+1))
		}
	}
	order := make([]int, len(rl.scenes))
	for k, t := range rl.scenes {
		order[k] = k
		if _, named := place[t.ID]; !named {
			place[t.ID] = len(form["scene"]) + k
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return place[rl.scenes[a].ID] - place[rl.scenes[b].ID] })
	for step, name := range map[int]string{-1: "earlier", 1: "later"} {
		id := site.ParseID(form.Get(name))
		k := slices.IndexFunc(order, func(k int) bool { return rl.scenes[k].ID == id })
		if to := k + step; k >= 0 && to >= 0 && to < len(order) {
			order[k], order[to] = order[to], order[k]
		}
	}
	scenes, cuts := make([]db.Task, len(order)), make([]splice.Cut, len(order))
	for i, k := range order {
		scenes[i], cuts[i] = rl.scenes[k], rl.cuts[k]
	}
	rl.scenes, rl.cuts = scenes, cuts
	return notes
}

// join returns the scenes joined to one film, or a sentence why they cannot be joined.
func (rl *reel) join() (film *splice.Film, why string) {
	var clips []*splice.Clip
	for i, c := range rl.cuts {
		if c.Clip == nil {
			return nil, fmt.Sprintf("The scenes come as a ZIP archive, because the file of scene %d is missing or of a kind that cannot be joined.", i+1)
		}
		clips = append(clips, c.Clip)
	}
	if d := splice.Compare(clips); d != nil {
		return nil, differs(d)
	}
	film, err := splice.Join(rl.cuts)
	if errors.Is(err, splice.ErrUnsupported) {
		return nil, "The scenes come as a ZIP archive, because together they are too long for one film."
	}
	if err != nil {
		return nil, "There is nothing to join."
	}
	return film, ""
}

// differs returns a sentence that says why the scenes cannot be joined.
func differs(d *splice.Difference) string {
	n := d.Clip + 1
	switch {
	case d.Aspect == splice.InContainer:
		return fmt.Sprintf("The scenes come as a ZIP archive, because scene %d is in a file of the kind %s, and scene 1 of the kind %s.", n, d.Other, d.First)
	case d.Aspect == splice.InCodec:
		return fmt.Sprintf("The scenes come as a ZIP archive, because the pictures of scene %d are in %s, and those of scene 1 in %s.", n, d.Other, d.First)
	case d.Aspect == splice.InSize:
		return fmt.Sprintf("The scenes come as a ZIP archive, because scene %d has %s pixels, and scene 1 has %s.", n, d.Other, d.First)
	case d.Aspect == splice.InConfig:
		return fmt.Sprintf("The scenes come as a ZIP archive, because scene %d was encoded with other settings than scene 1, though both are in %s.", n, d.First)
	case d.Other == "":
		return fmt.Sprintf("The scenes come as a ZIP archive, because scene %d has no sound, and scene 1 has.", n)
	case d.First == "":
		return fmt.Sprintf("The scenes come as a ZIP archive, because scene %d has sound, and scene 1 has none.", n)
	case d.First == d.Other:
		return fmt.Sprintf("The scenes come as a ZIP archive, because the sound of scene %d was encoded with other settings than that of scene 1, though both are in %s.", n, d.First)
	}
	return fmt.Sprintf("The scenes come as a ZIP archive, because the sound of scene %d is in %s, and that of scene 1 in %s.", n, d.Other, d.First)
}

// film returns the page's data about the download.
func (rl *reel) film() libraryview.StoryFilm {
	f := libraryview.StoryFilm{ID: rl.id}
	if len(rl.scenes) == 0 {
		return f
	}
	film, why := rl.join()
	if f.Why = why; film != nil {
		f.Frames, f.Length, f.Bytes, f.Kind = film.Frames, film.Length.Round(10*time.Millisecond), film.Size, string(film.Container)
	}
	return f
}

// Film streams the storyline as one film, or redirects to the archive if the scenes
// cannot be joined.
func (h *StoryDownloads) Film(w http.ResponseWriter, r *http.Request) error {
	reel, err := h.reels.open(r)
	if err != nil {
		return err
	}
	defer reel.close()
	if len(reel.scenes) == 0 {
		return web.NotFound()
	}
	film, why := reel.join()
	if why != "" {
		return web.SeeOther(w, r, fmt.Sprintf("/story/%d/download", reel.id))
	}
	w.Header().Set("Content-Length", strconv.FormatInt(film.Size, 10))
	name := storyName(reel.scenes) + "." + strings.ToLower(string(film.Container))
	return stream(h.log, w, film.Type(), name, func(w io.Writer) error {
		_, err := film.WriteTo(w)
		return err
	})
}
