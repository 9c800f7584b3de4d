package team

import (
	"net/http"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/store/people"
	"dailies/db/team"
	"dailies/handlers/site"
	"dailies/views/part"
	teamview "dailies/views/team"
)

// Announcement changes the announcement, a line that everybody sees on every page.
type Announcement struct {
	pages    *site.Pages
	settings *people.Settings
}

// Show shows the present announcement and the form to change it.
func (a *Announcement) Show(w http.ResponseWriter, r *http.Request) error {
	form, err := a.form(r)
	if err != nil {
		return err
	}
	return a.page(w, r, http.StatusOK, form)
}

func (a *Announcement) form(r *http.Request) (teamview.AnnouncementFields, error) {
	zone, err := a.settings.TimeZone(r.Context())
	if err != nil {
		return teamview.AnnouncementFields{}, err
	}
	return teamview.NewAnnouncementFields(zone, db.Now()), nil
}

func (a *Announcement) page(w http.ResponseWriter, r *http.Request, status int, form teamview.AnnouncementFields) error {
	now, err := a.settings.Announcement(r.Context())
	if err != nil {
		return err
	}
	page := teamview.AnnouncementPage{Form: form}
	if now.IsShown(db.Now()) {
		page.Now = now
	}
	return a.pages.Draw(w, r, status, "Announcement", func(f part.Frame) templ.Component { return teamview.ShowAnnouncement(f, page) })
}

// Save replaces the announcement.
func (a *Announcement) Save(w http.ResponseWriter, r *http.Request) error {
	form, err := a.form(r)
	if err != nil {
		return err
	}
	if !site.ReadForm(r, &form.Text, &form.Until) {
		return a.page(w, r, http.StatusUnprocessableEntity, form)
	}
	err = a.settings.SetAnnouncement(r.Context(), team.Announcement{Text: form.Text.Value, Until: form.Until.Time.UTC()})
	return a.pages.Done(w, r, err, "/team/announcement", "Everybody sees it from now on.")
}

// Remove removes the announcement.
func (a *Announcement) Remove(w http.ResponseWriter, r *http.Request) error {
	err := a.settings.SetAnnouncement(r.Context(), team.Announcement{})
	return a.pages.Done(w, r, err, "/team/announcement", "Nobody sees it any more.")
}
