package create

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/store/video"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/part"
	"dailies/web"
)

// shownUploads is the number of pictures on one page of the list.
const shownUploads = 60

// UploadList lists the uploaded pictures, and deletes them.
type UploadList struct {
	album  *Album
	pages  *site.Pages
	stored *video.Pictures
}

// List lists the pictures that the user has uploaded, newest first, or, for an admin
// with ?who=all, those of all users.
func (h *UploadList) List(w http.ResponseWriter, r *http.Request) error {
	u := site.Me(r)
	list := createview.Uploads{All: u.IsAdmin() && r.FormValue("who") == "all", Admin: u.IsAdmin(), Max: h.album.Quota.Bytes}
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
		if shown.Mine && h.album.Open(&shown.Picture) != nil {
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
	return h.pages.Draw(w, r, http.StatusOK, "Uploaded pictures", func(f part.Frame) templ.Component { return createview.ShowUploads(f, list) })
}

// Delete deletes an uploaded picture, so that its URL stops working.
func (h *UploadList) Delete(w http.ResponseWriter, r *http.Request, id int64) error {
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
