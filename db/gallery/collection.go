package gallery

import (
	"slices"
	"strings"
	"time"

	"dailies/db"
)

// Limits of the number of collections, and of the videos in each one and the
// characters of its name and its note.
const (
	MaxCollections    = 1000
	MaxCollection     = 500
	MaxCollectionName = 80
	MaxCollectionNote = 1000
)

// BinnedCollections is how many of each person's deleted collections can be
// restored: the newest.
const BinnedCollections = 100

// MostCovers limits how many videos are shown as the cover of a collection.
const MostCovers = 4

// A Collection is an ordered list of videos that the team has put together under a
// name.
type Collection struct {
	ID        int64
	Name      string
	Note      string
	CreatedBy int64
	MakerName string // name of CreatedBy; filled in when read
	CreatedAt time.Time
	ChangedAt time.Time
	DeletedAt time.Time // zero unless deleted; then the collection and its links show nothing
	DeletedBy int64
	Count     int       // videos in it that the viewer may see; filled in when listed
	Covers    []db.Task // up to four of them, with their media; filled in when listed
}

// A Collected lists the videos of a collection that a viewer may see, in the order of the
// collection.
type Collected struct {
	IDs       []int64
	Kept      []int64 // those of which a video file is stored here
	Shareable bool    // a link would show at least one: it is kept, and the team may see it
}

// DeletableBy reports whether the person may delete the collection for everybody,
// together with its links, or restore it. Its maker and admins may.
func (c Collection) DeletableBy(u db.User) bool { return c.CreatedBy == u.ID || u.IsAdmin() }

// BestCollections returns at most most of the collections whose names contain the
// text: first those whose names begin with it, then the others, each in the given
// order.
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
