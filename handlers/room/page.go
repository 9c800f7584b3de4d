package room

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/media/splice"
	"dailies/handlers/site"
	"dailies/views/part"
	roomview "dailies/views/room"
	"dailies/web"
	"dailies/web/picture"
)

// Show shows the page behind a link, or the form for its password.
func (h *Room) Show(w http.ResponseWriter, r *http.Request, link gallery.Share) error {
	if !h.isIn(r, link) {
		return h.showPassword(w, r, http.StatusOK, link, "")
	}
	q := r.URL.Query()
	at := gallery.Opening{File: site.ParseID(q.Get("video")), Task: site.ParseID(q.Get("take")), After: site.ParseID(q.Get("after"))}
	page, tasks, err := h.page(r, link, at)
	if errors.Is(err, db.ErrNotFound) {
		return ended(w, r)
	}
	if err != nil {
		return err
	}
	if page.Start(q.Get("video")); q.Has("take") {
		page.StartWith(at.Task)
	}
	if at.After != 0 && web.IsPartial(r) {
		return web.Fragment(w, r, http.StatusOK, roomview.More(page))
	}
	h.readFiles(r, &page, tasks)
	if err := h.fillDiscussion(r, link, &page); err != nil {
		return err
	}
	return web.Fragment(w, r, http.StatusOK, roomview.Show(page))
}

// draw shows the page with the video, and what change does to it; a script gets the notes and
// the form for an answer alone.
func (h *Room) draw(w http.ResponseWriter, r *http.Request, status int, link gallery.Share, taskID int64,
	change func(*roomview.Page)) error {
	page, tasks, err := h.page(r, link, gallery.Opening{Task: taskID})
	if err != nil {
		return err
	}
	if page.StartWith(taskID); !web.IsPartial(r) {
		h.readFiles(r, &page, tasks)
	}
	if err := h.fillDiscussion(r, link, &page); err != nil {
		return err
	}
	change(&page)
	return web.PageStatus(w, r, status, roomview.Show(page), roomview.Said(page))
}

// State answers an open page that asks whether its link still works: 204 as long as
// nothing has changed. With "seen", the Mark of the page, it also says whether the link
// shows something else meanwhile.
func (h *Room) State(w http.ResponseWriter, r *http.Request, link gallery.Share) error {
	seen := r.URL.Query().Get("seen")
	if seen == "" {
		return web.NothingNew(w)
	}
	page, _, err := h.page(r, link, gallery.Opening{})
	if errors.Is(err, db.ErrNotFound) {
		return ended(w, r)
	}
	if err != nil {
		return err
	}
	if page.Mark() == seen {
		return web.NothingNew(w)
	}
	return web.Fragment(w, r, http.StatusOK, roomview.ShowChanged(page.Path))
}

// page returns the page for the link, without anything else that is known about the
// videos, and the videos on it. It reads no files. It returns db.ErrNotFound if the link shows
// nothing any more.
func (h *Room) page(r *http.Request, link gallery.Share, at gallery.Opening) (roomview.Page, []db.Task, error) {
	s, videos, err := h.links.OpenShare(r.Context(), link.Token, at, db.Now())
	if err != nil {
		return roomview.Page{}, nil, err
	}
	page := roomview.Page{
		Title: s.Title, Welcome: s.Welcome, Target: s.Target(), Path: roomview.Path(s.Token), Locked: s.Password != "",
		Download: s.Download,
		Address:  h.shares.ShareAddress(r, s),
		Total:    len(videos.IDs), From: videos.From, Last: videos.Last(), Files: videos.Files,
	}
	if page.Sender, err = h.senderOf(r.Context(), s); err != nil {
		return page, nil, err
	}
	takes, err := h.links.TakesOn(r.Context(), s, videos, db.Now())
	if err != nil {
		return page, nil, err
	}
	tasks := slices.Clone(videos.Tasks)
	for i, t := range tasks {
		all, first := []db.Task(nil), t
		if of, ok := takes[t.ID]; ok {
			all, first = of.Tasks, of.Tasks[of.First]
		}
		tasks[i] = first
		page.Add(clipOf(s, first), clipsOf(s, all))
	}
	switch page.Target {
	case gallery.OfStory:
		return page, tasks, h.fillCuts(r.Context(), page)
	case gallery.OfCollection:
		c, err := h.collections.Collection(r.Context(), s.CreatedBy, s.CollectionID)
		page.Name, page.Note = c.Name, c.Note
		return page, tasks, err
	}
	return page, tasks, nil
}

// readFiles fills in what is only known from the files: the times of cuts, and what other
// programs show for a link without a password.
func (h *Room) readFiles(r *http.Request, page *roomview.Page, tasks []db.Task) {
	for i, t := range tasks {
		h.cut(r.Context(), &page.Clips[i])
		if cover, ok := t.Cover(); ok && page.Preview.Image == "" && !page.Locked {
			page.Preview = h.preview(r, cover, page.Clips[i].Cover)
		}
	}
	if page.Target == gallery.OfVideo && !page.Locked {
		page.Preview.Video, page.Preview.VideoType = h.network.Origin(r)+page.Clips[0].Video, page.Clips[0].Type
	}
}

func clipsOf(link gallery.Share, takes []db.Task) (clips []roomview.Clip) {
	for _, t := range takes {
		clips = append(clips, clipOf(link, t))
	}
	return clips
}

// Compare shows two takes side by side: those that the query names, or the one with which the
// page begins and the one before.
func (h *Room) Compare(w http.ResponseWriter, r *http.Request, link gallery.Share) error {
	var ids []int64
	for _, text := range r.URL.Query()["take"] {
		ids = append(ids, site.ParseID(text))
	}
	page, tasks, err := h.page(r, link, gallery.Opening{Task: append(ids, 0)[0]})
	if at := slices.IndexFunc(page.Files, func(f gallery.ShownFile) bool { return f.Of != 0 }); err == nil && len(ids) == 0 && at >= 0 {
		page, tasks, err = h.page(r, link, gallery.Opening{Task: page.Files[at].TaskID})
	}
	if err != nil {
		return err
	}
	if !page.Compare(ids) {
		return web.NotFound()
	}
	h.readFiles(r, &page, tasks)
	if err := h.fillDiscussion(r, link, &page); err != nil {
		return err
	}
	page.Discussion = part.Discussion{Form: new(part.NoteForm)} // the notes are about one take
	if page.Verdict != nil {
		page.Verdict.Composed = false
	}
	return web.Fragment(w, r, http.StatusOK, roomview.ShowCompare(page))
}

// clipOf returns what guests of the link see of the video.
func clipOf(link gallery.Share, t db.Task) roomview.Clip {
	video, _ := t.Video()
	clip := roomview.Clip{
		ID: strconv.FormatInt(video.ID, 10), Video: roomview.MediaPath(link.Token, video.ID), Hash: video.Hash,
		Size: video.Size, TaskID: t.ID, Type: video.Type, Shape: part.RatioClass(t.Options.AspectRatio), Seconds: t.Options.Duration,
		Width: video.Width, Height: video.Height, Film: video.Film,
	}
	if cover, ok := t.Cover(); ok {
		clip.Cover = roomview.MediaPath(link.Token, cover.ID)
		clip.Thumb = clip.Cover
	}
	if thumb, ok := t.Thumb(); ok {
		clip.Thumb = roomview.MediaPath(link.Token, thumb.ID)
	}
	return clip
}

// fillCuts fills in which frames of each clip, and of each take, are shown. A take is shown whole
// unless it was cut itself: the cut of another one would fall on other frames.
func (h *Room) fillCuts(ctx context.Context, page roomview.Page) error {
	var clips []*roomview.Clip
	for i := range page.Clips {
		clips = append(clips, &page.Clips[i])
		for n := range page.Takes[i] {
			clips = append(clips, &page.Takes[i][n])
		}
	}
	var ids []int64
	for _, c := range clips {
		ids = append(ids, c.TaskID)
	}
	cuts, err := h.lineage.Cuts(ctx, ids)
	for _, c := range clips {
		c.First, c.Last = cuts[c.TaskID].Start, cuts[c.TaskID].Finish
	}
	return err
}

// cut fills in at which times the frames begin and end that are shown, if the clip was cut.
func (h *Room) cut(ctx context.Context, clip *roomview.Clip) {
	if clip.First == 0 && clip.Last == 0 {
		return
	}
	if err := h.readCut(ctx, clip); err != nil {
		h.log.Debug("a scene cannot be cut", "task", clip.TaskID, "err", err)
	}
}

func (h *Room) readCut(ctx context.Context, clip *roomview.Clip) error {
	file, err := h.media.Whole(ctx, clip.Hash, clip.Size)
	if err != nil {
		return err
	}
	defer file.Close()
	film, err := splice.Read(file, clip.Size)
	if err != nil {
		return err
	}
	c := film.Part(clip.First, clip.Last)
	clip.From, clip.To = film.Time(c.From), film.Time(c.To)
	return nil
}

// preview returns the cover that other programs show where the link is posted. There is none if
// the file cannot be read; if its size is unknown, the preview has no size.
func (h *Room) preview(r *http.Request, cover db.Media, address string) roomview.Preview {
	p := roomview.Preview{Image: h.network.Origin(r) + address, ImageType: cover.Type}
	file, err := h.media.Picture(r.Context(), cover.Hash, cover.Size)
	if err != nil {
		return roomview.Preview{}
	}
	defer file.Close()
	if size, err := picture.Inspect(file); err == nil {
		p.Width, p.Height = size.Width, size.Height
	}
	return p
}
