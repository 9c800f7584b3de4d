package team

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/a-h/templ"

	"dailies/db/outbox"
	"dailies/db/store/people"
	"dailies/handlers/site"
	"dailies/views/part"
	teamview "dailies/views/team"
	"dailies/web"
)

// Mail shows the mails that were sent or are waiting, and sends a test mail.
type Mail struct {
	canMail  bool
	mail     *people.Mail
	mailFrom string
	now      func() time.Time
	pages    *site.Pages
}

// shownMails limits how many mails the page lists.
const shownMails = 50

// Show lists the newest mails.
func (m *Mail) Show(w http.ResponseWriter, r *http.Request) error {
	page := teamview.MailPage{Server: m.mailFrom}
	var err error
	if page.Mails, err = m.mail.Mails(r.Context(), shownMails); err != nil {
		return err
	}
	if !m.canMail { // without a mail server, mails not tried yet never will be
		page.Mails = slices.DeleteFunc(page.Mails, func(m outbox.Mail) bool { return m.Tries == 0 })
	}
	return m.pages.Draw(w, r, http.StatusOK, "Mail", func(f part.Frame) templ.Component { return teamview.ShowMail(f, page) })
}

// Test sends the viewer a mail.
func (m *Mail) Test(w http.ResponseWriter, r *http.Request) error {
	if !m.canMail {
		return web.NotFound()
	}
	err := m.mail.AddMail(r.Context(), outbox.NewMail(outbox.MailTest, site.Me(r).ID, m.now()))
	return m.pages.Done(w, r, err, "/team/mail", fmt.Sprintf("A test is on its way to %s.", site.Me(r).Email))
}
