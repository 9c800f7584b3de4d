package account

import (
	"net/http"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/store/people"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/part"
)

// Settings shows the page with the settings of the viewer's own account.
type Settings struct {
	pages    *site.Pages
	sessions *people.Sessions
	programs *people.Programs
	parts    []SettingsPart
}

// A SettingsPart fills in a part of the settings page.
type SettingsPart interface {
	Fill(http.ResponseWriter, *http.Request, *accountview.SettingsPage) error
}

// Show shows the settings page.
func (s *Settings) Show(w http.ResponseWriter, r *http.Request) error {
	return s.draw(w, r, http.StatusOK, accountview.SettingsPage{Name: site.Me(r).Name})
}

// back redirects to the anchor on the settings page, which shows the sentence.
func (s *Settings) back(w http.ResponseWriter, r *http.Request, sentence, anchor string) error {
	return s.pages.SeeOther(w, r, "/settings#"+anchor, sentence)
}

// done is like back, for a change that has ended with err.
func (s *Settings) done(w http.ResponseWriter, r *http.Request, err error, sentence, anchor string) error {
	return s.pages.Done(w, r, err, "/settings#"+anchor, sentence)
}

// draw fills in the rest of the settings page and renders it.
func (s *Settings) draw(w http.ResponseWriter, r *http.Request, status int, page accountview.SettingsPage) (err error) {
	v, _ := site.ViewerOf(r)
	page.LookOnly, page.Current = !v.User.Makes(), v.Session.ID
	for _, p := range s.parts {
		if err := p.Fill(w, r, &page); err != nil {
			return err
		}
	}
	if page.Tokens, page.Hooks, err = s.programs.Connected(r.Context(), v.User.ID, db.Now()); err != nil {
		return err
	}
	if page.Too == nil {
		page.Too = accountview.NewProgramsToo()
	}
	if page.Sessions, err = s.sessions.Of(r.Context(), v.User.ID, db.Now()); err != nil {
		return err
	}
	return s.pages.Draw(w, r, status, "Settings", func(f part.Frame) templ.Component { return accountview.ShowSettings(f, page) })
}
