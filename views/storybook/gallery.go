package storybook

import (
	"time"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/ordering"
	"dailies/views/create"
	"dailies/views/library"
	"dailies/web/videoapi"
)

// Gallery returns a gallery with choices for every filter.
func Gallery() library.Gallery {
	return library.Gallery{
		Filter: gallery.Filter{Viewer: 1, States: []db.State{db.Success}}, Models: videoapi.DefaultCatalog().Models,
		People: []db.User{
			{ID: 1, Name: "Mara Ellison"}, {ID: 2, Name: "Jon Okafor", Email: "jon@example.com"},
			{ID: 3, Name: "Nobody’s films"},
		},
		Tags:        []gallery.Tag{{ID: 1, Name: "Harbour"}, {ID: 2, Name: "夜"}},
		Collections: []gallery.Collection{{ID: 5, Name: "Trailer"}},
		Total:       2843,
		Counts: map[gallery.Facet]map[string]int{
			gallery.ByMaker: {"1": 42, "2": 100}, gallery.ByScene: {"text-to-video": 100, "image-to-video": 7},
			gallery.ByModel: {"seedance-2.0": 42, "retired-1": 3}, gallery.ByRatio: {"16:9": 2841, "9:16": 2},
			gallery.ByState: {"success": 100, "failed": 1}, gallery.ByTag: {"harbour": 4, "夜": 100},
			gallery.ByDate: {"week": 3, "month": 9, "year": 100}, gallery.ByStarred: {"1": 5},
			gallery.ByVerdict: {"changes": 2, "approved": 14, "waiting": 3},
		},
	}
}

// storyChosen returns a gallery with many filters set.
func storyChosen() library.Gallery {
	g := Gallery()
	g.Filter = gallery.Filter{
		Query: "tram", Viewer: 1, Makers: []int64{1}, Models: []string{"seedance-2.0"}, Ratios: []string{"9:16"},
		States: []db.State{gallery.AnyState}, Tags: []string{"harbour"}, Starred: true, Collections: []int64{5},
	}
	g.Dates = library.Dates{From: "2026-11-01", Until: "2026-11-14"}
	g.Within = g.Collections[:1]
	return g
}

func filterStories() []story {
	return []story{
		{"Nothing chosen", inGallery(library.Filters(Gallery()))},
		{"Several chosen", inGallery(library.Filters(storyChosen()))},
		{"One open, with counts", inGallery(opened("Person", library.Filters(Gallery())))},
		{"The days, open", inGallery(opened("Date", library.Filters(storyChosen())))},
	}
}

func galleryStories() []story {
	show := func(caption string, t db.Task, changes ...func(*db.Task)) story {
		return story{caption, wall(library.Tile(Card(t, changes...), "", false))}
	}
	draft, selected := Card(Kept(1)), Card(Kept(1), starred)
	draft.Final, draft.Comparable, draft.Deletable, selected.Selected = storyFinal(), []int64{1, 2, 3, 4}, true, true
	return []story{
		show("With a cover", Kept(1)),
		show("Starred", Kept(1), starred),
		show("Private", Kept(1), private),
		{"Selected", wall(library.Tile(selected, "", false))},
		{"Its menu, with all that can be in it", within(templ.Attributes{"class": "pop menu"}, library.TileMenu(draft, "/gallery"))},
		show("Another person’s", Kept(1), ofSomebodyElse),
		show("Without a cover", Kept(1), withoutCover),
		show("Upright", Kept(1), upright),
		show("Very wide", Kept(1), veryWide),
		show("Long words", Kept(1), wordy),
		show("No words", Kept(1), wordless),
		show("Words of another script", Kept(1), inJapanese),
		show("Being saved", Kept(1), keptAs(db.Saving)),
		show("Storage is full", Kept(1), keptAs(db.Saving), failedBy(db.SpaceError, "")),
		show("The file is lost", Kept(1), keptAs(db.Lost)),
		show("Running", Task(1, db.Processing)),
		show("Failed", Task(1, db.Failed)),
		show("Canceled", Task(1, db.Canceled)),
		show("Rejected", Task(1, db.Rejected)),
		show("Not sure it started", Task(1, db.Unconfirmed)),
	}
}

func binStories() []story {
	show := func(caption string, ago time.Duration, changes ...func(*db.Task)) story {
		return story{caption, wall(library.BinTile(Card(Kept(1), append(changes, binned(ago))...)))}
	}
	return []story{
		show("Just deleted", time.Minute),
		show("Without a cover", 3*24*time.Hour, withoutCover),
		show("Another person’s, without a thumbnail", 12*24*time.Hour, ofSomebodyElse),
		show("Long words, on its last day", 29*24*time.Hour+time.Hour, wordy),
		show("Gone any moment", 31*24*time.Hour),
	}
}

func chosenStories() []story {
	return []story{
		{"With its menus", selecting(library.SelectionBar(Gallery()))},
		{"Nobody has a collection yet", selecting(library.SelectionBar(library.Gallery{}))},
	}
}

func emptyStories() []story {
	words := Gallery()
	words.Filter.Query = "giraffe"
	return []story{
		{"The gallery of a new team", library.NothingYet(library.Gallery{})},
		{"No video has the words", library.NothingFound(words)},
		{"No filters fit", library.NothingFound(library.Gallery{Filter: gallery.Filter{Models: []string{"veo3"}}})},
		{"Neither fit", inGallery(library.NothingFound(storyChosen()))},
		{"The bin", library.EmptyBin()},
		{"Uploaded pictures", create.UploadList(create.Uploads{})},
		{"Uploaded pictures, as an admin deletes them", create.UploadList(create.Uploads{All: true, Page: 2, More: true,
			Uploads: []create.Upload{
				{Picture: ordering.Picture{ID: 7, Name: "harbour at dusk.jpg", Width: 4032, Height: 3024, Size: 4_200_000}, Mine: true},
				{Picture: ordering.Picture{ID: 8, Width: 800, Height: 600, Size: 120_000}, Maker: "Jon Okafor"},
			}})},
		{"Recipes", create.NoRecipes()},
		{"Too few to compare", library.HowToCompare(library.Compare{})},
	}
}

// inGallery wraps the component in the element that the gallery's style sheet expects.
func inGallery(c templ.Component) templ.Component {
	return within(templ.Attributes{"class": "gbar"}, c)
}

// wall wraps a tile in a row of its own.
func wall(c templ.Component) templ.Component {
	return within(templ.Attributes{"class": "days"}, templ.Join(templ.Raw(`<ul class="rows">`), c, templ.Raw(`</ul>`)))
}

// selecting shows the bar as it is while something is selected.
func selecting(c templ.Component) templ.Component {
	return within(templ.Attributes{"class": "selecting"}, c)
}
