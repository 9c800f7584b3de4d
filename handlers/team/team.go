// Package team holds the handlers with which admins manage the team: its members and
// its settings.
package team

import (
	"dailies/handlers/site"
	"dailies/web/openid"
	"dailies/web/videoapi"
)

// Handlers holds the handlers of this package.
type Handlers struct {
	Members *Members
	Member  *Member
	Leaving *Leaving
	Invites *Invites
	Limits  *Limits
	SignOn  *SignOn
	Keys    *Keys

	Announcement *Announcement
	Audit        *Audit
	Mail         *Mail
}

// New returns the handlers.
func New(s *site.Site, service *videoapi.Client, provider *openid.Provider) *Handlers {
	member := &Member{s}
	return &Handlers{
		Members: &Members{s}, Member: member, Leaving: &Leaving{s, member}, Invites: &Invites{s},
		Limits: &Limits{s}, SignOn: &SignOn{s, provider}, Keys: &Keys{s, service},
		Announcement: &Announcement{s}, Audit: &Audit{s}, Mail: &Mail{s},
	}
}
