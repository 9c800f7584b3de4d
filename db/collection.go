package db

import (
	"slices"
	"strings"
	"time"
)

// How many collections a team has, and what fits in each: videos, and characters
// of its name and its note.
const (
	MaxCollections    = 1000
	MaxCollection     = 500
	MaxCollectionName = 80
	MaxCollectionNote = 1000
)

// BinnedCollections is how many deleted collections of each person can be
// brought back: the newest.
const BinnedCollections = 100

// MostCovers is how many videos stand for a collection.
const MostCovers = 4

// A Collection is a row of videos that the team has put together under a name.
type Collection struct {
	ID        int64
	Name      string
	Note      string
	CreatedBy int64
	MakerName string // of CreatedBy; filled in when read
	CreatedAt time.Time
	ChangedAt time.Time
	DeletedAt time.Time // zero while it is there; deleted, it and its links show nothing
	DeletedBy int64
	Count     int    // videos in it that the viewer sees; filled in when listed
	Covers    []Task // up to four of them, with their media; filled in when listed
}

// DeletableBy reports whether the person may delete the collection, for
// everybody and with its links, or bring it back: who made it, and admins.
func (c Collection) DeletableBy(u User) bool { return c.CreatedBy == u.ID || u.IsAdmin() }

// BestCollections returns those of the collections whose names fit the text
// best, at most as many: those that begin with it before those that only
// contain it, and otherwise in the order in which they came.
func BestCollections(all []Collection, text string, most int) []Collection {
	text = TagKey(strings.Join(strings.Fields(text), " "))
	var begin, contain []Collection
	for _, c := range all {
		switch strings.Index(TagKey(c.Name), text) {
		case -1:
		case 0:
			begin = append(begin, c)
		default:
			contain = append(contain, c)
		}
	}
	best := slices.Concat(begin, contain)
	return best[:min(most, len(best))]
}
