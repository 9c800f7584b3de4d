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

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/store/people"
	"dailies/db/store/video"
	"dailies/db/team"
	"dailies/handlers/site"
	"dailies/views/part"
	teamview "dailies/views/team"
	"dailies/web"
	"dailies/web/picture"
)

// Brand shows the team's brand, the announcement, and what is sent by email.
type Brand struct {
	cast     *video.Cast
	intake   *site.Intake
	mails    *mailPart
	pages    *site.Pages
	settings *people.Settings
}

// brandPage is the path of its page.
const brandPage = "/team/brand"

// mailPart knows the mail server and the newest mails.
type mailPart struct {
	canMail  bool
	mail     *people.Mail
	mailFrom string
	now      func() time.Time
}

// Show shows the brand and the present announcement, the forms to change them, and the
// newest mails.
func (b *Brand) Show(w http.ResponseWriter, r *http.Request) error {
	form, err := b.form(r)
	if err != nil {
		return err
	}
	return b.page(w, r, http.StatusOK, form)
}

func (b *Brand) form(r *http.Request) (teamview.AnnouncementFields, error) {
	zone, err := b.settings.TimeZone(r.Context())
	if err != nil {
		return teamview.AnnouncementFields{}, err
	}
	return teamview.NewAnnouncementFields(zone, db.Now()), nil
}

func (b *Brand) page(w http.ResponseWriter, r *http.Request, status int, form teamview.AnnouncementFields) error {
	brand, err := b.settings.Brand(r.Context())
	if err != nil {
		return err
	}
	return b.draw(w, r, status, teamview.BrandPage{Brand: teamview.NewBrandFields(brand), Form: form})
}

// pageWith shows the form of the brand as it was filled in.
func (b *Brand) pageWith(w http.ResponseWriter, r *http.Request, status int, brand teamview.BrandFields) error {
	return b.pageOf(w, r, status, teamview.BrandPage{Brand: brand})
}

// pageOf shows the page with the usual form of an announcement.
func (b *Brand) pageOf(w http.ResponseWriter, r *http.Request, status int, page teamview.BrandPage) (err error) {
	if page.Form, err = b.form(r); err != nil {
		return err
	}
	return b.draw(w, r, status, page)
}

func (b *Brand) draw(w http.ResponseWriter, r *http.Request, status int, page teamview.BrandPage) error {
	now, err := b.settings.Announcement(r.Context())
	if err != nil {
		return err
	}
	if now.IsShown(db.Now()) {
		page.Now = now
	}
	if page.Labels == nil {
		labels, err := b.settings.Labels(r.Context())
		if err != nil {
			return err
		}
		form := teamview.NewLabelFields(labels)
		page.Labels = &form
	}
	if page.Consent, err = b.cast.RequiresConsent(r.Context()); err != nil {
		return err
	}
	if page.Mail, err = b.mails.part(r); err != nil {
		return err
	}
	return b.pages.Draw(w, r, status, "Brand and messages", func(f part.Frame) templ.Component { return teamview.ShowBrand(f, page) })
}

// shownMails limits how many mails the page lists.
const shownMails = 50

func (m *mailPart) part(r *http.Request) (p teamview.MailPart, err error) {
	p.Server = m.mailFrom
	if p.Mails, err = m.mail.Mails(r.Context(), shownMails); err != nil {
		return p, err
	}
	if !m.canMail { // without a mail server, mails not tried yet never will be
		p.Mails = slices.DeleteFunc(p.Mails, func(m outbox.Mail) bool { return m.Tries == 0 })
	}
	return p, nil
}

// Announce replaces the announcement.
func (b *Brand) Announce(w http.ResponseWriter, r *http.Request) error {
	form, err := b.form(r)
	if err != nil {
		return err
	}
	if !site.ReadForm(r, form.Inputs()...) {
		return b.page(w, r, http.StatusUnprocessableEntity, form)
	}
	err = b.settings.SetAnnouncement(r.Context(), form.Announcement())
	return b.pages.Done(w, r, err, brandPage, announced)
}

// Remove removes the announcement.
func (b *Brand) Remove(w http.ResponseWriter, r *http.Request) error {
	err := b.settings.SetAnnouncement(r.Context(), team.Announcement{})
	return b.pages.Done(w, r, err, brandPage, removed)
}

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

// SaveConsent changes whether the consent of a person has to be noted before videos are made
// with them.
func (b *Brand) SaveConsent(w http.ResponseWriter, r *http.Request) error {
	required := teamview.NewConsentField(false)
	site.ReadForm(r, &required)
	err := b.cast.RequireConsent(r.Context(), required.On, db.Now())
	return b.pages.Done(w, r, err, brandPage+"#consent", site.Saved)
}

// SaveLabels changes how the team tells that its videos are made by AI.
func (b *Brand) SaveLabels(w http.ResponseWriter, r *http.Request) error {
	form := teamview.NewLabelFields(team.Labels{})
	valid := site.ReadForm(r, &form.Guests, &form.Producer)
	code, ok := team.ParseProducer(form.Producer.Value)
	if !ok && form.Producer.Error == "" {
		form.Producer.Error, valid = teamview.ProducerOdd, false
	}
	if !valid {
		brand, err := b.settings.Brand(r.Context())
		if err != nil {
			return err
		}
		return b.pageOf(w, r, http.StatusUnprocessableEntity, teamview.BrandPage{Brand: teamview.NewBrandFields(brand), Labels: &form})
	}
	err := b.settings.SetLabels(r.Context(), team.Labels{Quiet: !form.Guests.On, Producer: code})
	return b.pages.Done(w, r, err, brandPage+"#labels", site.Saved)
}

// TestMail sends the viewer a mail.
func (b *Brand) TestMail(w http.ResponseWriter, r *http.Request) error {
	if !b.mails.canMail {
		return web.NotFound()
	}
	err := b.mails.mail.AddMail(r.Context(), outbox.NewMail(outbox.MailTest, site.Me(r).ID, b.mails.now()))
	return b.pages.Done(w, r, err, brandPage+"#mail", testMailSent(site.Me(r).Email))
}
