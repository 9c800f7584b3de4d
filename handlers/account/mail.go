package account

import (
	"net/http"

	"dailies/db/outbox"
	"dailies/db/store/people"
	"dailies/handlers/site"
	accountview "dailies/views/account"
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
	return m.settings.done(w, r, err, "What you are told by mail is saved.", "notices")
}

// fill fills in which notices the user gets by mail, if mail is configured.
func (m *Mails) fill(_ http.ResponseWriter, r *http.Request, page *accountview.SettingsPage) (err error) {
	if m.canMail {
		page.Mail, err = m.mail.WantedNotices(r.Context(), site.Me(r).ID)
	}
	return err
}
