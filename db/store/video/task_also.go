package video

import (
	"context"
	"slices"
	"strings"

	"dailies/db/gallery"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

// mostAlso is how many people, and how many tags, are named beside what words have found.
const mostAlso = 4

// Also returns the people and the tags in whose names words of the query are, with how
// many of their videos the viewer may see. Those without any are left out.
func (s *Search) Also(ctx context.Context, viewer int64, query string) (gallery.Also, error) {
	return engine.Read(ctx, s.db, "names with "+query, func(tx *engine.Tx) (also gallery.Also) {
		if len(engine.Terms(query)) == 0 {
			return also
		}
		names := s.db.Names(tx)
		also.People = s.withVideos(tx, names.People, query, func(n kit.Name) gallery.Filter {
			return gallery.Filter{Viewer: viewer, Makers: []int64{n.ID}}
		})
		also.Tags = s.withVideos(tx, names.Tags, query, func(n kit.Name) gallery.Filter {
			return gallery.Filter{Viewer: viewer, Tags: []string{n.Name}}
		})
		return also
	})
}

// withVideos returns those of the names that contain words of the query and have videos:
// first those that contain the most words.
func (s *Search) withVideos(tx *engine.Tx, names []kit.Name, query string, with func(kit.Name) gallery.Filter) (found []gallery.Named) {
	words := slices.DeleteFunc(strings.Fields(query), func(word string) bool { return len(engine.Terms(word)) == 0 })
	phrases := make([][][]string, len(words))
	for i, word := range words {
		phrases[i] = kit.Phrases(word)
	}
	var fits []gallery.Named
	for _, n := range names {
		var rest []string // words that are not in the name
		for i, word := range words {
			if !n.Has(phrases[i]...) {
				rest = append(rest, word)
			}
		}
		if len(rest) < len(words) {
			fits = append(fits, gallery.Named{ID: n.ID, Name: n.Name, Rest: strings.Join(rest, " ")})
		}
	}
	slices.SortStableFunc(fits, func(a, b gallery.Named) int { return len(strings.Fields(a.Rest)) - len(strings.Fields(b.Rest)) })
	for _, n := range fits[:min(4*mostAlso, len(fits))] {
		_, plan := s.planOf(tx, with(kit.Name{ID: n.ID, Name: n.Name}))
		if n.Videos = countBetween(tx, plan, 0, newest, gallery.MostCountedWords+1); tx.OK() && n.Videos > 0 {
			found = append(found, n)
		}
		if len(found) == mostAlso {
			break
		}
	}
	return found
}
