package handlers

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"dailies/db"
	"dailies/views"
	"dailies/web"
	"dailies/web/picture"
	"dailies/web/videoapi"
)

// Bounds of what is uploaded: a form whose pictures are somewhat too large can
// still be told so, and so many pictures are worked on at one time.
const (
	maxUpload  = 100 << 20
	maxUploads = 4
)

// addPictures keeps the pictures that come with the form, or takes one that
// was used before, and leads back to the form with everything still in it. A
// script that sends one file gets the note about it.
func (a *App) addPictures(w http.ResponseWriter, r *http.Request) error {
	scene := videoapi.Scene(r.URL.Query().Get("scene"))
	if !scene.Valid() || scene == videoapi.TextToVideo {
		return web.NotFound()
	}
	a.patient(w)
	values, came, err := a.receive(w, r)
	if err != nil {
		return err
	}
	form := readForm(scene, a.Catalog, values)
	note, errs := form.take(came, values)
	if errs != nil {
		return web.Part(w, r, http.StatusUnprocessableEntity, views.ShowPictureNote(note), func(w http.ResponseWriter, r *http.Request) error {
			return a.createPage(w, r, http.StatusUnprocessableEntity, form, errs, nil)
		})
	}
	return web.Part(w, r, http.StatusOK, views.ShowPictureNote(note), func(w http.ResponseWriter, r *http.Request) error {
		if err := a.Store.SetSetting(r.Context(), draftName(me(r).ID, string(scene)), form.values().Encode()); err != nil {
			return err
		}
		return web.SeeOther(w, r, "/create/"+string(scene)+"#pictures")
	})
}

// upload is a file that came with the form, and what became of it.
type upload struct {
	field string // where it is to go, empty for the first free one
	note  views.PictureNote
}

// receive reads the form, text and files, and keeps the files as they come.
func (a *App) receive(w http.ResponseWriter, r *http.Request) (url.Values, []upload, error) {
	parts, err := r.MultipartReader()
	if err != nil { // no files, then
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		values, err := formValues(r)
		return values, nil, err
	}
	values, came, room := url.Values{}, []upload(nil), int64(maxForm)
	for {
		part, err := parts.NextPart()
		switch {
		case errors.Is(err, io.EOF):
			return values, came, nil
		case err != nil:
			return nil, nil, cutOff(err)
		case part.FileName() != "":
			note, err := a.keepUpload(r.Context(), me(r), part)
			if err != nil {
				return nil, nil, err
			}
			came = append(came, upload{strings.TrimPrefix(part.FormName(), "file."), note})
		default:
			text, err := io.ReadAll(http.MaxBytesReader(w, part, room))
			if err != nil {
				return nil, nil, cutOff(err)
			}
			room -= int64(len(text))
			values.Add(part.FormName(), string(text))
		}
	}
}

// cutOff is an upload that did not arrive whole.
func cutOff(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return err
	}
	return &web.Error{Status: http.StatusBadRequest, Message: "The upload broke off. Please go back and try again.", Err: err}
}

// keepUpload keeps the picture without its metadata. A file that will not do
// is no error but a note.
func (a *App) keepUpload(ctx context.Context, u db.User, part *multipart.Part) (views.PictureNote, error) {
	if err := a.uploads.Acquire(ctx, 1); err != nil {
		return views.PictureNote{}, err
	}
	defer a.uploads.Release(1)
	clean, info, err := picture.Clean(part)
	if found := picture.FindingOf(info, err); found.Fault == picture.Unreachable {
		return views.PictureNote{}, cutOff(err)
	} else if err != nil {
		return noteOf(found, "file"), nil
	}
	if room, err := a.roomFor(ctx, len(clean)); err != nil || !room {
		return views.PictureNote{Text: "There is no room for uploads at the moment; please tell an admin, or use a link.", Bad: true}, err
	}
	p := db.Picture{
		UserID: u.ID, Token: db.NewToken(), Type: info.Type, Width: info.Width, Height: info.Height,
		Name: clipped(plainText(part.FileName()), 100), CreatedAt: db.Now(),
	}
	if p.Hash, p.Size, err = a.Media.Put(ctx, bytes.NewReader(clean), picture.MaxBytes+1<<10); err != nil {
		return views.PictureNote{}, err
	}
	if err := a.Store.AddPicture(ctx, &p); err != nil {
		return views.PictureNote{}, err
	}
	return a.judge(ctx, a.pictureAddress(p)), nil
}

// roomFor reports whether so many bytes can be kept.
func (a *App) roomFor(ctx context.Context, bytes int) (bool, error) {
	if a.Space == nil {
		return true, nil
	}
	space, err := a.Space(ctx)
	return int64(bytes) <= space.Left(), err
}
