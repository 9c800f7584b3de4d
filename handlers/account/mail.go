package account

import (
	"net/http"
	"strings"

	"dailies/db/outbox"
	"dailies/db/store/people"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/web"
)

// Mails chooses what a user is told by mail.
type Mails struct {
	canMail  bool
	mail     *people.Mail
	settings *Settings
}

// SaveMail stores which notices the user wants by mail. Unknown names are ignored.
func (m *Mails) SaveMail(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return err
	}
	wanted := map[outbox.Notice]bool{}
	for _, n := range r.PostForm["mail"] {
		wanted[outbox.Notice(n)] = true
	}
	err := m.mail.SetNotices(r.Context(), site.Me(r).ID, wanted)
	return m.settings.done(w, r, err, site.Saved, "notices")
}

// MailReady lets the user be told by mail how their videos ended, and answers with the
// notices that they wanted before, separated by spaces. The stage of Create asks for it in
// place, where the browser shows no notifications.
func (m *Mails) MailReady(w http.ResponseWriter, r *http.Request) error {
	if !m.canMail {
		return web.NotFound()
	}
	wanted, err := m.mail.WantedNotices(r.Context(), site.Me(r).ID)
	if err != nil {
		return err
	}
	var before []string
	for _, n := range outbox.Notices() {
		if wanted[n] {
			before = append(before, string(n))
		}
	}
	wanted[outbox.NoticeReady], wanted[outbox.NoticeFailed] = true, true
	if err := m.mail.SetNotices(r.Context(), site.Me(r).ID, wanted); err != nil {
		return err
	}
	return web.Send(w, http.StatusOK, []byte(strings.Join(before, " ")))
}

// Fill fills in which notices the user gets by mail, if mail is configured.
func (m *Mails) Fill(_ http.ResponseWriter, r *http.Request, page *accountview.SettingsPage) (err error) {
	if m.canMail {
		page.Mail, err = m.mail.WantedNotices(r.Context(), site.Me(r).ID)
	}
	return err
}
