package handlers

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"strconv"
	"strings"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/store"
)

// unnamedBase is where uploaded pictures lie while nobody has said how others
// reach the app. No network knows the name; the sandbox asks OwnPictures.
const unnamedBase = "http://dailies.invalid"

// PictureBase begins the addresses of uploaded pictures, as the service is
// given them.
func PictureBase(publicURL string) string { return cmp.Or(publicURL, unnamedBase) }

func (a *App) pictureAddress(p db.Picture) string { return PictureBase(a.PublicURL) + p.Path() }

// OwnPictures is a transport to the uploaded pictures that needs no network: a
// service in this program reaches them wherever the app stands.
type OwnPictures struct {
	Store *store.Store
	Media *media.Store
}

// RoundTrip implements http.RoundTripper.
func (o OwnPictures) RoundTrip(r *http.Request) (*http.Response, error) {
	resp := &http.Response{
		Status: "404 Not Found", StatusCode: http.StatusNotFound, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: http.NoBody, Request: r,
	}
	p, file, err := o.open(r.Context(), db.PictureToken(r.URL.String()))
	switch {
	case errors.Is(err, db.ErrNotFound):
		return resp, nil
	case err != nil:
		return nil, err
	}
	resp.Status, resp.StatusCode, resp.Body, resp.ContentLength = "200 OK", http.StatusOK, file, p.Size
	resp.Header.Set("Content-Type", p.Type)
	resp.Header.Set("Content-Length", strconv.FormatInt(p.Size, 10))
	return resp, nil
}

func (o OwnPictures) open(ctx context.Context, token string) (db.Picture, *os.File, error) {
	p, err := o.Store.Picture(ctx, token)
	if err != nil {
		return p, nil, err
	}
	file, err := o.Media.File(p.Hash)
	if errors.Is(err, fs.ErrNotExist) {
		err = db.ErrNotFound
	}
	return p, file, err
}

// showPicture gives an uploaded picture to whoever knows its address: the
// service has no session here.
func (a *App) showPicture(w http.ResponseWriter, r *http.Request) error {
	p, file, err := OwnPictures{a.Store, a.Media}.open(r.Context(), r.PathValue("token"))
	if err != nil {
		return err
	}
	defer file.Close()
	h := w.Header()
	h.Set("Content-Type", p.Type)
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
	h.Set("ETag", `"`+p.Hash+`"`)
	// It is asked for each time, so that a deleted picture is gone everywhere.
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Robots-Tag", "noindex, nofollow")
	http.ServeContent(w, r, "", p.CreatedAt, file)
	return nil
}

// settlePictures gives the uploaded pictures in the form the address that the
// service can fetch them from today, whichever it was when they came.
func (a *App) settlePictures(ctx context.Context, f *createForm) error {
	list := []*string{&f.EndPicture}
	for i := range f.Pictures {
		list = append(list, &f.Pictures[i])
	}
	for _, address := range list {
		settled, err := a.currentAddress(ctx, *address)
		if err != nil {
			return err
		}
		*address = settled
	}
	return nil
}

func (a *App) currentAddress(ctx context.Context, address string) (string, error) {
	token := db.PictureToken(address)
	if token == "" {
		return address, nil
	}
	p, err := a.Store.Picture(ctx, token)
	if errors.Is(err, db.ErrNotFound) {
		return address, nil // somebody else's, by chance
	}
	return a.pictureAddress(p), err
}

// wasHere reports whether the address begins as those of the pictures that are
// uploaded here.
func (a *App) wasHere(address string) bool {
	return db.PictureToken(address) != "" && strings.HasPrefix(address, PictureBase(a.PublicURL)+"/")
}
