package account

import (
	"net/http"

	"dailies/db/outbox"
	"dailies/handlers/site"
	accountview "dailies/views/account"
)

// SaveMail stores which notices the user wants by mail. Unknown names are ignored.
func (s *Settings) SaveMail(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return err
	}
	wanted := map[outbox.Notice]bool{}
	for _, n := range r.PostForm["mail"] {
		wanted[outbox.Notice(n)] = true
	}
	if err := s.mail.SetNotices(r.Context(), site.Me(r).ID, wanted); err != nil {
		return err
	}
	return s.back(w, r, "What you are told by mail is saved.", "notices")
}

// fillMail fills in which notices the user gets by mail, if mail is configured.
func (s *Settings) fillMail(r *http.Request, page *accountview.SettingsPage) (err error) {
	if s.canMail {
		page.Mail, err = s.mail.WantedNotices(r.Context(), site.Me(r).ID)
	}
	return err
}
