package team

import (
	"net/http"

	"dailies/db/team"
	"dailies/handlers/site"
	teamview "dailies/views/team"
)

// SaveLabels changes how the team tells that its videos are made by AI.
func (b *Brand) SaveLabels(w http.ResponseWriter, r *http.Request) error {
	form := teamview.NewLabelFields(team.Labels{})
	valid := site.ReadForm(r, &form.Guests, &form.Producer)
	code, ok := team.ParseProducer(form.Producer.Value)
	if !ok && form.Producer.Error == "" {
		form.Producer.Error, valid = teamview.ProducerOdd, false
	}
	if !valid {
		brand, err := b.settings.Brand(r.Context())
		if err != nil {
			return err
		}
		return b.pageOf(w, r, http.StatusUnprocessableEntity, teamview.BrandPage{Brand: teamview.NewBrandFields(brand), Labels: &form})
	}
	err := b.settings.SetLabels(r.Context(), team.Labels{Quiet: !form.Guests.On, Producer: code})
	return b.pages.Done(w, r, err, brandPage+"#labels", site.Saved)
}
