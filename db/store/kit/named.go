package kit

import "dailies/db/store/engine"

// Queries for everything that has a name that people search for: its ID and its name.
const (
	UserNames = `SELECT id, name FROM users ORDER BY id`
	TagNames  = `SELECT id, name FROM tags ORDER BY id`
)

// Named returns the IDs of what the query lists and whose name fits. Names are compared
// here, because the engines of the database fold letters in different ways; there are few
// of them, compared with videos.
func Named(tx *engine.Tx, query string, fits func(name string) bool) []int64 {
	ids := []int64{}
	for _, n := range Names(tx, query) {
		if fits(n.Name) {
			ids = append(ids, n.ID)
		}
	}
	return ids
}

// A Name is what has the ID is called.
type Name struct {
	ID   int64
	Name string
}

// Names returns what the query lists.
func Names(tx *engine.Tx, query string) []Name {
	return engine.All(tx, engine.ScanFields(func(n *Name) []any { return []any{&n.ID, &n.Name} }), query)
}
