package team

import (
	"net/http"
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
