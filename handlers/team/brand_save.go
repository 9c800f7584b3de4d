package team

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"os"
	"slices"
	"time"

	"dailies/db/team"
	"dailies/handlers/site"
	teamview "dailies/views/team"
	"dailies/web/picture"
)

// MaxBrand limits the form with the brand, in bytes. It exceeds the limit of a logo, so that
// one that is too large can be answered with a sentence.
const MaxBrand = 8 << 20

// Save changes the team's brand. A form without a logo keeps it.
func (b *Brand) Save(w http.ResponseWriter, r *http.Request) error {
	now, err := b.settings.Brand(r.Context())
	if err != nil {
		return err
	}
	form := teamview.NewBrandFields(now)
	logo, file, err := b.logo(w, r, &form)
	if err != nil {
		return err
	}
	valid := site.ReadForm(r, &form.Name, &form.NoLogo)
	if colour := r.PostFormValue(form.Colour.Name); colour != "" {
		if form.Colour.Value = colour; !isColour(colour) {
			form.Colour.Error, valid = teamview.ColourOdd, false
		}
	}
	if !valid || form.Logo.Error != "" {
		return b.pageWith(w, r, http.StatusUnprocessableEntity, form)
	}
	next := team.Brand{Name: form.Name.Value, Colour: form.Colour.Value, Logo: now.Logo}
	if now.Colour == "" && next.Colour == teamview.UsualColour {
		next.Colour = "" // nobody has chosen one
	}
	switch {
	case file != nil:
		next.Logo = logo
	case form.NoLogo.On:
		next.Logo = team.Logo{}
	}
	err = b.settings.SetBrand(r.Context(), next, file)
	return b.pages.Done(w, r, err, brandPage, site.Saved)
}

func isColour(text string) bool {
	_, ok := team.ParseColour(text)
	return ok
}

// logo returns the logo in the form, without what it tells beside the picture, or nil if
// there is none. What is wrong with it is said in the form.
func (b *Brand) logo(w http.ResponseWriter, r *http.Request, form *teamview.BrandFields) (logo team.Logo, file []byte, err error) {
	end, err := b.intake.StartSending(w, r, site.Me(r).ID)
	if err != nil {
		return logo, nil, err
	}
	defer end()
	b.intake.Patient(w, r)
	sent, header, err := r.FormFile(form.Logo.Name)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return logo, nil, err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return logo, nil, site.CutOff(err)
	case err != nil: // no file was sent
		return logo, nil, nil
	}
	defer sent.Close()
	if header.Size == 0 {
		return logo, nil, nil
	}
	if header.Size > team.MaxLogo {
		form.Logo.Error = teamview.LogoTooLarge
		return logo, nil, nil
	}
	leave, err := b.intake.Judges.Take(r.Context(), site.PersonKey(site.Me(r).ID, site.EachJudged))
	if err != nil {
		return logo, nil, err
	}
	defer leave()
	file, info, err := picture.Clean(sent)
	if form.Logo.Error = logoFault(info, file, err); form.Logo.Error != "" {
		return logo, nil, nil
	}
	sum := sha256.Sum256(file)
	return team.Logo{Type: info.Type, Hash: hex.EncodeToString(sum[:]), Width: info.Width, Height: info.Height}, file, nil
}

// logoFault says what is wrong with a picture that is to be the logo; "" if nothing is.
func logoFault(info picture.Info, file []byte, err error) string {
	var other *picture.OtherError
	switch {
	case errors.As(err, &other), err == nil && !slices.Contains(team.LogoTypes(), info.Type):
		return teamview.LogoOdd
	case errors.Is(err, picture.ErrTooManyPixels):
		return teamview.LogoTooManyPx
	case err != nil:
		return teamview.LogoDamaged
	case len(file) > team.MaxLogo:
		return teamview.LogoTooLarge
	}
	return ""
}

// ShowLogo serves the team's logo to admins.
func (b *Brand) ShowLogo(w http.ResponseWriter, r *http.Request) error {
	file, logo, err := b.settings.Logo(r.Context())
	if err != nil {
		return err
	}
	header := w.Header()
	header.Set("Cache-Control", "private, no-cache")
	header.Set("Content-Type", logo.Type)
	header.Set("ETag", `"`+logo.Hash+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file))
	return nil
}
