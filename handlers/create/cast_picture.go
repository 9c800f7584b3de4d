package create

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"

	"dailies/db"
	"dailies/db/cast"
	"dailies/db/media"
	"dailies/db/naming"
	"dailies/db/ordering"
	"dailies/db/secrets"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/input"
	"dailies/web/picture"
)

// castPictures checks the pictures of cast members, and keeps them here.
type castPictures struct {
	receiver *Receiver
}

// check checks the pictures, and returns the errors by field; nil if there are none. Addresses
// of uploaded pictures become those of today, in the form and in the member.
func (c *castPictures) check(r *http.Request, f *createview.CastForm, m *cast.Member) (input.Errors, error) {
	of := c.receiver.Pictures
	f.Form.Pictures = WithoutGaps(f.Form.Pictures)
	if err := of.Settle(r.Context(), f.Form.Pictures); err != nil {
		return nil, err
	}
	m.Pictures = slices.Clone(f.Form.Pictures)
	errs := input.Errors{}
	for i, address := range f.Form.Pictures {
		if address != "" && AddressSentence(address) != "" {
			errs[PictureField(i)] = AddressSentence(address)
		}
	}
	if len(errs) > 0 {
		return errs, nil
	}
	_, problems := of.Look(r.Context(), site.Me(r).ID, f.Form.Pictures, f.Form.SlowTold, nil)
	f.Form.SlowTold = append(f.Form.SlowTold, problems.Slow()...)
	for _, p := range problems {
		errs[p.Field] = p.Text
	}
	if len(errs) == 0 {
		errs = nil
	}
	return errs, nil
}

// adopt gives the pictures that the member did not have before addresses of its own, which
// end with it. Pictures on other sites are copied, so that they stay, unless the service
// could not fetch the copy. It returns the pictures with such addresses.
func (c *castPictures) adopt(ctx context.Context, u db.User, m *cast.Member, old cast.Member) (own []ordering.Picture, errs input.Errors, err error) {
	if m.CreatedBy, m.ChangedBy = u.ID, u.ID; !c.receiver.Pictures.Network.UploadsReach() {
		return nil, nil, nil
	}
	for i, address := range m.Pictures {
		if slices.Contains(old.Pictures, address) {
			continue
		}
		p, sentence, err := c.kept(ctx, u, address)
		if err != nil {
			return nil, nil, err
		}
		if sentence != "" {
			errs.Set(PictureField(i), sentence)
			continue
		}
		p.Token = secrets.NewToken()
		p.Sealed = c.receiver.Album.Vault.SealToken(p.UserID, p.Token)
		m.Pictures[i] = c.receiver.Pictures.Address(p)
		own = append(own, p)
	}
	return own, errs, nil
}

// kept returns the picture at the address as it is kept here, or a sentence why it cannot be.
func (c *castPictures) kept(ctx context.Context, u db.User, address string) (p ordering.Picture, sentence string, err error) {
	if token := ordering.PictureToken(address); token != "" {
		p, err = c.receiver.Pictures.Stored.Picture(ctx, token)
		if !errors.Is(err, db.ErrNotFound) {
			return p, "", err
		}
	}
	return c.copied(ctx, u, address)
}

// copied fetches the picture from another site, and stores it like an upload.
func (c *castPictures) copied(ctx context.Context, u db.User, address string) (p ordering.Picture, sentence string, err error) {
	giveBack, refusal, err := c.receiver.Room.Book(ctx, u.ID, picture.MaxBytes)
	if err != nil || refusal != "" {
		return p, refusal, err
	}
	defer giveBack()
	var whole *media.Scratch
	found, err := c.receiver.Pictures.Checker.Fetch(ctx, strconv.FormatInt(u.ID, 10), address, func(r io.Reader) (err error) {
		whole, err = c.receiver.Media.Scratch(ctx, r, picture.MaxBytes+1)
		return err
	})
	if whole != nil {
		defer whole.Close()
	}
	if err != nil {
		return p, "", err
	}
	if found.Fault != picture.Fine {
		return p, createview.NoteOf(found, true).Text, nil
	}
	p = ordering.Picture{UserID: u.ID, Name: nameIn(address), CreatedAt: db.Now()}
	note, err := c.receiver.Clean(ctx, &p, whole)
	if err != nil || note.Bad {
		return p, note.Text, err
	}
	err = c.receiver.Album.Add(ctx, &p)
	if errors.Is(err, db.ErrFull) {
		return p, createview.AlbumFull, nil
	}
	return p, "", err
}

// nameIn returns the name of the file at the address.
func nameIn(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return naming.Short(path.Base(u.Path), 100)
}
