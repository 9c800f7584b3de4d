package storybook_test

import (
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/views/library"
	"dailies/views/part"
	"dailies/views/storybook"
)

// fullGallery returns a gallery with choices for every filter, and videos.
func fullGallery() library.Gallery {
	g := storybook.Gallery()
	g.Cards, g.Last = galleryCards(), 12
	return g
}

// lost returns a gallery in which no video matches the filters.
func lost() library.Gallery {
	g := fullGallery()
	g.Cards, g.Last, g.Total = nil, 0, 0
	g.Filter = gallery.Filter{Query: "giraffe", Viewer: 1, Makers: []int64{1}, States: []db.State{gallery.AnyState}, Tags: []string{"harbour"}, Starred: true, Collections: []int64{5}}
	g.Dates = library.Dates{From: "2026-11-01", Until: "2026-11-30"}
	g.Within = g.Collections[:1]
	return g
}

func bin() library.Bin {
	thrown := func(id int64, maker int64, ago time.Duration) part.Card {
		return card(with(kept(id), func(t *db.Task) { t.UserID, t.UserName, t.DeletedAt = maker, "Jon Okafor", now.Add(-ago) }))
	}
	return library.Bin{All: true, Last: 3, Cards: []part.Card{
		thrown(9, 1, time.Minute), thrown(8, 2, 29*24*time.Hour+time.Hour), thrown(3, 1, 31*24*time.Hour),
	}}
}
