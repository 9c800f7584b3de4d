package account

import (
	"net/http"

	"dailies/db/store/people"
	"dailies/handlers/site"
	"dailies/web"
)

// Announcement lets people close the announcement that an admin shows on every page.
type Announcement struct{ settings *people.Settings }

// maxMark limits the mark of an announcement, in bytes.
const maxMark = 64

// Close records that the viewer has closed the announcement with the mark.
func (a *Announcement) Close(w http.ResponseWriter, r *http.Request) error {
	mark := site.Clip(site.PlainText(r.PostFormValue("mark")), maxMark)
	if err := a.settings.CloseAnnouncement(r.Context(), site.Me(r).ID, mark); err != nil {
		return err
	}
	return web.SeeOther(w, r, site.CameFrom(r))
}
