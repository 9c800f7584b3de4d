package views

import (
	"time"

	"github.com/a-h/templ"

	"dailies/db"
)

// collectionStories are collections as their page lists them.
func collectionStories() []story {
	frame := Frame{Now: storyNow}
	kept, bare := storyKept(1), storyCard(storyKept(2), withoutCover).Task
	of := func(name, note string, covers ...db.Task) db.Collection {
		return db.Collection{ID: 1, Name: name, Note: note, Count: len(covers), Covers: covers, ChangedAt: storyNow.Add(-time.Hour)}
	}
	return []story{
		{"Empty", collectionCard(of("Harbour mood", ""), frame)},
		{"One", collectionCard(of("Harbour mood", "", kept), frame)},
		{"Two, one without a cover", collectionCard(of("Harbour mood", "", kept, bare), frame)},
		{"Three, with a note", collectionCard(of("Harbour mood", "For the opening.", kept, kept, kept), frame)},
		{"Four, with a long name", collectionCard(of("Water and weather, the long list of everything that is wet", "", kept, kept, kept, kept), frame)},
	}
}

// collectedStories are where one video is put into collections.
func collectedStories() []story {
	trailer, mood := db.Collection{ID: 5, Name: "Trailer"}, db.Collection{ID: 6, Name: "Water and weather, the long list of everything that is wet"}
	panel := func(in, others []db.Collection) templ.Component {
		return collectionPart(CollectionPart{TaskID: 1, In: in, Recent: others})
	}
	return []story{
		{"In none", panel(nil, []db.Collection{trailer, mood})},
		{"In two", panel([]db.Collection{trailer, mood}, nil)},
		{"Being added", opened("Add to a collection", panel([]db.Collection{mood}, []db.Collection{trailer}))},
		{"The first one", opened("Add to a collection", panel(nil, nil))},
	}
}

// shareStories are the part of a page where links are made.
func shareStories() []story {
	panel := func(change func(*SharePart)) SharePart {
		p := SharePart{Able: true, Days: db.UsualShareDays}
		change(&p)
		return p
	}
	link := func(left time.Duration) ShareLink {
		s := db.Share{ID: 1, TaskID: 1, Title: "For the harbour fair", CreatedAt: storyNow.Add(-time.Hour), ExpiresAt: storyNow.Add(left)}
		return ShareLink{Share: s, Address: "https://dailies.example.com/share/ABC", Mine: true, Able: true}
	}
	asleep, secret := link(48*time.Hour), link(time.Hour)
	asleep.Asleep, asleep.Share.Video.Private = true, true
	asleep.Share.ID, secret.Share.ID = 2, 3
	secret.Secret, secret.Address, secret.Mine, secret.Share.MakerName = true, "", false, "Ada"
	untitled, resealed := link(48*time.Hour), link(48*time.Hour)
	untitled.Share.ID, resealed.Share.ID = 4, 5
	untitled.Share.Title, resealed.Address = "", ""
	return []story{
		{"Nothing to share yet", sharePart(panel(func(p *SharePart) { p.Able = false }), storyNow)},
		{"No link yet", sharePart(panel(func(*SharePart) {}), storyNow)},
		{"Links", sharePart(panel(func(p *SharePart) {
			p.Links = []ShareLink{link(7 * 24 * time.Hour), asleep, secret, untitled, resealed}
		}), storyNow)},
		{"Being made", opened("Share with a link", sharePart(panel(func(*SharePart) {}), storyNow))},
		{"A mistake", sharePart(panel(func(p *SharePart) {
			p.Title, p.Errors = "For the harbour fair, long", Errors{"title": "A title has 120 letters at most. This one has 130."}
		}), storyNow)},
		{"All that somebody gave away, in Settings", linksSection(Frame{Now: storyNow}, SettingsPage{Links: []ShareLink{link(7 * 24 * time.Hour), secret, untitled, resealed}})},
		{"The page behind a link", storyNote("hint", "It has a style sheet of its own, which would change this page: it is looked at where a link leads.")},
	}
}
