// Package room serves everything that people without an account see: the page behind a link,
// and what belongs to it.
package room

import (
	"log/slog"

	"dailies/db/media"
	"dailies/db/secrets"
	"dailies/db/store/people"
	"dailies/db/store/video"
	"dailies/handlers/site"
	"dailies/web"
)

// Room serves the guests of links.
type Room struct {
	canMail     bool
	collections *video.Collections
	cookies     *web.Cookies
	films       *site.Films
	guard       *site.Guard
	guests      *video.Guests
	hashing     *site.Hashing
	lineage     *video.Lineage
	links       *video.Links
	log         *slog.Logger
	media       *media.Store
	network     *site.Network
	notes       *video.Notes
	settings    *people.Settings
	shares      *site.Shares
	files       *site.StoredFiles
	takes       *video.Takes
	tries       *site.Tries
	vault       *secrets.Vault
	viewers     *site.Viewers
}

// New returns the room.
func New(s *site.Site) *Room {
	return &Room{
		canMail: s.Mail, collections: s.Store.Collections, cookies: s.Cookies, films: s.Films, guard: s.Guard, guests: s.Store.Guests,
		hashing: s.Hashing, lineage: s.Store.Lineage, links: s.Store.Links, log: s.Log, media: s.Media, network: s.Network,
		notes: s.Store.Notes, settings: s.Store.Settings, shares: s.Shares, files: s.StoredFiles, takes: s.Store.Takes, tries: s.Tries,
		vault: s.Vault, viewers: s.Viewers,
	}
}

// Routes returns the room's rows. Guests need no session: what the link lets them do is
// decided before the handler runs. The pages about mails need no password, because whoever
// gets mails must be able to stop them.
func (h *Room) Routes() []site.Route {
	open := h.guard.Open
	return []site.Route{
		site.On("GET /share/{token}", open, h.anyone(h.Show)),
		site.On("POST /share/{token}/enter", open, h.anyone(h.Enter)),
		site.On("GET /share/{token}/brand.css", open, h.anyone(h.Style)),
		site.On("GET /share/{token}/logo", open, h.anyone(h.Logo)),
		site.On("GET /share/{token}/state", open, h.mayLook(h.State)),
		site.On("POST /share/{token}/name", open, h.mayTalk(h.SaveName)),
		site.On("GET /share/{token}/notes", open, h.mayTalk(h.ShowNotes)),
		site.On("POST /share/{token}/notes", open, h.mayTalk(h.AddNote)),
		site.On("POST /share/{token}/notes/{id}", open, h.mayTalk(h.ChangeNote)),
		site.On("POST /share/{token}/notes/{id}/delete", open, h.mayTalk(h.DeleteNote)),
		site.On("POST /share/{token}/verdict", open, h.mayDecide(h.Decide)),
		site.On("GET /share/{token}/mail", open, h.anyone(h.ShowMail)),
		site.On("POST /share/{token}/mail", open, h.anyone(h.TurnMails)),
		site.On("GET /share/{token}/compare", open, h.mayLook(h.Compare)),
		site.On("GET /share/{token}/media/{id}", open, h.mayLook(h.ShowFile)),
	}
}
