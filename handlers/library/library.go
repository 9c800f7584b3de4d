// Package library holds the handlers for finished videos: watching, finding,
// organising, sharing and downloading them.
package library

import (
	"dailies/handlers/site"
)

// Lists finds and draws lists of videos.
type Lists struct {
	Cards  *StackedCards
	List   *GalleryList
	Scenes *SceneFinder
}

// NewLists returns them.
func NewLists(s *site.Site, cards *site.Cards) *Lists {
	stacked := &StackedCards{cards: cards, takes: s.Store.Takes}
	return &Lists{
		Cards: stacked, Scenes: &SceneFinder{lineage: s.Store.Lineage, named: s.Named},
		List: &GalleryList{
			cards: stacked, collections: s.Store.Collections, Search: s.Store.Search, Settings: s.Store.Settings, zones: s.Zones,
		},
	}
}
