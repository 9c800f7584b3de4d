package story

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/url"
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
	scenes []scene
	out    []scene // those that were left out
	files  []io.Closer
	label  func(number string) string // returns the team's label for a film; nil if the team has none
}

// A scene is a video of a storyline and the part of it that is shown.
type scene struct {
	db.Task
	cut splice.Cut // its Clip is nil if the file is missing or cannot be parsed
}

// maxPackets limits the packets of all scenes of a film; each takes a quarter of a
// kilobyte of memory. The limit amounts to hours of video. Scenes beyond it cannot be
// cut.
const maxPackets = 1 << 19

// openReel opens the storyline of the video in the path. The caller must close the reel.
func (h *Story) openReel(r *http.Request) (*reel, error) {
	t, line, err := h.lists.NamedStoryline(r)
	if err != nil {
		return nil, err
	}
	labels, err := h.settings.Labels(r.Context())
	if err != nil {
		return nil, err
	}
	reel := &reel{id: t.ID}
	if labels.Producer != "" {
		reel.label = labels.Label
	}
	left := maxPackets
	for _, t := range slices.Concat(line.Scenes, line.Out) {
		clip, err := reel.read(r.Context(), h.media, t)
		if err == nil {
			if left -= clip.Packets(); left < 0 {
				clip, err = nil, splice.ErrUnsupported
			}
		}
		if err != nil {
			h.log.Debug("a scene cannot be cut", "task", t.ID, "err", err)
		}
		kept := line.Cuts[t.ID]
		s := scene{t, clip.Part(kept.Start, kept.Finish)}
		if kept.Out {
			reel.out = append(reel.out, s)
		} else {
			reel.scenes = append(reel.scenes, s)
		}
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

// finish returns the frame at which the scene's cut ends, 0 for the end of the video.
func (s scene) finish() int {
	if c := s.cut; c.Clip != nil && c.To < c.Clip.Frames() {
		return c.To
	}
	return 0
}

// view returns the page's data about the scene.
func (s scene) view(card part.Card) libraryview.Scene {
	c := s.cut
	if c.Clip == nil {
		return libraryview.Scene{Card: card}
	}
	v := libraryview.Scene{
		Card: card, Frames: c.Clip.Frames(), Start: c.From, Finish: c.To,
		From: c.Clip.Time(c.From), To: c.Clip.Time(c.To), Begin: c.Clip.Time(0), End: c.Clip.Time(c.Clip.Frames()),
	}
	if keys := c.Clip.Keys(); len(keys) < v.Frames {
		v.Keys = keys
	}
	return v
}

// arrange applies what the form says: the order, the cuts, and which scenes are left out.
// It returns a sentence for each start that was not at a key frame and was moved. Scenes
// that the form does not name follow at the end, in their previous order. One scene at
// least stays.
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
	all, out := slices.Concat(rl.scenes, rl.out), rl.leftOut(form)
	for k, s := range all {
		i, named := place[s.ID]
		if !named {
			place[s.ID] = len(form["scene"]) + k
			continue
		}
		if s.cut.Clip == nil {
			continue
		}
		start := max(0, at("first", i)-1)
		c := s.cut.Clip.Part(start, at("last", i))
		if all[k].cut = c; c.From != start && !out[s.ID] {
			notes = append(notes, snapped(i+1, c, start))
		}
	}
	slices.SortStableFunc(all, func(a, b scene) int { return place[a.ID] - place[b.ID] })
	rl.scenes, rl.out = nil, nil
	for _, s := range all {
		if out[s.ID] {
			rl.out = append(rl.out, s)
		} else {
			rl.scenes = append(rl.scenes, s)
		}
	}
	for step, name := range map[int]string{-1: "earlier", 1: "later"} {
		id := site.ParseID(form.Get(name))
		k := slices.IndexFunc(rl.scenes, func(s scene) bool { return s.ID == id })
		if to := k + step; k >= 0 && to >= 0 && to < len(rl.scenes) {
			rl.scenes[k], rl.scenes[to] = rl.scenes[to], rl.scenes[k]
		}
	}
	return notes
}

// leftOut returns which scenes the form leaves out. Those that it does not mention stay as
// they are, and so do all if none would be left.
func (rl *reel) leftOut(form url.Values) map[int64]bool {
	before, out := map[int64]bool{}, map[int64]bool{}
	for _, s := range rl.out {
		before[s.ID], out[s.ID] = true, true
	}
	for _, text := range form["scene"] {
		out[site.ParseID(text)] = false
	}
	for _, text := range form["out"] {
		out[site.ParseID(text)] = true
	}
	for _, text := range form["back"] {
		out[site.ParseID(text)] = false
	}
	for _, s := range slices.Concat(rl.scenes, rl.out) {
		if !out[s.ID] {
			return out
		}
	}
	return before
}

// snapped says that scene n begins at another frame than start, because only a key frame
// can come first.
func snapped(n int, c splice.Cut, start int) string {
	keys, next := c.Clip.Keys(), 0
	if i := slices.Index(keys, c.From); i+1 < len(keys) {
		next = keys[i+1] + 1
	}
	return libraryview.CannotStart(n, c.From+1, next)
}

// join returns the scenes joined to one film, or nil if they do not fit together.
func (rl *reel) join() *splice.Film {
	var clips []*splice.Clip
	var cuts []splice.Cut
	for _, s := range rl.scenes {
		if s.cut.Clip == nil {
			return nil
		}
		clips, cuts = append(clips, s.cut.Clip), append(cuts, s.cut)
	}
	if splice.Compare(clips) != nil {
		return nil
	}
	label := ""
	if rl.label != nil {
		label = rl.label(rl.number())
	}
	film, err := splice.JoinLabelled(cuts, label)
	if err != nil {
		return nil // together they are too long for one film
	}
	return film
}

// number returns the number of the film in the team's label: the same for the same cuts of
// the same files.
func (rl *reel) number() string {
	sum := sha256.New()
	for _, s := range rl.scenes {
		m, _ := s.Video()
		fmt.Fprintln(sum, m.Hash, s.cut.From, s.cut.To)
	}
	return fmt.Sprintf("film-%d-%x", rl.scenes[0].ID, sum.Sum(nil)[:8])
}

// film returns the page's data about the download.
func (rl *reel) film() libraryview.StoryFilm {
	f := libraryview.StoryFilm{ID: rl.id}
	if len(rl.scenes) == 0 {
		return f
	}
	f.Misfits, f.Signed = rl.misfits(), rl.signed()
	if film := rl.join(); film != nil {
		f.Frames, f.Length, f.Bytes, f.Kind = film.Frames, film.Length.Round(10*time.Millisecond), film.Size, string(film.Container)
	}
	return f
}

// signed reports whether a scene has Content Credentials.
func (rl *reel) signed() bool {
	return slices.ContainsFunc(rl.scenes, func(s scene) bool { return s.cut.Clip != nil && s.cut.Clip.Marks().Credentials })
}

// Film streams the storyline as one film, or redirects to the archive if the scenes
// cannot be joined.
func (h *Story) Film(w http.ResponseWriter, r *http.Request) error {
	reel, err := h.openReel(r)
	if err != nil {
		return err
	}
	defer reel.close()
	if len(reel.scenes) == 0 {
		return web.NotFound()
	}
	film := reel.join()
	if film == nil {
		return web.SeeOther(w, r, fmt.Sprintf("/story/%d/download", reel.id))
	}
	w.Header().Set("Content-Length", strconv.FormatInt(film.Size, 10))
	name := storyName(reel.scenes[0].Task) + "." + strings.ToLower(string(film.Container))
	return site.Stream(h.log, w, film.Type(), name, func(w io.Writer) error {
		_, err := film.WriteTo(w)
		return err
	})
}

// misfits returns, for each scene that does not fit the others, why not. The others are
// those of which most agree, or else the ones that agree with the first scene.
func (rl *reel) misfits() []libraryview.Misfit {
	kinds := map[*splice.Clip]int{} // how many scenes agree with the clip, the first of its kind
	of := make([]*splice.Clip, len(rl.scenes))
	var most *splice.Clip
	for i, s := range rl.scenes {
		if s.cut.Clip == nil {
			continue
		}
		of[i] = s.cut.Clip
		for j := range i {
			if of[j] != nil && splice.Compare([]*splice.Clip{of[j], s.cut.Clip}) == nil {
				of[i] = of[j]
				break
			}
		}
		kinds[of[i]]++
	}
	for _, clip := range of {
		if clip != nil && (most == nil || kinds[clip] > kinds[most]) {
			most = clip
		}
	}
	var misfits []libraryview.Misfit
	for i, s := range rl.scenes {
		m := libraryview.Misfit{ID: s.ID, Scene: i + 1}
		switch {
		case s.cut.Clip == nil && len(rl.scenes) > 0:
			m.Kind = libraryview.WrongFile
		case s.cut.BeginsWithin():
			m.Kind = libraryview.WrongStart
			if keys := s.cut.Clip.Keys(); len(keys) > 1 {
				m.Frame = keys[1] + 1
			}
		case of[i] != most:
			d := splice.Compare([]*splice.Clip{most, s.cut.Clip})
			m.First, m.Other = d.First, d.Other
			m.Kind = map[splice.Aspect]libraryview.MisfitKind{
				splice.InContainer: libraryview.WrongContainer, splice.InCodec: libraryview.WrongPictures,
				splice.InSize: libraryview.WrongSize, splice.InConfig: libraryview.WrongPictures, splice.InAudio: libraryview.WrongSound,
			}[d.Aspect]
			if d.Aspect == splice.InSize && shape(most) != shape(s.cut.Clip) {
				m.Kind, m.First, m.Other = libraryview.WrongShape, shape(most), shape(s.cut.Clip)
			}
		default:
			continue
		}
		misfits = append(misfits, m)
	}
	return misfits
}

// shape says how the clip lies: "wide", "upright" or "square".
func shape(c *splice.Clip) string {
	width, height := c.Size()
	return map[int]string{-1: "upright", 0: "square", 1: "wide"}[cmp.Compare(width, height)]
}
