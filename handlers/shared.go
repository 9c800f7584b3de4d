package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"dailies/db"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/web"
	"dailies/web/picture"
)

// showShared is the page for somebody who was sent a link. Whatever is wrong
// with it, the answer is the same.
func (a *App) showShared(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h.Set("X-Robots-Tag", "noindex, nofollow")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "private, no-store")
	s, tasks, err := a.Store.OpenShare(r.Context(), r.PathValue("token"), db.Now())
	if errors.Is(err, db.ErrNotFound) {
		return web.Fragment(w, r, http.StatusNotFound, libraryview.ShowNoShare())
	}
	if err != nil {
		return err
	}
	page, err := a.sharedPage(r, s, tasks)
	if err != nil {
		return err
	}
	return web.Fragment(w, r, http.StatusOK, libraryview.ShowShared(page))
}

// sharedMedia is the kept file that was asked for with a link that shows it.
func (a *App) sharedMedia(r *http.Request) (db.Media, error) {
	id, err := site.ID(r)
	token := r.URL.Query().Get("share")
	if err != nil || token == "" {
		return db.Media{}, db.ErrNotFound
	}
	return a.Store.SharedMedia(r.Context(), token, id, db.Now())
}

// orShared lets who has a link play what it shows; all others go through the
// guard. A link that shows nothing leads nobody to sign in.
func (a *App) orShared(guarded web.Handler) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		m, err := a.sharedMedia(r)
		if err == nil {
			file, err := a.file(r, m)
			if err != nil {
				return err
			}
			defer file.Close()
			h := w.Header()
			h.Set("X-Robots-Tag", "noindex, nofollow")
			h.Set("Referrer-Policy", "no-referrer")
			// Asked about each time, so that it ends with the link.
			h.Set("Cache-Control", "private, max-age=0, must-revalidate")
			m.TaskID, m.Position = m.ID, 0 // a download says nothing of the video's number
			return play(w, r, m, file)
		}
		if !errors.Is(err, db.ErrNotFound) {
			return err
		}
		if r.URL.Query().Has("share") {
			if _, err := a.Viewer(r); err != nil {
				return err
			}
		}
		return guarded(w, r)
	}
}

// sharedPage is what the link shows. Nothing else that is known of the videos
// goes into it.
func (a *App) sharedPage(r *http.Request, s db.Share, tasks []db.Task) (libraryview.SharedPage, error) {
	page := libraryview.SharedPage{Title: s.Title, Collection: s.CollectionID != 0, Address: a.ShareAddress(r, s)}
	for _, t := range tasks {
		video, _ := t.Video()
		clip := libraryview.SharedClip{Video: sharedFile(s, video), Type: video.Type, Ratio: t.Options.AspectRatio}
		if cover, ok := t.Cover(); ok {
			clip.Cover = sharedFile(s, cover)
			if page.Preview.Image == "" {
				page.Preview = a.preview(r, cover, clip.Cover)
			}
		}
		page.Clips = append(page.Clips, clip)
	}
	if !page.Collection {
		page.Preview.Video, page.Preview.VideoType = a.Origin(r)+page.Clips[0].Video, page.Clips[0].Type
		return page, nil
	}
	c, err := a.Store.Collection(r.Context(), s.CreatedBy, s.CollectionID)
	page.Note = c.Note
	return page, err
}

// preview is the cover as other programs show it where the link is posted. A
// file whose size cannot be told is shown without it.
func (a *App) preview(r *http.Request, cover db.Media, address string) libraryview.SharedPreview {
	p := libraryview.SharedPreview{Image: a.Origin(r) + address, ImageType: cover.Type}
	file, err := a.Media.File(cover.Hash)
	if err != nil {
		return libraryview.SharedPreview{}
	}
	defer file.Close()
	if size, err := picture.Inspect(file); err == nil {
		p.Width, p.Height = size.Width, size.Height
	}
	return p
}

func sharedFile(s db.Share, m db.Media) string {
	return fmt.Sprintf("/media/%d?", m.ID) + url.Values{"share": {s.Token}}.Encode()
}
