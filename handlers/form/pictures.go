package form

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/store/video"
	"dailies/handlers/site"
	createview "dailies/views/create"
)

// FillUploads fills in the notes about uploaded pictures, and whether pictures can be uploaded.
func (h *Making) FillUploads(r *http.Request, view *createview.CreateForm) (err error) {
	view.Uploads = h.network.CanFetchUploads()
	view.Seen, err = h.Pictures.Seen(r.Context(), append(view.Pictures, view.EndPicture))
	return err
}

// FillEarlier fills in the earlier pictures, if the form has fields for pictures.
func (h *Making) FillEarlier(r *http.Request, view *createview.CreateForm) (err error) {
	if len(view.Pictures) > 0 {
		view.Earlier, err = h.Earlier(r.Context(), site.Me(r).ID)
	}
	return err
}

// SettlePictures replaces the addresses of uploaded pictures with the current ones.
func (h *Making) SettlePictures(r *http.Request, f *Form) error {
	end := []string{f.EndPicture}
	err := errors.Join(h.Pictures.Settle(r.Context(), f.Pictures), h.Pictures.Settle(r.Context(), end))
	f.EndPicture = end[0]
	return err
}

// How many earlier pictures are offered, and in how many videos they are searched
// for.
const (
	maxEarlier   = 8
	earlierTasks = 24
)

// Earlier returns the pictures that the user last uploaded or used, newest first,
// without duplicates.
func (h *Making) Earlier(ctx context.Context, userID int64) ([]createview.EarlierPicture, error) {
	uploaded, err := h.stored.Latest(ctx, userID, maxEarlier)
	if err != nil {
		return nil, err
	}
	used, err := h.stored.UsedPictures(ctx, userID, earlierTasks)
	if err != nil {
		return nil, err
	}
	known := knownPictures{stored: h.stored, byToken: map[string]ordering.Picture{}, newest: map[int64]ordering.Picture{}}
	for _, p := range uploaded {
		if h.Pictures.OpenToken(&p) != nil {
			continue // its URL can no longer be built
		}
		known.byToken[p.Token], known.newest[p.ID] = p, p
		used = append(used, ordering.UsedPicture{Address: h.Pictures.Address(p), At: p.CreatedAt})
	}
	slices.SortStableFunc(used, func(x, y ordering.UsedPicture) int { return y.At.Compare(x.At) })
	var list []createview.EarlierPicture
	seen := map[string]bool{}
	for _, u := range used {
		if len(list) == maxEarlier {
			break
		}
		p, err := known.at(ctx, u.Address)
		if err != nil {
			return nil, err
		}
		if p.Token != "" {
			u.Address = h.Pictures.Address(p)
		}
		if !seen[u.Address] {
			seen[u.Address] = true
			list = append(list, createview.EarlierPicture{Address: u.Address, Name: p.Name})
		}
	}
	return list, nil
}

// knownPictures finds uploaded pictures by their addresses, of which each has one for every
// service that the team has used.
type knownPictures struct {
	stored  *video.Pictures
	byToken map[string]ordering.Picture
	newest  map[int64]ordering.Picture // by ID, with the address for the service in use
}

// at returns the uploaded picture at the address, always with the same token. It has no
// token if the address is another one. The database is asked only about addresses that the
// newest pictures do not have.
func (k knownPictures) at(ctx context.Context, address string) (ordering.Picture, error) {
	token := ordering.PictureToken(address)
	if p, known := k.byToken[token]; known || token == "" {
		return p, nil
	}
	p, err := k.stored.Picture(ctx, token)
	switch {
	case errors.Is(err, db.ErrNotFound):
		p, err = ordering.Picture{Token: token}, nil // it was deleted, or only looks like one
	case err == nil && k.newest[p.ID].Token != "":
		p = k.newest[p.ID]
	case err == nil:
		k.newest[p.ID] = p
	}
	k.byToken[token] = p
	return p, err
}
