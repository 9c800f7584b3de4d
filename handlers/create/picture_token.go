package create

import (
	"context"
	"errors"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/secrets"
	"dailies/db/store/video"
)

// Album keeps the pictures that users upload, with their addresses encrypted.
type Album struct {
	Quota  ordering.Quota
	Stored *video.Pictures
	Vault  *secrets.Vault
}

// Add records an uploaded picture and gives it an address. If the user has
// uploaded the same picture before, it keeps its address; if that can no longer be
// built because the program's secret was lost, it gets a second address.
func (a *Album) Add(ctx context.Context, p *ordering.Picture) error {
	token := secrets.NewToken()
	sealed := a.Vault.SealToken(p.UserID, token)
	p.Token, p.Sealed = token, sealed
	if err := a.Stored.AddPictureWithin(ctx, p, a.Quota); err != nil || p.Token != "" {
		return err
	}
	err := a.Open(p)
	if errors.Is(err, db.ErrNotFound) {
		p.Token, p.Sealed = token, sealed
		return a.Stored.AddPictureToken(ctx, *p)
	}
	return err
}

// readdress gives the picture an address for the video service that the team uses: nobody's
// picture is known there by the address that another service got.
func (a *Album) readdress(ctx context.Context, p *ordering.Picture) error {
	if !p.Elsewhere {
		if err := a.Open(p); !errors.Is(err, db.ErrNotFound) {
			return err
		}
	}
	p.Token = secrets.NewToken()
	p.Sealed = a.Vault.SealToken(p.UserID, p.Token)
	return a.Stored.AddPictureToken(ctx, *p)
}

// Open fills in the token. It returns db.ErrNotFound if the token cannot be
// decrypted.
func (a *Album) Open(p *ordering.Picture) (err error) {
	p.Token, err = a.Vault.OpenToken(p.UserID, p.Sealed)
	return err
}
