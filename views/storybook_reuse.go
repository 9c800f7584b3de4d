package views

import (
	"github.com/a-h/templ"

	"dailies/db"
	"dailies/web/videoapi"
)

// storyFinal is what a draft is made into.
func storyFinal() *Final {
	return &Final{ModelName: "Seedance 2.0", Price: Price{Credits: db.CreditsOf(60), Stated: true}}
}

func reuseStories() []story {
	menu := func(c Card) templ.Component { return storyActs(opened("Reuse", reuseMenu(c))) }
	draft, unknown := storyCard(storyKept(1), seeded), storyCard(storyKept(1))
	draft.Final, unknown.Final = storyFinal(), &Final{ModelName: "Veo 3.1"}
	pictured := storyCard(storyKept(1), inFrames)
	return []story{
		{"Closed", storyActs(reuseMenu(draft))},
		{"A draft with a seed", menu(draft)},
		{"A draft of which nobody knows what the final costs", menu(unknown)},
		{"Without a seed, with pictures", menu(pictured)},
		{"Without words, and not made", menu(storyCard(storyTask(1, db.Failed), wordless))},
	}
}

func originStories() []story {
	from := func(use db.Bond, changes ...func(*db.Task)) templ.Component {
		form := storyForm(videoapi.TextToVideo, "seedance-2.0")
		form.Origin = &Origin{Card: storyCard(storyKept(1), changes...), Use: use}
		return origin(form)
	}
	return []story{
		{"Everything", from(db.Copied)},
		{"The next scene, of a private video", from(db.Continued, private)},
		{"Without a cover and words", from(db.Retried, withoutCover, wordless)},
		{"Long words", from(db.Prompted, wordy)},
	}
}

func lineageStories() []story {
	made := func(id int64, bond db.Bond, changes ...func(*db.Task)) Card {
		return storyCard(storyKept(id), append(changes, func(t *db.Task) { t.Bond = bond })...)
	}
	own := made(3, db.Finalized)
	running := storyCard(storyTask(6, db.Processing), func(t *db.Task) { t.Bond = db.Continued })
	family := func(l Lineage) templ.Component { return lineage(TaskPage{Card: own, Lineage: l}) }
	return []story{
		{"Made from another", family(Lineage{Parent: []Card{made(1, db.NoBond)}})},
		{"Led to others", family(Lineage{Children: []Card{made(4, db.Copied, wordy), made(5, db.Reseeded, withoutCover), running}})},
		{"Made together", family(Lineage{Batch: []Card{made(2, db.NoBond), made(4, db.NoBond, inJapanese), made(5, db.NoBond)}})},
		{"All of it", family(Lineage{Parent: []Card{made(1, db.NoBond)}, Children: []Card{running}, Batch: []Card{made(2, db.NoBond)}})},
	}
}

// priceBarStories are what stands between the options and the button.
func priceBarStories() []story {
	thirty, many := db.CreditsOf(30), func(p Price) CreateForm {
		form := storyForm(videoapi.TextToVideo, "seedance-2.0")
		form.Price, form.Count = p, p.Count
		return form
	}
	drafted := func(draft Price) CreateForm {
		form := many(Price{Credits: thirty, Stated: true})
		fast, _ := videoapi.DefaultCatalog().Model("seedance-2.0-fast")
		form.Draft = &DraftOffer{Model: fast, Price: draft, Full: form.Price}
		return form
	}
	wrong := many(Price{Credits: thirty, Stated: true})
	wrong.Errors = Errors{"count": "At most 4 at once, please."}
	return []story{
		{"Stated by the service", storyPress(many(Price{Credits: thirty, Stated: true}))},
		{"As the last time", storyPress(many(Price{Credits: thirty}))},
		{"Not known", storyPress(many(Price{}))},
		{"Four", storyPress(many(Price{Credits: thirty, Stated: true, Count: 4}))},
		{"Four, not known", storyPress(many(Price{Count: 4}))},
		{"The final of a draft", storyPress(many(Price{Credits: thirty, Stated: true, Draft: db.CreditsOf(18)}))},
		{"Draft first, for less", storyPress(drafted(Price{Credits: db.CreditsOf(18), Stated: true}))},
		{"Draft first, not known", storyPress(drafted(Price{}))},
		{"Credits for some of them", storyPress(many(Price{Credits: thirty, Stated: true, Count: 4, Left: db.CreditsOf(70)}))},
		{"Credits for none", storyPress(many(Price{Credits: thirty, Stated: true, Left: db.CreditsOf(12)}))},
		{"A mistake", storyPress(wrong)},
	}
}
