package create

import (
	"context"
	"errors"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/secrets"
	"dailies/db/store/video"
)

// album keeps the pictures that users upload, with their addresses encrypted.
type album struct {
	quota  ordering.Quota
	stored *video.Pictures
	vault  *secrets.Vault
}

// add records an uploaded picture and gives it an address. If the user has
// uploaded the same picture before, it keeps its address; if that can no longer be
// built because the program's secret was lost, it gets a second address.
func (a *album) add(ctx context.Context, p *ordering.Picture) error {
	token := secrets.NewToken()
	sealed := a.vault.SealToken(p.UserID, token)
	p.Token, p.Sealed = token, sealed
	if err := a.stored.AddPictureWithin(ctx, p, a.quota); err != nil || p.Token != "" {
		return err
	}
	err := a.open(p)
	if errors.Is(err, db.ErrNotFound) {
		p.Token, p.Sealed = token, sealed
		return a.stored.AddPictureToken(ctx, *p)
	}
	return err
}

// readdress gives the picture an address for the video service that the team uses: nobody's
// picture is known there by the address that another service got.
func (a *album) readdress(ctx context.Context, p *ordering.Picture) error {
	if !p.Elsewhere {
		if err := a.open(p); !errors.Is(err, db.ErrNotFound) {
			return err
		}
	}
	p.Token = secrets.NewToken()
	p.Sealed = a.vault.SealToken(p.UserID, p.Token)
	return a.stored.AddPictureToken(ctx, *p)
}

// open fills in the token. It returns db.ErrNotFound if the token cannot be
// decrypted.
func (a *album) open(p *ordering.Picture) (err error) {
	p.Token, err = a.vault.OpenToken(p.UserID, p.Sealed)
	return err
}
