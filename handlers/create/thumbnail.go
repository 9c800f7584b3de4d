package create

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/ordering"
	"dailies/db/store/video"
	"dailies/handlers/site"
	"dailies/static"
	"dailies/web"
	"dailies/web/picture"
	"dailies/web/turn"
)

// Thumbnails serves the thumbnails of uploaded pictures.
type Thumbnails struct {
	media  *media.Store
	places *turn.Semaphore // limits how many thumbnails are being made
	stored *video.Pictures
}

// Show serves the thumbnail of an uploaded picture. It is made on the first
// request and then stored.
func (h *Thumbnails) Show(w http.ResponseWriter, r *http.Request) error {
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
	small, err := h.small(r.Context(), p, site.Me(r).ID)
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

// small returns the stored thumbnail, or makes one. It returns no bytes if none can
// be made. Only one is made at a time, because the whole picture is in memory.
func (h *Thumbnails) small(ctx context.Context, p ordering.Picture, userID int64) ([]byte, error) {
	if small, err := h.stored.Thumbnail(ctx, p.ID); !errors.Is(err, db.ErrNotFound) {
		return small, err
	}
	leave, err := h.places.Take(ctx, site.PersonKey(userID, 1))
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
