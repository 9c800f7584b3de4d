// Package video stores the videos: the tasks that make them, who works on a task, how
// they are found and organised, and their files. Each noun has a small store of its own.
// It knows nothing of package people; what concerns both is in package store.
package video

import (
	"dailies/db/gallery"
	"dailies/db/secrets"
	"dailies/db/store/engine"
	"dailies/db/store/teamdb"
)

// Videos are the small stores of this package.
type Videos struct {
	Tasks       *Tasks
	Calls       *Calls
	Leases      *Leases
	Search      *Search
	Lineage     *Lineage
	Collections *Collections
	Tags        *Tags
	Links       *Links
	Takes       *Takes
	Notes       *Notes
	Guests      *Guests
	Recipes     *Recipes
	Pictures    *Pictures
	Cast        *Cast
	Files       *Files
	Bin         *Bin
	Usage       *Usage
	Clock       *Clock
}

// On returns the stores on the database.
func On(d *teamdb.DB) Videos {
	tasks := &Tasks{d}
	leases := &Leases{d, tasks}
	files := &Files{db: d, leases: leases, recent: engine.NewRecents[int64, mediaOfTask]()}
	return Videos{
		Tasks:       tasks,
		Calls:       &Calls{d, tasks},
		Leases:      leases,
		Search:      &Search{d},
		Lineage:     &Lineage{d},
		Collections: &Collections{d},
		Tags:        &Tags{d, tasks},
		Links: &Links{
			db:     d,
			recent: engine.NewRecents[sharedFile, mediaOfShare](),
			open:   engine.NewRecents[secrets.TokenHash, gallery.Share](),
		},
		Takes:    &Takes{d},
		Notes:    &Notes{d},
		Guests:   &Guests{d},
		Recipes:  &Recipes{d},
		Pictures: &Pictures{d, files},
		Cast:     &Cast{d},
		Files:    files,
		Bin:      &Bin{d, tasks},
		Usage:    &Usage{d},
		Clock:    &Clock{d},
	}
}
