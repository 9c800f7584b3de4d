// Package picture receives, checks and shows the pictures that videos are made of.
package picture

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/ordering"
	"dailies/db/schedule"
	"dailies/db/secrets"
	"dailies/db/store/video"
	"dailies/handlers/service"
	"dailies/handlers/site"
	"dailies/views/part"
	"dailies/web/picture"
)

// unnamedBase is the base URL of uploaded pictures if -public-url is not set. No such
// host exists; only the sandbox can fetch them, through OwnPictures.
const unnamedBase = "http://dailies.invalid"

// PictureBase returns the base URL of uploaded pictures that is given to the service.
func PictureBase(publicURL string) string { return cmp.Or(publicURL, unnamedBase) }

// Pictures receives, checks and keeps the pictures that videos are made of, uploaded here or
// on other sites. Addresses of uploaded ones are stored encrypted.
type Pictures struct {
	Checker *picture.Checker
	Quota   ordering.Quota // of uploads, of each user

	registry  *service.Registry
	uploads   *site.UploadLimits
	media     *media.Store
	members   *video.Cast
	network   *site.Network
	publicURL string
	space     func(context.Context) (schedule.Space, error) // nil if it is not limited
	stored    *video.Pictures
	vault     *secrets.Vault

	reserved reservations
	known    knownWhole
}

// New returns the Pictures of a site. fetch downloads pictures that users link to, and must
// refuse private addresses. quota limits uploaded pictures; the zero value means the default.
func New(s *site.Site, fetch *http.Client, quota ordering.Quota) *Pictures {
	checker := picture.NewChecker(fetch)
	checker.Checked = s.Copies.Drop // a picture that is checked anew may be another one by now
	return &Pictures{
		Checker: checker, Quota: cmp.Or(quota, ordering.UsualQuota),
		registry: s.Registry, uploads: s.UploadLimits, media: s.Media, members: s.Store.Cast, network: s.Network, publicURL: s.PublicURL,
		space: s.Space, stored: s.Store.Pictures, vault: s.Vault, reserved: reservations{byPerson: map[int64]ordering.Quota{}},
	}
}

// knownWhole remembers what was found when stored files were read to their end, by hash.
type knownWhole struct {
	mu    sync.Mutex
	found map[string]picture.Finding
}

// maxKnown is the number of files of which that is remembered.
const maxKnown = 10_000

// whole reads the stored file to its end, once in this process: pictures that were uploaded to
// earlier versions were not.
func (h *Pictures) whole(ctx context.Context, p ordering.Picture) picture.Finding {
	h.known.mu.Lock()
	f, ok := h.known.found[p.Hash]
	h.known.mu.Unlock()
	if ok {
		return f
	}
	file, err := h.media.File(ctx, p.Hash)
	if err != nil {
		return picture.Finding{Fault: picture.Unreachable}
	}
	defer file.Close()
	info, err := picture.Whole(file)
	if f = picture.FindingOf(info, err); f.Fault == picture.Unreachable { // it cannot be read at the moment
		return f
	}
	h.known.mu.Lock()
	defer h.known.mu.Unlock()
	if len(h.known.found) >= maxKnown || h.known.found == nil {
		h.known.found = map[string]picture.Finding{}
	}
	h.known.found[p.Hash] = f
	return f
}

// Address returns the URL of an uploaded picture.
func (h *Pictures) Address(uploaded ordering.Picture) string {
	return PictureBase(h.publicURL) + uploaded.Path()
}

// Settle replaces each address with that which is checked and sent: one that was pasted with
// its surroundings as browsers understand it, that of an uploaded picture with the URL at which
// the service can fetch it now, whatever the public URL and the service were when it was
// uploaded, and that of a copy with that of the original.
func (h *Pictures) Settle(ctx context.Context, addresses []string) error {
	for i := range addresses {
		addresses[i], _ = PictureLink(part.Linked(addresses[i]))
		token := ordering.PictureToken(addresses[i])
		if token == "" {
			continue
		}
		uploaded, err := h.stored.Picture(ctx, token)
		if errors.Is(err, db.ErrNotFound) {
			continue // it only looks like an uploaded picture
		}
		if err != nil {
			return err
		}
		if here, err := h.stored.IsTokenOfService(ctx, token); err != nil {
			return err
		} else if !here {
			if err := h.readdress(ctx, &uploaded); err != nil {
				return err
			}
		}
		addresses[i] = h.Address(uploaded)
	}
	return nil
}

// wasHere reports whether the address has the form of an uploaded picture's URL.
func (h *Pictures) wasHere(address string) bool {
	return ordering.PictureToken(address) != "" && strings.HasPrefix(address, PictureBase(h.publicURL)+"/")
}

// OwnPictures is an http.RoundTripper that serves the uploaded pictures without a
// network, so that the sandbox in this program can fetch them wherever the app runs.
type OwnPictures struct {
	Pictures *video.Pictures
	Media    *media.Store
}

// RoundTrip implements http.RoundTripper.
func (o OwnPictures) RoundTrip(r *http.Request) (*http.Response, error) {
	resp := &http.Response{
		Status: "404 Not Found", StatusCode: http.StatusNotFound, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: http.NoBody, Request: r,
	}
	p, file, err := o.Open(r.Context(), ordering.PictureToken(r.URL.String()), false)
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

// Open returns the picture and its file. Only colleagues see one at an address that is not
// public any more, such as on the page of a video that was made from it.
func (o OwnPictures) Open(ctx context.Context, token string, colleague bool) (ordering.Picture, media.File, error) {
	p, err := o.Pictures.Picture(ctx, token)
	if err != nil {
		return p, nil, err
	}
	if !colleague {
		if public, err := o.Pictures.IsPublic(ctx, p); err != nil || !public {
			return p, nil, cmp.Or(err, db.ErrNotFound)
		}
	}
	file, err := o.Media.File(ctx, p.Hash)
	if errors.Is(err, fs.ErrNotExist) {
		err = db.ErrNotFound
	}
	return p, file, err
}

// record records an uploaded picture and gives it an address. If the user has
// uploaded the same picture before, it keeps its address; if that can no longer be
// built because the program's secret was lost, it gets a second address.
func (h *Pictures) record(ctx context.Context, p *ordering.Picture) error {
	token := secrets.NewToken()
	sealed := h.vault.SealToken(p.UserID, token)
	p.Token, p.Sealed = token, sealed
	if err := h.stored.AddPictureWithin(ctx, p, h.Quota); err != nil || p.Token != "" {
		return err
	}
	err := h.OpenToken(p)
	if errors.Is(err, db.ErrNotFound) {
		p.Token, p.Sealed = token, sealed
		return h.stored.AddPictureToken(ctx, *p)
	}
	return err
}

// readdress gives the picture an address for the video service that the team uses: nobody's
// picture is known there by the address that another service got.
func (h *Pictures) readdress(ctx context.Context, p *ordering.Picture) error {
	if !p.Elsewhere {
		if err := h.OpenToken(p); !errors.Is(err, db.ErrNotFound) {
			return err
		}
	}
	p.Token = secrets.NewToken()
	p.Sealed = h.vault.SealToken(p.UserID, p.Token)
	return h.stored.AddPictureToken(ctx, *p)
}

// OpenToken fills in the token. It returns db.ErrNotFound if the token cannot be
// decrypted.
func (h *Pictures) OpenToken(p *ordering.Picture) (err error) {
	p.Token, err = h.vault.OpenToken(p.UserID, p.Sealed)
	return err
}
