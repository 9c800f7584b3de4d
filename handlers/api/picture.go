package api

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	images "dailies/handlers/picture"
	"dailies/handlers/site"
	"dailies/web"
)

// A picture can be sent with a video. Null is not known.
type picture struct {
	URL    string `json:"url"`
	Width  *int   `json:"width"`
	Height *int   `json:"height"`
}

// AddPicture adds the picture in the request: a form with one file, the file itself, or JSON with
// the address of one on another site, which stays there.
func (a *API) AddPicture(w http.ResponseWriter, r *http.Request) error {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	var got images.Added
	var err error
	switch {
	case kind == "application/json":
		got, err = a.linkPicture(w, r)
	case kind == "multipart/form-data", strings.HasPrefix(kind, "image/"), kind == "application/octet-stream":
		err = web.UpTo(images.MaxUpload, func(w http.ResponseWriter, r *http.Request) (err error) {
			got, err = a.receivePicture(w, r, kind)
			return err
		})(w, r)
	default:
		return &Problem{Status: http.StatusUnsupportedMediaType, Code: Invalid, Detail: notPicture}
	}
	if err != nil {
		return err
	}
	return sendJSON(w, http.StatusCreated, picture{got.Address, pixels(got.Width), pixels(got.Height)})
}

// pixels is null for 0.
func pixels(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

// linkPicture checks the picture whose address the request has.
func (a *API) linkPicture(w http.ResponseWriter, r *http.Request) (images.Added, error) {
	var b struct {
		URL string `json:"url"`
	}
	if _, err := readBody(w, r, &b); err != nil {
		return images.Added{}, err
	}
	got, err := a.pictures.Link(r.Context(), caller(r).User, b.URL)
	return got, inField(err, "url")
}

// receivePicture stores the picture that the request brings.
func (a *API) receivePicture(w http.ResponseWriter, r *http.Request, kind string) (images.Added, error) {
	user := caller(r).User
	end, err := a.pictures.BeginUpload(w, r, user)
	if err != nil {
		return images.Added{}, err
	}
	defer end()
	if kind != "multipart/form-data" {
		_, given, _ := mime.ParseMediaType(r.Header.Get("Content-Disposition"))
		return a.pictures.Add(r, user, given["filename"], r.Body)
	}
	parts, err := r.MultipartReader()
	if err != nil {
		return images.Added{}, wrong(pictureField, noFile)
	}
	part, err := parts.NextPart()
	switch {
	case errors.Is(err, io.EOF):
		return images.Added{}, wrong(pictureField, noFile)
	case err != nil:
		return images.Added{}, site.CutOff(err)
	case part.FormName() != pictureField:
		return images.Added{},
			&Problem{Status: http.StatusUnprocessableEntity, Code: UnknownField,
				Field: site.Clip(part.FormName(), 100), Detail: unknownField(site.Clip(part.FormName(), 100))}
	}
	got, err := a.pictures.Add(r, user, part.FileName(), part)
	return got, inField(err, pictureField)
}

// pictureField is the field of the form in which the file is.
const pictureField = "picture"

// inField names the field that a refused picture was in.
func inField(err error, field string) error {
	var refused images.ErrPicture
	var unchecked images.ErrUnchecked
	if errors.As(err, &refused) || errors.As(err, &unchecked) {
		p := problemOf(err)
		p.Field = field
		return p
	}
	return err
}
