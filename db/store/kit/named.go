package kit

import "dailies/db/store/engine"

// Queries for everything that has a name that people search for: its ID and its name.
const (
	UserNames       = `SELECT id, name FROM users ORDER BY id`
	TagNames        = `SELECT id, name FROM tags ORDER BY id`
	CollectionNames = `SELECT id, name FROM collections WHERE deleted_at IS NULL`
	RecipeNames     = `SELECT id, name FROM recipes WHERE deleted_at IS NULL`
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

// Found returns the IDs of what the query lists and in whose name every word of the text
// is the beginning of a word. A text without words finds nothing.
func Found(tx *engine.Tx, query, text string) []int64 {
	terms := engine.Terms(text)
	if len(terms) == 0 {
		return []int64{}
	}
	return Named(tx, query, func(name string) bool { return engine.HasAll(name, terms) })
}

// A Name is the name of the person, tag, collection or recipe with the ID.
type Name struct {
	ID   int64
	Name string
}

// Names returns what the query lists.
func Names(tx *engine.Tx, query string) []Name {
	return engine.All(tx, engine.ScanFields(func(n *Name) []any { return []any{&n.ID, &n.Name} }), query)
}
