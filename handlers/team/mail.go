package team

import (
	"net/http"

	"dailies/db/outbox"
	"dailies/handlers/site"
	"dailies/web"
)

// TestMail sends the viewer a mail.
func (b *Brand) TestMail(w http.ResponseWriter, r *http.Request) error {
	if !b.mails.canMail {
		return web.NotFound()
	}
	err := b.mails.mail.AddMail(r.Context(), outbox.NewMail(outbox.MailTest, site.Me(r).ID, b.mails.now()))
	return b.pages.Done(w, r, err, brandPage+"#mail", testMailSent(site.Me(r).Email))
}
