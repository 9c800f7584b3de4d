package create

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"strconv"
	"strings"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/store"
	"dailies/handlers/site"
	"dailies/web/picture"
)

// unnamedBase is where uploaded pictures lie while nobody has said how others
// reach the app. No network knows the name; the sandbox asks OwnPictures.
const unnamedBase = "http://dailies.invalid"

// PictureBase begins the addresses of uploaded pictures, as the service is
// given them.
func PictureBase(publicURL string) string { return cmp.Or(publicURL, unnamedBase) }

// Pictures knows the addresses of pictures, uploaded ones and others, and what is
// to be found there.
type Pictures struct {
	*site.Site
	checker *picture.Checker
}

// Address returns the address of an uploaded picture.
func (p *Pictures) Address(uploaded db.Picture) string {
	return PictureBase(p.PublicURL) + uploaded.Path()
}

// Settle puts, for each address of an uploaded picture, the one at which the
// service can fetch it today, whichever it was when it was uploaded.
func (p *Pictures) Settle(ctx context.Context, addresses []string) error {
	for i, address := range addresses {
		token := db.PictureToken(address)
		if token == "" {
			continue
		}
		uploaded, err := p.Store.Picture(ctx, token)
		if errors.Is(err, db.ErrNotFound) {
			continue // it only looks like one of ours
		}
		if err != nil {
			return err
		}
		addresses[i] = p.Address(uploaded)
	}
	return nil
}

// wasHere reports whether the address begins as those of uploaded pictures do.
func (p *Pictures) wasHere(address string) bool {
	return db.PictureToken(address) != "" && strings.HasPrefix(address, PictureBase(p.PublicURL)+"/")
}

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

func (o OwnPictures) open(ctx context.Context, token string) (db.Picture, media.File, error) {
	p, err := o.Store.Picture(ctx, token)
	if err != nil {
		return p, nil, err
	}
	file, err := o.Media.File(ctx, p.Hash)
	if errors.Is(err, fs.ErrNotExist) {
		err = db.ErrNotFound
	}
	return p, file, err
}

// Show gives an uploaded picture to whoever knows its address: the
// service has no session here.
func (p *Pictures) Show(w http.ResponseWriter, r *http.Request) error {
	shown, file, err := OwnPictures{p.Store, p.Media}.open(r.Context(), r.PathValue("token"))
	if err != nil {
		return err
	}
	defer file.Close()
	h := w.Header()
	h.Set("Content-Type", shown.Type)
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
	h.Set("ETag", `"`+shown.Hash+`"`)
	// It is asked for each time, so that a deleted picture is gone everywhere.
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Robots-Tag", "noindex, nofollow")
	http.ServeContent(w, r, "", shown.CreatedAt, file)
	return nil
}
