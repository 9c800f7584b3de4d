package team

import (
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

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

const (
	// localTime is the format of a datetime-local form field.
	localTime = "2006-01-02T15:04"
	// longestAnnouncement limits how far in the future an announcement may end.
	longestAnnouncement = 366 * 24 * time.Hour
)

// Show shows the present announcement and the form to change it.
func (a *Announcement) Show(w http.ResponseWriter, r *http.Request) error {
	return a.page(w, r, http.StatusOK, teamview.AnnouncementPage{})
}

func (a *Announcement) page(w http.ResponseWriter, r *http.Request, status int, page teamview.AnnouncementPage) error {
	now, err := a.settings.Announcement(r.Context())
	if err != nil {
		return err
	}
	if now.IsShown(db.Now()) {
		page.Now = now
	}
	if page.Zone, err = a.settings.TimeZone(r.Context()); err != nil {
		return err
	}
	if page.Errors == nil {
		y, m, d := db.Now().In(page.Zone).Date()
		page.Until = time.Date(y, m, d+1, 18, 0, 0, 0, page.Zone).Format(localTime)
	}
	return a.pages.Draw(w, r, status, "Announcement", func(f part.Frame) templ.Component { return teamview.ShowAnnouncement(f, page) })
}

// Save replaces the announcement.
func (a *Announcement) Save(w http.ResponseWriter, r *http.Request) error {
	zone, err := a.settings.TimeZone(r.Context())
	if err != nil {
		return err
	}
	text := db.CleanName(site.Clip(r.PostFormValue("text"), 2000))
	typed := strings.TrimSpace(site.Clip(site.PlainText(r.PostFormValue("until")), 40))
	now, errs := db.Now(), part.Errors{}
	until, err := time.ParseInLocation(localTime, strings.Replace(typed, " ", "T", 1), zone)
	switch {
	case err != nil:
		errs["until"] = "Please give a day and a time, such as 2026-11-23 18:00."
	case !until.After(now):
		errs["until"] = "This time is over. Please choose one that is still to come."
	case until.After(now.Add(longestAnnouncement)):
		errs["until"] = "Please choose an end within a year."
	}
	switch {
	case text == "":
		errs["text"] = "Please write the line."
	case utf8.RuneCountInString(text) > team.MaxAnnouncement:
		errs["text"] = "Please say it in fewer words: 240 characters at most."
	}
	if len(errs) > 0 {
		return a.page(w, r, http.StatusUnprocessableEntity, teamview.AnnouncementPage{Text: text, Until: typed, Errors: errs})
	}
	if err := a.settings.SetAnnouncement(r.Context(), team.Announcement{Text: text, Until: until.UTC()}); err != nil {
		return err
	}
	return a.pages.SeeOther(w, r, "/team/announcement", "Everybody sees it from now on.")
}

// Remove removes the announcement.
func (a *Announcement) Remove(w http.ResponseWriter, r *http.Request) error {
	if err := a.settings.SetAnnouncement(r.Context(), team.Announcement{}); err != nil {
		return err
	}
	return a.pages.SeeOther(w, r, "/team/announcement", "Nobody sees it any more.")
}
