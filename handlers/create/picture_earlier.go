package create

import (
	"context"
	"slices"

	"dailies/db/ordering"
	createview "dailies/views/create"
)

// How many earlier pictures are offered, and in how many videos they are searched
// for.
const (
	maxEarlier   = 8
	earlierTasks = 24
)

// earlier returns the pictures that the user last uploaded or used, newest first,
// without duplicates.
func (h *Uploads) earlier(ctx context.Context, userID int64) ([]createview.EarlierPicture, error) {
	uploaded, err := h.picturesStore.Latest(ctx, userID, maxEarlier)
	if err != nil {
		return nil, err
	}
	used, err := h.picturesStore.UsedPictures(ctx, userID, earlierTasks)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, p := range uploaded {
		if h.openPicture(&p) != nil {
			continue // its URL can no longer be built
		}
		names[p.Token] = p.Name
		used = append(used, ordering.UsedPicture{Address: h.pictures.Address(p), At: p.CreatedAt})
	}
	slices.SortStableFunc(used, func(x, y ordering.UsedPicture) int { return y.At.Compare(x.At) })
	var list []createview.EarlierPicture
	seen := map[string]bool{}
	for _, u := range used {
		token := ordering.PictureToken(u.Address)
		if token != "" {
			u.Address = h.pictures.Address(ordering.Picture{Token: token})
		}
		if seen[u.Address] || len(list) == maxEarlier {
			continue
		}
		seen[u.Address] = true
		list = append(list, createview.EarlierPicture{Address: u.Address, Name: names[token]})
	}
	return list, nil
}
