package storybook

import (
	"time"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/views/account"
	"dailies/views/library"
	"dailies/views/part"
)

// collectionStories shows the cards of collections.
func collectionStories() []story {
	frame := part.Frame{Now: Now}
	kept, bare := Kept(1), Card(Kept(2), withoutCover).Task
	of := func(name, note string, covers ...db.Task) gallery.Collection {
		return gallery.Collection{ID: 1, Name: name, Note: note, Count: len(covers), Covers: covers, ChangedAt: Now.Add(-time.Hour)}
	}
	return []story{
		{"Empty", part.Framed(frame, library.CollectionCard(of("Harbour mood", "")))},
		{"One", part.Framed(frame, library.CollectionCard(of("Harbour mood", "", kept)))},
		{"Two, one without a cover", part.Framed(frame, library.CollectionCard(of("Harbour mood", "", kept, bare)))},
		{"Three, with a note", part.Framed(frame, library.CollectionCard(of("Harbour mood", "For the opening.", kept, kept, kept)))},
		{"Four, with a long name", part.Framed(frame, library.CollectionCard(
			of("Water and weather, the long list of everything that is wet", "", kept, kept, kept, kept)))},
	}
}

// collectedStories shows the section of a video's page that adds it to collections.
func collectedStories() []story {
	trailer, mood := gallery.Collection{ID: 5, Name: "Trailer"}, gallery.Collection{ID: 6, Name: "Water and weather, the long list of everything that is wet"}
	panel := func(in, others []gallery.Collection) templ.Component {
		return library.CollectionChoice(library.CollectionPart{TaskID: 1, In: in, Recent: others})
	}
	return []story{
		{"In none", panel(nil, []gallery.Collection{trailer, mood})},
		{"In two", panel([]gallery.Collection{trailer, mood}, nil)},
		{"Being added", opened("Add to a collection", panel([]gallery.Collection{mood}, []gallery.Collection{trailer}))},
		{"The first one", opened("Add to a collection", panel(nil, nil))},
	}
}

// shareStories shows the section of a page in which links are made.
func shareStories() []story {
	panel := func(change func(*library.SharePart)) library.SharePart {
		p := library.SharePart{Path: "/tasks/1", Able: true, Form: library.NewShareForm()}
		change(&p)
		return p
	}
	link := func(left time.Duration) part.ShareLink {
		s := gallery.Share{ID: 1, TaskID: 1, Title: "For the harbour fair", CreatedAt: Now.Add(-time.Hour), ExpiresAt: Now.Add(left)}
		return part.ShareLink{Share: s, Address: "https://dailies.example.com/share/ABC", Mine: true, Able: true}
	}
	asleep, secret := link(48*time.Hour), link(time.Hour)
	asleep.Asleep, asleep.Share.Video.Private = true, true
	asleep.Share.ID, secret.Share.ID = 2, 3
	secret.Secret, secret.Address, secret.Mine, secret.Share.MakerName = true, "", false, "Ada"
	untitled, resealed := link(48*time.Hour), link(48*time.Hour)
	untitled.Share.ID, resealed.Share.ID = 4, 5
	untitled.Share.Title, resealed.Address = "", ""
	return []story{
		{"Nothing to share yet", library.ShareBox(panel(func(p *library.SharePart) { p.Able = false }), Now)},
		{"No link yet", library.ShareBox(panel(func(*library.SharePart) {}), Now)},
		{"What guests may do", library.ShareBox(panel(func(p *library.SharePart) {
			p.Offers, p.Form.May.Value = gallery.GuestPermissions(), string(gallery.Decide)
		}), Now)},
		{"A link with a password, from before links named anybody", library.ShareBox(panel(func(p *library.SharePart) {
			l := link(7 * 24 * time.Hour)
			l.Share.Password, l.Share.Download, l.Share.Welcome = "a hash", true, "Watch it with sound."
			p.Links = []part.ShareLink{l}
			p.Choose(1)
		}), Now)},
		{"Links", library.ShareBox(panel(func(p *library.SharePart) {
			p.Links = []part.ShareLink{link(7 * 24 * time.Hour), asleep, secret, untitled, resealed}
		}), Now)},
		{"Your link, and others", library.ShareBox(panel(func(p *library.SharePart) {
			p.Links = []part.ShareLink{link(7 * 24 * time.Hour), asleep, secret}
			p.Choose(1)
		}), Now)},
		{"Of a viewer", library.ShareBox(panel(func(p *library.SharePart) { p.LookOnly = true }), Now)},
		{"A mistake", library.ShareBox(panel(func(p *library.SharePart) {
			fill(&p.Form.Title, "For the harbour fair, long", "A title has 120 letters at most. This one has 130.")
		}), Now)},
		{"All of a person’s links, in Settings", part.Framed(part.Frame{Now: Now}, account.LinkList(
			account.SettingsPage{Links: []part.ShareLink{link(7 * 24 * time.Hour), secret, untitled, resealed}}))},
		{"The page behind a link", element(
			"p", "hint", "It has a style sheet of its own, which would change this page: open a link to see it.",
		)},
	}
}
