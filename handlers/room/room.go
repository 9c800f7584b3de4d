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
	attempts    *site.Attempts
	vault       *secrets.Vault
	viewers     *site.Viewers
}

// New returns the room.
func New(s *site.Site) *Room {
	return &Room{
		canMail: s.Mail, collections: s.Store.Collections, cookies: s.Cookies, films: s.Films, guard: s.Guard, guests: s.Store.Guests,
		hashing: s.Hashing, lineage: s.Store.Lineage, links: s.Store.Links, log: s.Log, media: s.Media, network: s.Network,
		notes: s.Store.Notes, settings: s.Store.Settings, shares: s.Shares, files: s.StoredFiles, takes: s.Store.Takes,
		attempts: s.Attempts,
		vault:    s.Vault, viewers: s.Viewers,
	}
}

// Routes returns the room's rows. Guests need no session: what the link lets them do is
// decided before the handler runs. The pages about mails need no password, because whoever
// gets mails must be able to stop them.
func (h *Room) Routes() []site.Route {
	open := h.guard.Open
	return []site.Route{
		site.On("GET /share/{token}", open, h.anyone(h.Show), site.ForLink).At("{locked}", "{share}").Gets(404, "nothing").
			Gets(200, "{link}", "{locked}"),
		site.On("POST /share/{token}/enter", open, h.anyone(h.Enter), site.ForLink).Sends("{locked}", "password=harbour-47").
			Gets(404, "nothing").Gets(303, "{link}").Gets(422, "{locked}"),
		site.On("GET /share/{token}/brand.css", open, h.anyone(h.Style), site.ForLink).At("{share}").Gets(404, "nothing").
			Gets(200, "{link}", "{locked}"),
		site.On("GET /share/{token}/logo", open, h.anyone(h.Logo), site.ForLink).At("{share}").
			Gets(404, "nothing", "{link}", "{locked}"), // the team has none
		site.On("GET /share/{token}/state", open, h.mayLook(h.State), site.ForGuests).At("{share}?seen=x").Gets(404, "nothing").
			Gets(204, "{link}").Gets(403, "{locked}"),
		site.On("POST /share/{token}/name", open, h.mayTalk(h.SaveName), site.ForGuests).Sends("{talking}", "name=Mara").
			Gets(404, "nothing").Gets(403, "{link}"), // whose guests may only watch
		site.On("GET /share/{token}/notes", open, h.mayTalk(h.ShowNotes), site.ForGuests).At("{talking}").Gets(404, "nothing").
			Gets(403, "{link}"),
		site.On("POST /share/{token}/notes", open, h.mayTalk(h.AddNote), site.ForGuests).
			Sends("{talking}", "task={film}&at=0&body=Larger&name=Mara").Gets(404, "nothing").Gets(403, "{link}", "{locked}"),
		site.On("POST /share/{token}/notes/{id}", open, h.mayTalk(h.ChangeNote), site.ForGuests).Sends("{talking}/{note}", "body=Another").
			By("ada").Gets(404, "nothing/1").Gets(403, "{link}/1"),
		site.On("POST /share/{token}/notes/{id}/delete", open, h.mayTalk(h.DeleteNote), site.ForGuests).At("{talking}/{note}").By("ada").
			Gets(404, "nothing/1").Gets(403, "{link}/1"),
		site.On("POST /share/{token}/verdict", open, h.mayDecide(h.Decide), site.ForGuests).
			Sends("{talking}", "task={film}&verdict=changes&body=Larger&name=Mara").Gets(404, "nothing").Gets(403, "{link}"),
		site.On("GET /share/{token}/mail", open, h.anyone(h.ShowMail), site.ForLink).At("{talking}").
			Gets(404, "nothing", "{locked}?to=1.x").Gets(200, "{link}", "{locked}"),
		site.On("POST /share/{token}/mail", open, h.anyone(h.TurnMails), site.ForLink).Sends("{talking}?to={stop}", "do=off").
			Gets(404, "nothing", "{link}"), // nobody has given an address
		site.On("GET /share/{token}/compare", open, h.mayLook(h.Compare), site.ForGuests).At("{share}").
			Gets(404, "nothing", "{link}").Gets(403, "{locked}"), // the link shows one take
		site.On("GET /share/{token}/media/{id}", open, h.mayLook(h.ShowFile), site.ForGuests).
			At("{share}/{media}", "{share}/{media}?download=1").Gets(404, "nothing/1", "{link}/99999").Gets(403, "{locked}/1"),
	}
}
