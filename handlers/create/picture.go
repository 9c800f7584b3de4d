package create

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/ordering"
	"dailies/db/store/video"
	"dailies/handlers/form"
	images "dailies/handlers/picture"
	"dailies/handlers/site"
	"dailies/static"
	createview "dailies/views/create"
	"dailies/web"
	"dailies/web/picture"
	"dailies/web/throttle"
	"dailies/web/videoapi"
)

// ShowPictureNote shows the note under a picture's field about the picture at the address.
func (h *Create) ShowPictureNote(w http.ResponseWriter, r *http.Request) error {
	note, err := h.pictures.Note(r.Context(), site.Me(r).ID, strings.TrimSpace(site.PlainText(r.FormValue("url"))))
	if err != nil {
		return err
	}
	return web.Fragment(w, r, http.StatusOK, createview.ShowPictureNote(note))
}

// ShowPicture serves an uploaded picture to anybody who knows its URL, because the service
// has no session here.
func (h *Create) ShowPicture(w http.ResponseWriter, r *http.Request) error {
	_, colleague := site.ViewerOf(r)
	shown, file, err := images.OwnPictures{Pictures: h.stored, Media: h.media}.Open(r.Context(), r.PathValue("token"), colleague)
	if err != nil {
		return err
	}
	defer file.Close()
	header := w.Header()
	header.Set("Content-Type", shown.Type)
	header.Set("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
	header.Set("ETag", `"`+shown.Hash+`"`)
	// Browsers and proxies must revalidate it each time, so that a deleted picture is
	// gone everywhere.
	header.Set("Cache-Control", "no-cache")
	header.Set("X-Robots-Tag", "noindex, nofollow")
	http.ServeContent(w, r, "", shown.CreatedAt, file)
	return nil
}

// linkedTimeout limits the time in which a thumbnail is made, including that in queues.
const linkedTimeout = time.Minute

// errNoThumb means that there is no picture at the address, or none that can be drawn.
var errNoThumb = &web.Error{Status: http.StatusNotFound, Message: createview.NoPicture}

// ShowLinked serves a thumbnail of a picture on another site. The server fetches each of them
// once and keeps a copy, so that these sites do not learn who looks at a page and when.
func (h *Create) ShowLinked(w http.ResponseWriter, r *http.Request) error {
	address := r.FormValue("address")
	if address == "" || images.AddressSentence(address) != "" {
		return web.NotFound()
	}
	small, err := h.linkedThumb(r.Context(), site.Me(r).ID, address)
	if err != nil {
		return err
	}
	header := w.Header()
	header.Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(small)))
	header.Set("Cache-Control", "private, no-cache")
	header.Set("Content-Type", "image/jpeg")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(small))
	return nil
}

// linkedThumb returns the copy of the picture, or makes one. People who look at the same
// picture share one request.
func (h *Create) linkedThumb(ctx context.Context, userID int64, address string) ([]byte, error) {
	if small := h.copies.Get(address); small != nil {
		return small, nil
	}
	shared := context.WithoutCancel(ctx) // the first may leave while others wait
	made := h.fetches.DoChan(address, func() (any, error) {
		ctx, cancel := context.WithTimeout(shared, linkedTimeout)
		defer cancel()
		return h.makeLinkedThumb(ctx, userID, address)
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case r := <-made:
		small, _ := r.Val.([]byte)
		return small, r.Err
	}
}

// makeLinkedThumb fetches the picture and keeps a thumbnail.
func (h *Create) makeLinkedThumb(ctx context.Context, userID int64, address string) ([]byte, error) {
	if small := h.copies.Get(address); small != nil {
		return small, nil // another request has just made it
	}
	small, err := h.fetchThumb(ctx, userID, address)
	if err != nil {
		return nil, err
	}
	if err := h.copies.Put(address, small); err != nil {
		h.log.Warn("cannot keep the copy of a linked picture", "err", err)
	}
	return small, nil
}

// fetchThumb returns the thumbnail of the picture. After a failure, it fetches the picture
// again only a minute later.
func (h *Create) fetchThumb(ctx context.Context, userID int64, address string) ([]byte, error) {
	try, wait := h.tries.Take(throttle.Rate{Name: address, Burst: 1, Every: time.Minute})
	if wait > 0 {
		return nil, errNoThumb
	}
	var whole *media.Scratch
	found, err := h.pictures.Checker.Fetch(ctx, strconv.FormatInt(userID, 10), address, func(r io.Reader) (err error) {
		whole, err = h.media.Scratch(ctx, r, picture.MaxBytes+1)
		return err
	})
	if whole != nil {
		defer whole.Close()
	}
	switch {
	case found.Fault == picture.Skipped || found.Fault == picture.Waited:
		try.GiveBack()
		return nil, errNoThumb
	case err != nil || found.Fault != picture.Fine:
		return nil, errNoThumb
	}
	small, err := h.drawThumb(ctx, userID, whole)
	if err == nil {
		try.GiveBack()
	}
	return small, err
}

// drawThumb returns the thumbnail of the picture.
func (h *Create) drawThumb(ctx context.Context, userID int64, whole io.Reader) ([]byte, error) {
	leave, err := h.drawing.Take(ctx, site.PersonKey(userID, 1))
	if err != nil {
		return nil, err
	}
	defer leave()
	b, err := io.ReadAll(whole)
	if err != nil {
		return nil, err
	}
	small, err := picture.Thumb(b)
	if errors.Is(err, picture.ErrNoThumb) {
		return nil, errNoThumb
	}
	return small, err
}

// ShowThumbnail serves the thumbnail of an uploaded picture. It is made on the first
// request and then stored.
func (h *Create) ShowThumbnail(w http.ResponseWriter, r *http.Request) error {
	p, err := h.stored.Picture(r.Context(), r.PathValue("token"))
	if err != nil {
		return err
	}
	header, tag := w.Header(), `"`+p.Hash+`-small"`
	header.Set("ETag", tag)
	header.Set("Cache-Control", "private, no-cache")
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	small, err := h.thumbnail(r.Context(), p, site.Me(r).ID)
	if err != nil {
		return err
	}
	if len(small) == 0 {
		return web.SeeOther(w, r, static.URL("still.svg"))
	}
	header.Set("Content-Type", "image/jpeg")
	http.ServeContent(w, r, "", p.CreatedAt, bytes.NewReader(small))
	return nil
}

// thumbnail returns the stored thumbnail, or makes one. It returns no bytes if none can
// be made. Only one is made at a time, because the whole picture is in memory.
func (h *Create) thumbnail(ctx context.Context, p ordering.Picture, userID int64) ([]byte, error) {
	if small, err := h.stored.Thumbnail(ctx, p.ID); !errors.Is(err, db.ErrNotFound) {
		return small, err
	}
	leave, err := h.drawing.Take(ctx, site.PersonKey(userID, 1))
	if err != nil {
		return nil, err
	}
	defer leave()
	if small, err := h.stored.Thumbnail(ctx, p.ID); !errors.Is(err, db.ErrNotFound) {
		return small, err // another request has just made it
	}
	file, err := h.media.Picture(ctx, p.Hash, p.Size)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, p.Size))
	if err != nil {
		return nil, err
	}
	small, err := picture.Thumb(b)
	if err != nil && !errors.Is(err, picture.ErrNoThumb) {
		return nil, err
	}
	return small, h.stored.SetThumbnail(ctx, p.ID, small)
}

// AddPictures stores the pictures that were submitted with the form, or takes an earlier one,
// and redirects to the form with everything that was typed. A script that uploads one
// file gets the note about it instead.
func (h *Create) AddPictures(w http.ResponseWriter, r *http.Request) error {
	scene := videoapi.Scene(r.URL.Query().Get("scene"))
	if !scene.Valid() || scene == videoapi.TextToVideo {
		return web.NotFound()
	}
	values, came, err := h.pictures.Receive(w, r)
	if err != nil {
		return err
	}
	f := form.ReadForm(scene, h.catalog, values)
	note, errs := f.TakeUploads(came, values)
	return web.Part(w, r, form.StatusFor(errs), createview.ShowPictureNote(note), func(w http.ResponseWriter, r *http.Request) error {
		if errs != nil {
			return h.draw(w, r, http.StatusUnprocessableEntity, f, errs, nil)
		}
		if err := h.making.KeepDraft(r, form.DraftName(site.Me(r).ID, string(scene)), f.Values()); err != nil {
			return err
		}
		return web.SeeOther(w, r, "/create/"+string(scene)+"#pictures")
	})
}

// shownUploads is the number of pictures on one page of the list.
const shownUploads = 60

// ListPictures lists the pictures that the user has uploaded, newest first, or, for an admin
// with ?who=all, those of all users.
func (h *Create) ListPictures(w http.ResponseWriter, r *http.Request) error {
	u := site.Me(r)
	list := createview.Uploads{All: u.IsAdmin() && r.FormValue("who") == "all", Max: h.pictures.Quota.Bytes}
	list.Page, _ = strconv.Atoi(r.FormValue("page"))
	list.Page = min(max(list.Page, 1), 1000)
	whose := u.ID
	if list.All {
		whose = 0
	}
	pictures, err := h.stored.Uploads(r.Context(), whose, shownUploads+1, (list.Page-1)*shownUploads)
	if err != nil {
		return err
	}
	if list.More = len(pictures) > shownUploads; list.More {
		pictures = pictures[:shownUploads]
	}
	for _, p := range pictures {
		shown := createview.Upload{Picture: p.Picture, Maker: p.MakerName, Mine: p.UserID == u.ID}
		if shown.Mine && h.pictures.OpenToken(&shown.Picture) != nil {
			shown.Picture.Token = "" // its URL can no longer be built
		}
		list.Uploads = append(list.Uploads, shown)
	}
	if list.Count, list.Used, err = h.stored.PictureUse(r.Context(), u.ID); err != nil {
		return err
	}
	if list.All {
		if list.Left, list.LeftUsed, err = h.stored.LeftPictures(r.Context()); err != nil {
			return err
		}
	}
	return h.pages.Draw(w, r, http.StatusOK, "Uploaded pictures", createview.ShowUploads(list))
}

// DeletePicture deletes an uploaded picture, so that its URL stops working.
func (h *Create) DeletePicture(w http.ResponseWriter, r *http.Request, id int64) error {
	p, err := h.stored.PictureByID(r.Context(), id)
	if err == nil && !p.DeletableBy(site.Me(r)) {
		err = web.NotFound()
	}
	if err != nil {
		return err
	}
	said := pictureDeleted
	err = h.stored.DeletePicture(r.Context(), id, db.Now())
	switch {
	case errors.Is(err, video.ErrPictureInCast):
		said = pictureCast
	case errors.Is(err, db.ErrConflict):
		said = pictureNeeded
	case err != nil:
		return err
	}
	back := "/pictures"
	if p.UserID != site.Me(r).ID {
		back += "?who=all"
	}
	return h.pages.SeeOther(w, r, back, said)
}
