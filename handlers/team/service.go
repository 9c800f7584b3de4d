package team

import (
	"log/slog"
	"net/http"

	"dailies/db/store/people"
	"dailies/handlers/site"
	teamview "dailies/views/team"
	"dailies/web/videoapi"
)

// Service changes what the team tells the video service.
type Service struct {
	log      *slog.Logger
	page     *spendingPage
	settings *people.Settings
}

// SaveProvider saves the provider that requests name unless their maker chose another.
func (s *Service) SaveProvider(w http.ResponseWriter, r *http.Request) error {
	provider := teamview.NewServiceProvider("")
	fits := site.ReadForm(r, provider)
	if fits && !videoapi.ProviderFits(provider.Value) {
		provider.Error, fits = teamview.BadProvider, false
	}
	if !fits {
		return s.page.draw(w, r, http.StatusUnprocessableEntity, teamview.SpendingPage{Service: teamview.ServicePart{Provider: provider}})
	}
	if err := s.settings.SetProvider(r.Context(), provider.Value); err != nil {
		return err
	}
	s.log.Info("the provider was changed", "provider", provider.Value, "by", site.Me(r).ID)
	return s.page.pages.SeeOther(w, r, spendingPath+"#service", site.Saved)
}
