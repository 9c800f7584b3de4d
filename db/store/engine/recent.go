package engine

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// maxRecent is the number of results that each of recents keeps.
const maxRecent = 1000

// Recents keeps results of reads for as long as nothing is written to the database, by
// any process. A player reads a video in many small pieces, and each of them is allowed
// or refused by what the database says at that moment. The values must not contain
// anything that callers could change.
//
// It is an interface to save compile time. Go compiles the methods of a generic struct again
// in every package that uses a type with such a struct in a field; behind an interface they
// are compiled once, here.
type Recents[K comparable, V any] interface {
	// Of returns the result for the key, and calls read if it is not known or may have
	// changed. Errors are not kept.
	Of(s *DB, key K, read func() (V, error)) (V, error)
}

// NewRecents returns Recents that keep nothing yet.
func NewRecents[K comparable, V any]() Recents[K, V] {
	results, _ := simplelru.NewLRU[K, recent[V]](maxRecent, nil) // fails only for a size of 0
	return &recents[K, V]{results: results}
}

type recents[K comparable, V any] struct {
	mu      sync.Mutex
	results *simplelru.LRU[K, recent[V]]
}

type recent[V any] struct {
	version Version // of the database, before it was read
	value   V
}

// Of implements Recents.
func (r *recents[K, V]) Of(s *DB, key K, read func() (V, error)) (V, error) {
	version, known := s.Version()
	if !known {
		return read()
	}
	if result, ok := r.get(key); ok && result.version == version {
		return result.value, nil
	}
	value, err := read()
	if err == nil {
		r.add(key, recent[V]{version, value})
	}
	return value, err
}

func (r *recents[K, V]) get(key K) (recent[V], bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.results.Get(key)
}

func (r *recents[K, V]) add(key K, result recent[V]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.results.Add(key, result)
}
