package create

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/naming"
	"dailies/db/ordering"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/web"
	"dailies/web/picture"
	"dailies/web/videoapi"
)

// MaxUpload limits a form with pictures, in bytes. It exceeds the limits of its
// pictures, so that a slightly larger picture can still be answered with a message.
const MaxUpload = 100 << 20

// Uploads puts the pictures that users upload into the form.
type Uploads struct {
	catalog  *videoapi.Catalog
	drafts   *Drafts
	page     *formPage
	receiver *Receiver
}

// Add stores the pictures that were submitted with the form, or takes an earlier one,
// and redirects to the form with everything that was typed. A script that uploads one
// file gets the note about it instead.
func (h *Uploads) Add(w http.ResponseWriter, r *http.Request) error {
	scene := videoapi.Scene(r.URL.Query().Get("scene"))
	if !scene.Valid() || scene == videoapi.TextToVideo {
		return web.NotFound()
	}
	values, came, err := h.receiver.Receive(w, r)
	if err != nil {
		return err
	}
	f := ReadForm(scene, h.catalog, values)
	note, errs := f.TakeUploads(came, values)
	if errs != nil {
		return web.Part(w, r, http.StatusUnprocessableEntity, createview.ShowPictureNote(note), func(w http.ResponseWriter, r *http.Request) error {
			return h.page.draw(w, r, http.StatusUnprocessableEntity, f, errs, nil)
		})
	}
	return web.Part(w, r, http.StatusOK, createview.ShowPictureNote(note), func(w http.ResponseWriter, r *http.Request) error {
		if err := h.drafts.Keep(r, DraftName(site.Me(r).ID, string(scene)), f.Values()); err != nil {
			return err
		}
		return web.SeeOther(w, r, "/create/"+string(scene)+"#pictures")
	})
}

// Receiver receives forms with pictures, and stores these.
type Receiver struct {
	Album    *Album
	Intake   *site.Intake
	Media    *media.Store
	Pictures *Pictures
	Room     *UploadRoom
}

// An upload is a file that was submitted with the form, and the note about it.
type Upload struct {
	Field string // the field to put it into; empty for the first empty one
	Note  createview.PictureNote
}

// Receive reads the form's fields and files, and stores each file as it arrives, which may
// take a while.
func (h *Receiver) Receive(w http.ResponseWriter, r *http.Request) (url.Values, []Upload, error) {
	h.Intake.Patient(w, r)
	parts, err := r.MultipartReader()
	if err != nil { // the form has no files
		r.Body = http.MaxBytesReader(w, r.Body, site.MaxForm)
		values, err := site.FormValues(r)
		return values, nil, err
	}
	// Wait before reading the body, so that the wait does not count as a slow upload.
	end, err := h.Intake.StartSending(w, r, site.Me(r).ID)
	if err != nil {
		return nil, nil, err
	}
	defer end()
	values, came, room := url.Values{}, []Upload(nil), int64(site.MaxForm)
	for {
		part, err := parts.NextPart()
		switch {
		case errors.Is(err, io.EOF):
			return values, came, nil
		case err != nil:
			return nil, nil, site.CutOff(err)
		case part.FileName() != "" && len(came) == MaxFields:
			return nil, nil, &web.Error{Status: http.StatusRequestEntityTooLarge, Message: createview.TooManyFiles}
		case part.FileName() != "":
			note, err := h.keep(r.Context(), site.Me(r), part.FileName(), part, largest(r))
			if err != nil {
				return nil, nil, err
			}
			came = append(came, Upload{strings.TrimPrefix(part.FormName(), "file."), note})
		default:
			text, err := io.ReadAll(http.MaxBytesReader(w, part, room))
			if err != nil {
				return nil, nil, site.CutOff(err)
			}
			room -= int64(len(text) + len(part.FormName()) + fieldCosts)
			if room < 0 {
				return nil, nil, &http.MaxBytesError{Limit: site.MaxForm}
			}
			values.Add(part.FormName(), string(text))
		}
	}
}

// fieldCosts is the approximate overhead in bytes of a field, besides its name and
// text.
const fieldCosts = 64

// largest returns the maximum size in bytes of a picture in the request.
func largest(r *http.Request) int64 {
	if r.ContentLength < 0 {
		return picture.MaxBytes
	}
	return min(r.ContentLength, picture.MaxBytes)
}

// keep stores the picture without its metadata. An unusable file is not an
// error but a note. The picture is received before one of the few slots for checking
// pictures is taken, so that a slow connection delays nobody else.
func (h *Receiver) keep(ctx context.Context, u db.User, name string, from io.Reader, most int64) (createview.PictureNote, error) {
	giveBack, refusal, err := h.Room.Book(ctx, u.ID, most)
	if err != nil || refusal != "" {
		return createview.BadPicture(refusal), err
	}
	defer giveBack()
	file, err := h.Media.Scratch(ctx, from, picture.MaxBytes+1)
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return createview.BadPicture(createview.StorageFull), nil
	case isOurs(err):
		return createview.PictureNote{}, err
	case err != nil:
		return createview.PictureNote{}, site.CutOff(err)
	}
	defer file.Close()
	p := ordering.Picture{UserID: u.ID, Name: naming.Short(site.Clip(name, 1000), 100), CreatedAt: db.Now()}
	note, err := h.Clean(ctx, &p, file)
	if errors.Is(err, syscall.ENOSPC) {
		return createview.BadPicture(createview.StorageFull), nil
	}
	if err != nil || note.Bad {
		return note, err
	}
	err = h.Album.Add(ctx, &p)
	if errors.Is(err, db.ErrFull) { // other uploads were stored meanwhile
		return createview.BadPicture(createview.AlbumFull), nil
	}
	if err != nil {
		return createview.PictureNote{}, err
	}
	return h.Pictures.Judge(ctx, u.ID, h.Pictures.Address(p)), nil
}

// isOurs reports whether the error concerns a file on this machine, and not the
// sender.
func isOurs(err error) bool {
	var file *fs.PathError
	return errors.As(err, &file)
}

// Clean removes the metadata of the received picture and stores it under its
// hash.
func (h *Receiver) Clean(ctx context.Context, p *ordering.Picture, file io.Reader) (createview.PictureNote, error) {
	leave, err := h.Intake.Judges.Take(ctx, site.PersonKey(p.UserID, site.EachJudged))
	if err != nil {
		return createview.PictureNote{}, err
	}
	defer leave()
	cleaned, info, err := picture.Clean(file)
	if found := picture.FindingOf(info, err); found.Fault == picture.Unreachable {
		return createview.PictureNote{}, err
	} else if err != nil {
		return createview.NoteOf(found, false), nil
	}
	p.Type, p.Width, p.Height = info.Type, info.Width, info.Height
	p.Hash, p.Size, err = h.Media.Put(ctx, bytes.NewReader(cleaned), picture.MaxBytes+1<<10)
	return createview.PictureNote{}, err
}
