package account

import (
	"net/http"

	"dailies/db/team"
	"dailies/handlers/site"
	accountview "dailies/views/account"
)

// SaveMail keeps what the person wants to be told by mail. What is not known does not
// matter.
func (s *Settings) SaveMail(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return err
	}
	wanted := map[team.Notice]bool{}
	for _, n := range r.PostForm["mail"] {
		wanted[team.Notice(n)] = true
	}
	if err := s.site.Store.SetNotices(r.Context(), site.Me(r).ID, wanted); err != nil {
		return err
	}
	return s.back(w, r, "What you are told by mail is saved.", "notices")
}

// fillMail fills in what the person is told by mail, where mails are sent.
func (s *Settings) fillMail(r *http.Request, page *accountview.SettingsPage) (err error) {
	if s.site.Mail {
		page.Mail, err = s.site.Store.WantedNotices(r.Context(), site.Me(r).ID)
	}
	return err
}
