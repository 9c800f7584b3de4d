// Package library holds the handlers for finished videos: watching, finding,
// organising, sharing and downloading them.
package library

import (
	"dailies/handlers/site"
)

// Lists finds and draws lists of videos.
type Lists struct {
	cards  *stackedCards
	list   *galleryList
	scenes *sceneFinder
}

// NewLists returns them.
func NewLists(s *site.Site, cards *site.Cards) *Lists {
	stacked := &stackedCards{cards: cards, takes: s.Store.Takes}
	return &Lists{
		cards: stacked, scenes: &sceneFinder{lineage: s.Store.Lineage, named: s.Named},
		list: &galleryList{
			cards: stacked, collections: s.Store.Collections, search: s.Store.Search, settings: s.Store.Settings, zones: s.Zones,
		},
	}
}
