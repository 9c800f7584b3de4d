// Package team holds what admins do for the team: who is in it, and how it is set up.
package team

import (
	"dailies/handlers/site"
	"dailies/web/openid"
)

// Handlers holds the handlers of this package.
type Handlers struct {
	Members *Members
	Limits  *Limits
	SignOn  *SignOn
}

// New returns the handlers.
func New(s *site.Site, provider *openid.Provider) *Handlers {
	return &Handlers{Members: &Members{s}, Limits: &Limits{s}, SignOn: &SignOn{s, provider}}
}
