package team

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"os"
	"slices"
	"time"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/team"
	"dailies/handlers/site"
	teamview "dailies/views/team"
	"dailies/web"
	"dailies/web/picture"
)

// brandPage is the path of the page of the brand, the announcement and mails.
const brandPage = "/team/brand"

// ShowBrand shows the brand and the present announcement, the forms to change them, and the
// newest mails.
func (t *Team) ShowBrand(w http.ResponseWriter, r *http.Request) error {
	return t.drawBrand(w, r, http.StatusOK, teamview.BrandPage{})
}

// announcementForm returns an empty form.
func (t *Team) announcementForm(r *http.Request) (teamview.AnnouncementFields, error) {
	zone, err := t.settings.TimeZone(r.Context())
	if err != nil {
		return teamview.AnnouncementFields{}, err
	}
	return teamview.NewAnnouncementFields(zone, db.Now()), nil
}

// drawBrand fills in the forms that the page does not have yet, and the rest of it, and
// renders it.
func (t *Team) drawBrand(w http.ResponseWriter, r *http.Request, status int, page teamview.BrandPage) (err error) {
	if page.Form.Text.Name == "" {
		if page.Form, err = t.announcementForm(r); err != nil {
			return err
		}
	}
	if page.Brand.Name.Name == "" {
		brand, err := t.settings.Brand(r.Context())
		if err != nil {
			return err
		}
		page.Brand = teamview.NewBrandFields(brand)
	}
	now, err := t.settings.Announcement(r.Context())
	if err != nil {
		return err
	}
	if now.IsShown(db.Now()) {
		page.Now = now
	}
	if page.Labels == nil {
		labels, err := t.settings.Labels(r.Context())
		if err != nil {
			return err
		}
		form := teamview.NewLabelFields(labels)
		page.Labels = &form
	}
	if page.Consent, err = t.cast.RequiresConsent(r.Context()); err != nil {
		return err
	}
	page.Mail.Server = t.mailFrom
	if page.Mail.Mails, err = t.mail.Mails(r.Context(), shownMails); err != nil {
		return err
	}
	if !t.sealer.Sent { // without a mail server, mails not tried yet never will be
		page.Mail.Mails = slices.DeleteFunc(page.Mail.Mails, func(m outbox.Mail) bool { return m.Tries == 0 })
	}
	return t.pages.Draw(w, r, status, "Brand and messages", teamview.ShowBrand(page))
}

// shownMails limits how many mails the page lists.
const shownMails = 50

// Announce replaces the announcement.
func (t *Team) Announce(w http.ResponseWriter, r *http.Request) error {
	form, err := t.announcementForm(r)
	if err != nil {
		return err
	}
	if !site.ReadForm(r, form.Inputs()...) {
		return t.drawBrand(w, r, http.StatusUnprocessableEntity, teamview.BrandPage{Form: form})
	}
	err = t.settings.SetAnnouncement(r.Context(), form.Announcement())
	return t.pages.Done(w, r, err, brandPage, announced)
}

// RemoveAnnouncement removes the announcement.
func (t *Team) RemoveAnnouncement(w http.ResponseWriter, r *http.Request) error {
	err := t.settings.SetAnnouncement(r.Context(), team.Announcement{})
	return t.pages.Done(w, r, err, brandPage, removed)
}

// maxBrand limits the form with the brand, in bytes. It exceeds the limit of a logo, so that
// one that is too large can be answered with a sentence.
const maxBrand = 8 << 20

// SaveBrand changes the team's brand. A form without a logo keeps it.
func (t *Team) SaveBrand(w http.ResponseWriter, r *http.Request) error {
	now, err := t.settings.Brand(r.Context())
	if err != nil {
		return err
	}
	form := teamview.NewBrandFields(now)
	logo, file, err := t.readLogo(w, r, &form)
	if err != nil {
		return err
	}
	colour := form.Colour.Value
	valid := site.ReadForm(r, &form.Name, &form.NoLogo, &form.Colour)
	form.Colour.Value = cmp.Or(form.Colour.Value, colour)
	if !valid || form.Logo.Error != "" {
		return t.drawBrand(w, r, http.StatusUnprocessableEntity, teamview.BrandPage{Brand: form})
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
	err = t.settings.SetBrand(r.Context(), next, file)
	return t.pages.Done(w, r, err, brandPage, site.Saved)
}

// readLogo returns the logo in the form, without what it tells beside the picture, or nil if
// there is none. What is wrong with it is said in the form.
func (t *Team) readLogo(w http.ResponseWriter, r *http.Request, form *teamview.BrandFields) (logo team.Logo, file []byte, err error) {
	end, err := t.uploads.StartSending(w, r, site.Me(r).ID)
	if err != nil {
		return logo, nil, err
	}
	defer end()
	t.uploads.Patient(w, r)
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
	leave, err := t.uploads.Judges.Take(r.Context(), site.PersonKey(site.Me(r).ID, site.EachJudged))
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
func (t *Team) ShowLogo(w http.ResponseWriter, r *http.Request) error {
	file, logo, err := t.settings.Logo(r.Context())
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

// SaveConsent changes whether the consent of a person has to be noted before videos are made
// with them.
func (t *Team) SaveConsent(w http.ResponseWriter, r *http.Request) error {
	required := teamview.NewConsentField(false)
	site.ReadForm(r, &required)
	err := t.cast.RequireConsent(r.Context(), required.On, db.Now())
	return t.pages.Done(w, r, err, brandPage+"#consent", site.Saved)
}

// SaveLabels changes how the team tells that its videos are made by AI.
func (t *Team) SaveLabels(w http.ResponseWriter, r *http.Request) error {
	form := teamview.NewLabelFields(team.Labels{})
	if !site.ReadForm(r, &form.Guests, &form.Producer) {
		return t.drawBrand(w, r, http.StatusUnprocessableEntity, teamview.BrandPage{Labels: &form})
	}
	code, _ := team.ParseProducer(form.Producer.Value) // is one by its rule
	err := t.settings.SetLabels(r.Context(), team.Labels{Quiet: !form.Guests.On, Producer: code})
	return t.pages.Done(w, r, err, brandPage+"#labels", site.Saved)
}

// TestMail sends the viewer a mail.
func (t *Team) TestMail(w http.ResponseWriter, r *http.Request) error {
	if !t.sealer.Sent {
		return web.NotFound()
	}
	err := t.mail.AddMail(r.Context(), outbox.NewMail(outbox.MailTest, site.Me(r).ID, t.now()))
	return t.pages.Done(w, r, err, brandPage+"#mail", testMailSent(site.Me(r).Email))
}
