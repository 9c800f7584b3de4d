package teamdb

import (
	"slices"

	"dailies/db/store/engine"
)

// Queries for what has a name that people search for: its ID and its name. Of people and
// tags, whose names every search for videos looks through, see also Names.
const (
	UserNames       = `SELECT id, name FROM users ORDER BY id`
	TagNames        = `SELECT id, name FROM tags ORDER BY id`
	CollectionNames = `SELECT id, name FROM collections WHERE deleted_at IS NULL`
	RecipeNames     = `SELECT id, name FROM recipes WHERE deleted_at IS NULL`
)

// A Name is the name of the person, tag, collection or recipe with the ID. Names are
// compared here, because the engines of the database fold letters in different ways; there
// are few of them, compared with videos.
type Name struct {
	ID    int64
	Name  string
	words []string
}

// Has reports whether the name contains every one of the phrases as the index of words
// would find them: see engine.Contains.
func (n Name) Has(phrases ...[]string) bool {
	return !slices.ContainsFunc(phrases, func(phrase []string) bool { return !engine.Contains(n.words, phrase) })
}

// Phrases returns the words of a text as names are searched for them.
func Phrases(text string) (phrases [][]string) {
	for _, term := range engine.Terms(text) {
		phrases = append(phrases, engine.Split(term))
	}
	return phrases
}

// Found returns the IDs of those names that contain every word of the text. A text without
// words finds nothing.
func Found(names []Name, text string) []int64 {
	ids, phrases := []int64{}, Phrases(text)
	for _, n := range names {
		if len(phrases) > 0 && n.Has(phrases...) {
			ids = append(ids, n.ID)
		}
	}
	return ids
}

// Listed returns the names that the query lists.
func Listed(tx *engine.Tx, query string) []Name {
	names := engine.All(tx, engine.ScanFields(func(n *Name) []any { return []any{&n.ID, &n.Name} }), query)
	for i, n := range names {
		names[i] = NameOf(n.ID, n.Name)
	}
	return names
}

// NameOf returns the name for Found.
func NameOf(id int64, name string) Name {
	return Name{ID: id, Name: name, words: engine.Split(engine.IndexText(name))}
}

// Names are the names of people and tags, which must not be changed.
type Names struct{ People, Tags []Name }

// A stamped value is valid as long as the version is the one that it was read with.
type stamped struct {
	stamp int64
	names Names
}

// Names returns the names of all people and tags. They are read from the database only when
// a version says that they have changed, by whichever process: it is part of the snapshot
// that tx reads. It must not be called by a transaction that writes, because what that has
// changed may be rolled back.
func (d *DB) Names(tx *engine.Tx) Names {
	stamp := engine.Value[int64](tx, `SELECT CAST(coalesce(sum(stamp), 0) AS BIGINT) FROM versions WHERE name = 'names'`)
	if known := d.names.Load(); tx.OK() && known != nil && known.stamp == stamp {
		return known.names
	}
	names := Names{Listed(tx, UserNames), Listed(tx, TagNames)}
	if !tx.OK() {
		return Names{}
	}
	d.names.Store(&stamped{stamp, names})
	return names
}
