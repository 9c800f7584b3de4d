package storybook

import (
	"github.com/a-h/templ"

	"dailies/db"
	"dailies/views/create"
	"dailies/views/input"
	"dailies/views/library"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// storyFinal returns the price of making a draft on the full model.
func storyFinal() *part.Final {
	return &part.Final{ModelName: "Seedance 2.0", Price: part.Price{Credits: db.CreditsOf(60), Stated: true}}
}

func reuseStories() []story {
	menu := func(c part.Card) templ.Component {
		return within(templ.Attributes{"class": "pop menu"}, part.ReuseLinks(c))
	}
	draft, unknown := Card(Kept(1), seeded), Card(Kept(1))
	draft.Final, unknown.Final = storyFinal(), &part.Final{ModelName: "Veo 3.1"}
	pictured := Card(Kept(1), inFrames)
	return []story{
		{"Closed", part.AgainMenu(draft)},
		{"A draft with a seed", menu(draft)},
		{"A draft of which nobody knows what the final costs", menu(unknown)},
		{"Without a seed, with pictures", menu(pictured)},
		{"Without words, and not made", menu(Card(Task(1, db.Failed), wordless))},
	}
}

func originStories() []story {
	from := func(use db.Reuse, changes ...func(*db.Task)) templ.Component {
		form := Form(videoapi.TextToVideo, "seedance-2.0")
		form.Origin = &create.Origin{Card: Card(Kept(1), changes...), Use: use}
		return create.OriginPart(form)
	}
	return []story{
		{"Everything", from(db.Copied)},
		{"The next scene, of a private video", from(db.Continued, private)},
		{"Without a cover and words", from(db.Retried, withoutCover, wordless)},
		{"Long words", from(db.Prompted, wordy)},
	}
}

func lineageStories() []story {
	made := func(id int64, reuse db.Reuse, changes ...func(*db.Task)) part.Card {
		return Card(Kept(id), append(changes, func(t *db.Task) { t.Reuse = reuse })...)
	}
	own := made(3, db.Finalized)
	running := Card(Task(6, db.Processing), func(t *db.Task) { t.Reuse = db.Continued })
	family := func(l library.Lineage) templ.Component {
		return library.LineagePart(library.TaskPage{Card: own, Lineage: l})
	}
	return []story{
		{"Based on another", family(library.Lineage{Parent: []part.Card{made(1, db.NoReuse)}})},
		{"Led to others", family(library.Lineage{
			Children: []part.Card{made(4, db.Copied, wordy), made(5, db.Reseeded, withoutCover), running},
		})},
		{"Other takes", family(library.Lineage{
			Batch: []part.Card{made(2, db.NoReuse), made(4, db.NoReuse, inJapanese), made(5, db.NoReuse)},
		})},
		{"All of it", family(library.Lineage{
			Parent: []part.Card{made(1, db.NoReuse)}, Children: []part.Card{running}, Batch: []part.Card{made(2, db.NoReuse)},
		})},
	}
}

// priceBarStories shows what is between the options and the button.
func priceBarStories() []story {
	thirty, many := db.CreditsOf(30), func(p part.Price) create.CreateForm {
		form := Form(videoapi.TextToVideo, "seedance-2.0")
		form.Price, form.Count = p, p.Count
		return form
	}
	drafted := func(draft part.Price) create.CreateForm {
		form := many(part.Price{Credits: thirty, Stated: true})
		fast, _ := videoapi.DefaultCatalog().Model("seedance-2.0-fast")
		form.Draft = &create.DraftOffer{Model: fast, Price: draft, Full: form.Price}
		return form
	}
	wrong := many(part.Price{Credits: thirty, Stated: true})
	wrong.Errors = input.Errors{"count": "4 at most"}
	return []story{
		{"Stated by the service", create.CreateOptions(many(part.Price{Credits: thirty, Stated: true}))},
		{"As the last time", create.CreateOptions(many(part.Price{Credits: thirty}))},
		{"Not known", create.CreateOptions(many(part.Price{}))},
		{"Four", create.CreateOptions(many(part.Price{Credits: thirty, Stated: true, Count: 4}))},
		{"Four, not known", create.CreateOptions(many(part.Price{Count: 4}))},
		{"The final of a draft", create.CreateOptions(many(part.Price{Credits: thirty, Stated: true, Draft: db.CreditsOf(18)}))},
		{"Draft first, for less", create.CreateOptions(drafted(part.Price{Credits: db.CreditsOf(18), Stated: true}))},
		{"Draft first, not known", create.CreateOptions(drafted(part.Price{}))},
		{"Credits for some of them", create.CreateOptions(many(part.Price{
			Credits: thirty, Stated: true, Count: 4, Left: db.CreditsOf(70),
		}))},
		{"Credits for none", create.CreateOptions(many(part.Price{Credits: thirty, Stated: true, Left: db.CreditsOf(12)}))},
		{"A mistake", create.CreateOptions(wrong)},
	}
}
