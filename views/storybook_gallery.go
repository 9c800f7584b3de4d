package views

import (
	"time"

	"dailies/db"
	"dailies/web/videoapi"
)

// storyShelf is a gallery with something to choose from.
func storyShelf() Gallery {
	return Gallery{
		Filter: db.TaskFilter{Viewer: 1, State: db.Success}, Models: videoapi.DefaultCatalog().Models,
		People:      []db.User{{ID: 1, Name: "Mara Ellison"}, {ID: 2, Name: "Jon Okafor"}, {ID: 3, Name: "Nobody's films"}},
		Tags:        []db.Tag{{ID: 1, Name: "Harbour", Count: 4}, {ID: 2, Name: "夜", Count: 100}},
		Collections: []db.Collection{{ID: 5, Name: "Trailer"}},
		Facets: db.Facets{
			Total: 2843, Makers: map[int64]int{1: 42, 2: 100}, Scenes: map[string]int{"text-to-video": 100, "image-to-video": 7},
			Models: map[string]int{"seedance-2.0": 42, "retired-1": 3}, Ratios: map[string]int{"16:9": 2841, "9:16": 2},
			States: map[db.State]int{db.Success: 100, db.Failed: 1}, Starred: 5, Tags: map[string]int{"harbour": 4, "夜": 100}, Dates: []int{0, 3, 9, 100},
		},
	}
}

// storyChosen is the gallery with as many filters as fit.
func storyChosen() Gallery {
	g := storyShelf()
	g.Filter = db.TaskFilter{Query: "tram", Viewer: 1, Maker: 1, Model: "seedance-2.0", Ratio: "9:16", State: db.AnyState, Tag: "harbour", Starred: true, Collection: 5}
	g.Dates = Dates{From: "2026-11-01", Until: "2026-11-14"}
	g.Collection = &g.Collections[0]
	return g
}

func filterStories() []story {
	return []story{
		{"Nothing chosen", inGallery(filters(storyShelf()))},
		{"Several chosen", inGallery(filters(storyChosen()))},
		{"One open, with counts", inGallery(opened("Person", filters(storyShelf())))},
		{"The days, open", inGallery(opened("Date", filters(storyChosen())))},
	}
}

func galleryStories() []story {
	show := func(caption string, t db.Task, changes ...func(*db.Task)) story {
		return story{caption, galleryCard(storyCard(t, changes...))}
	}
	draft, several := storyCard(storyKept(1)), storyCard(storyKept(1))
	draft.Final, several.Together = storyFinal(), []int64{1, 2, 3, 4}
	return []story{
		show("With a cover", storyKept(1)),
		show("Starred", storyKept(1), starred),
		show("Private", storyKept(1), private),
		{"Chosen", ticked(galleryCard(storyCard(storyKept(1), starred)))},
		show("With a tag", storyKept(1), labelled("harbour")),
		show("With many tags and long ones", storyKept(1), labelled("harbour", "everything that is wet and shines at night", "夜", "rain", "tram")),
		{"One of four made together", galleryCard(several)},
		{"Its menu, open", opened("Reuse", galleryCard(draft))},
		show("Of somebody else", storyKept(1), ofSomebodyElse),
		show("Without a cover", storyKept(1), withoutCover),
		{"Upright", shaped("9-16", galleryCard(storyCard(storyKept(1), upright)))},
		{"Very wide", shaped("21-9", galleryCard(storyCard(storyKept(1), veryWide)))},
		show("Long words", storyKept(1), wordy),
		show("No words", storyKept(1), wordless),
		show("Words of another script", storyKept(1), inJapanese),
		show("Being saved", storyKept(1), keptAs(db.Saving)),
		show("No room to save it", storyKept(1), keptAs(db.Saving), blamed(db.BlameSpace, "")),
		show("The file is lost", storyKept(1), keptAs(db.Lost)),
		show("Running", storyTask(1, db.Processing)),
		show("Failed", storyTask(1, db.Failed)),
		show("Canceled", storyTask(1, db.Canceled)),
		show("Rejected", storyTask(1, db.Rejected)),
		show("Unconfirmed", storyTask(1, db.Unconfirmed)),
	}
}

func binStories() []story {
	show := func(caption string, ago time.Duration, changes ...func(*db.Task)) story {
		return story{caption, binCard(storyCard(storyKept(1), append(changes, binned(ago))...))}
	}
	return []story{
		show("Just deleted", time.Minute),
		show("Without a cover", 3*24*time.Hour, withoutCover),
		show("Of somebody else, whose pictures nobody sees", 12*24*time.Hour, ofSomebodyElse),
		show("Long words, on its last day", 29*24*time.Hour+time.Hour, wordy),
		show("Gone any moment", 31*24*time.Hour),
	}
}

func chosenStories() []story {
	return []story{
		{"Closed", inGallery(chosenBar(storyShelf()))},
		{"Tags", inGallery(opened("Tag", chosenBar(storyShelf())))},
		{"Collections", inGallery(opened("Collect", chosenBar(storyShelf())))},
		{"Nobody has a collection yet", inGallery(opened("Collect", chosenBar(Gallery{})))},
		{"Who sees them", inGallery(opened("Who sees it", chosenBar(storyShelf())))},
	}
}

func emptyStories() []story {
	words := storyShelf()
	words.Filter.Query = "giraffe"
	return []story{
		{"The gallery of a new team", nothingYet()},
		{"No words fit", inGallery(nothingFound(words))},
		{"No filters fit", inGallery(nothingFound(Gallery{Filter: db.TaskFilter{Model: "veo3"}}))},
		{"Neither fit", inGallery(nothingFound(storyChosen()))},
		{"The bin", emptyBin()},
		{"Uploaded pictures", uploadList(Uploads{})},
		{"Uploaded pictures, as an admin deletes them", uploadList(Uploads{All: true, Page: 2, More: true, Uploads: []Upload{
			{Picture: db.Picture{ID: 7, Name: "harbour at dusk.jpg", Width: 4032, Height: 3024, Size: 4_200_000}, Mine: true},
			{Picture: db.Picture{ID: 8, Width: 800, Height: 600, Size: 120_000}, Maker: "Jon Okafor"},
		}})},
		{"Recipes", noRecipes()},
		{"Too few to compare", howToCompare(Compare{})},
	}
}
