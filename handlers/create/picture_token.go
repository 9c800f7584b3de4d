package create

import (
	"context"
	"errors"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/secrets"
)

// addPicture records an uploaded picture and gives it an address. If the user has
// uploaded the same picture before, it keeps its address; if that can no longer be
// built because the program's secret was lost, it gets a second address.
func (h *Uploads) addPicture(ctx context.Context, p *ordering.Picture) error {
	token := secrets.NewToken()
	sealed := h.vault.SealToken(p.UserID, token)
	p.Token, p.Sealed = token, sealed
	if err := h.picturesStore.AddPictureWithin(ctx, p, h.quota); err != nil || p.Token != "" {
		return err
	}
	err := h.openPicture(p)
	if errors.Is(err, db.ErrNotFound) {
		p.Token, p.Sealed = token, sealed
		return h.picturesStore.AddPictureToken(ctx, *p)
	}
	return err
}

// openPicture fills in the token. It returns db.ErrNotFound if the token cannot be
// decrypted.
func (h *Uploads) openPicture(p *ordering.Picture) (err error) {
	p.Token, err = h.vault.OpenToken(p.UserID, p.Sealed)
	return err
}
