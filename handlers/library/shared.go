package library

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/media"
	"dailies/db/store/video"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/views/part"
	"dailies/web"
	"dailies/web/picture"
)

// Shared shows what a share link is for to anybody who opens the link.
type Shared struct {
	collections *video.Collections
	links       *video.Links
	previews    *previews
	scenes      *sharedScenes
	shares      *site.Shares
}

// previews describes links to other programs.
type previews struct {
	media   *media.Store
	network *site.Network
}

// sharedScenes finds out which parts of its scenes a storyline shows.
type sharedScenes struct {
	lineage *video.Lineage
	reels   *reels
}

// SharedFiles serves the files that a share link shows.
type SharedFiles struct {
	links   *video.Links
	media   *Media
	viewers *site.Viewers
}

// Show shows the page behind a link. All links that cannot be used get the same answer.
func (h *Shared) Show(w http.ResponseWriter, r *http.Request) error {
	header := w.Header()
	header.Set("X-Robots-Tag", "noindex, nofollow")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "private, no-store")
	s, tasks, err := h.links.OpenShare(r.Context(), r.PathValue("token"), db.Now())
	if errors.Is(err, db.ErrNotFound) {
		return web.Fragment(w, r, http.StatusNotFound, libraryview.ShowNoShare())
	}
	if err != nil {
		return err
	}
	page, err := h.page(r, s, tasks)
	if err != nil {
		return err
	}
	page.Start(r.URL.Query().Get("video"))
	return web.Fragment(w, r, http.StatusOK, libraryview.ShowShared(page))
}

// file returns the stored file that the request names, if its share link shows it.
func (h *SharedFiles) file(r *http.Request) (db.Media, error) {
	id, err := site.ID(r)
	token := r.URL.Query().Get("share")
	if err != nil || token == "" {
		return db.Media{}, db.ErrNotFound
	}
	return h.links.SharedMedia(r.Context(), token, id, db.Now())
}

// OrGuarded serves a file to a request with a share link that shows it. Other requests
// go through the guard, except that a request with a useless link and no session gets
// an error instead of a redirect to the sign-in page.
func (h *SharedFiles) OrGuarded(guarded web.Handler) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		m, err := h.file(r)
		if err == nil {
			file, err := h.media.open(r, m)
			if err != nil {
				return err
			}
			defer file.Close()
			header := w.Header()
			header.Set("X-Robots-Tag", "noindex, nofollow")
			header.Set("Referrer-Policy", "no-referrer")
			// The browser must revalidate the file each time, so that access ends with
			// the link.
			header.Set("Cache-Control", "private, max-age=0, must-revalidate")
			m.TaskID, m.Position = m.ID, 0 // keeps the video's ID out of the download's name
			return h.media.play(w, r, m, file, "")
		}
		if !errors.Is(err, db.ErrNotFound) {
			return err
		}
		if r.URL.Query().Has("share") {
			if _, err := h.viewers.Viewer(r); err != nil {
				return err
			}
		}
		return guarded(w, r)
	}
}

// page returns the page for the link, without anything else that is known about the
// videos.
func (h *Shared) page(r *http.Request, s gallery.Share, tasks []db.Task) (libraryview.SharedPage, error) {
	page := libraryview.SharedPage{Title: s.Title, Address: h.shares.ShareAddress(r, s), Until: s.ExpiresAt}
	for _, t := range tasks {
		video, _ := t.Video()
		clip := libraryview.SharedClip{
			ID: strconv.FormatInt(video.ID, 10), Video: sharedFile(s, video), Type: video.Type, Shape: part.RatioClass(t.Options.AspectRatio), Seconds: t.Options.Duration,
		}
		if cover, ok := t.Cover(); ok {
			clip.Cover, clip.Thumb = sharedFile(s, cover), sharedFile(s, cover)
			if page.Preview.Image == "" {
				page.Preview = h.previews.of(r, cover, clip.Cover)
			}
		}
		if thumb, ok := t.Thumb(); ok {
			clip.Thumb = sharedFile(s, thumb)
		}
		page.Clips = append(page.Clips, clip)
	}
	switch {
	case s.Story:
		page.Of = libraryview.OfStory
		return page, h.scenes.cut(r.Context(), tasks, page.Clips)
	case s.CollectionID != 0:
		page.Of = libraryview.OfCollection
		c, err := h.collections.Collection(r.Context(), s.CreatedBy, s.CollectionID)
		page.Name, page.Note = c.Name, c.Note
		return page, err
	}
	page.Preview.Video, page.Preview.VideoType = h.previews.network.Origin(r)+page.Clips[0].Video, page.Clips[0].Type
	return page, nil
}

// cut fills in which part of each clip is shown. Only scenes that were cut are read.
func (h *sharedScenes) cut(ctx context.Context, tasks []db.Task, clips []libraryview.SharedClip) error {
	var ids []int64
	for _, t := range tasks {
		ids = append(ids, t.ID)
	}
	cuts, err := h.lineage.Cuts(ctx, ids)
	if err != nil {
		return err
	}
	reel := &reel{}
	defer reel.close()
	for i, t := range tasks {
		kept := cuts[t.ID]
		if kept.Start == 0 && kept.Finish == 0 {
			continue
		}
		clip, err := reel.read(ctx, h.reels.media, t)
		if err != nil {
			h.reels.log.Debug("a scene cannot be cut", "task", t.ID, "err", err)
			continue
		}
		c := cut(clip, kept.Start, kept.Finish)
		clips[i].From, clips[i].To = clip.Time(c.From), clip.Time(c.To)
	}
	return nil
}

// of returns the cover that other programs show where the link is posted. There is none if
// the file cannot be read; if its size is unknown, the preview has no size.
func (h *previews) of(r *http.Request, cover db.Media, address string) libraryview.SharedPreview {
	p := libraryview.SharedPreview{Image: h.network.Origin(r) + address, ImageType: cover.Type}
	file, err := h.media.Picture(r.Context(), cover.Hash, cover.Size)
	if err != nil {
		return libraryview.SharedPreview{}
	}
	defer file.Close()
	if size, err := picture.Inspect(file); err == nil {
		p.Width, p.Height = size.Width, size.Height
	}
	return p
}

func sharedFile(s gallery.Share, m db.Media) string {
	return fmt.Sprintf("/media/%d?", m.ID) + url.Values{"share": {s.Token}}.Encode()
}
