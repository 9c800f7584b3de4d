package team

import (
	"net/http"

	"dailies/db"
	"dailies/handlers/site"
	teamview "dailies/views/team"
)

// SaveConsent changes whether the consent of a person has to be noted before videos are made
// with them.
func (b *Brand) SaveConsent(w http.ResponseWriter, r *http.Request) error {
	required := teamview.NewConsentField(false)
	site.ReadForm(r, &required)
	err := b.cast.RequireConsent(r.Context(), required.On, db.Now())
	return b.pages.Done(w, r, err, brandPage+"#consent", site.Saved)
}
