package create

import (
	"context"
	"errors"

	"dailies/db"
)

// addPicture writes an uploaded picture down and gives it an address. The same
// picture again has the address that it had, unless that can no longer be built
// because the program's secret was lost: then it has another one beside it.
func (h *Uploads) addPicture(ctx context.Context, p *db.Picture) error {
	token := db.NewToken()
	sealed := h.Vault.SealToken(p.UserID, token)
	p.Token, p.Sealed = token, sealed
	if err := h.Store.AddPictureWithin(ctx, p, h.quota); err != nil || p.Token != "" {
		return err
	}
	err := h.openPicture(p)
	if errors.Is(err, db.ErrNotFound) {
		p.Token, p.Sealed = token, sealed
		return h.Store.AddPictureToken(ctx, *p)
	}
	return err
}

// openPicture fills in the token. One that does not open is db.ErrNotFound.
func (h *Uploads) openPicture(p *db.Picture) (err error) {
	p.Token, err = h.Vault.OpenToken(p.UserID, p.Sealed)
	return err
}
