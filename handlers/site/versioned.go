package site

import "sync"

// mostVersioned limits how many values a Versioned remembers.
const mostVersioned = 2000

// A Versioned remembers values that were computed from the database, each with the
// version of what it was computed from (see schedule.Versions). Its zero value is empty.
type Versioned[K comparable, V any] struct {
	mu    sync.Mutex
	known map[K]versioned[V]
}

type versioned[V any] struct {
	version int64
	value   V
}

// Get returns the value of the key, and calls load unless the value at this version is
// known. The caller must have read the version before.
func (m *Versioned[K, V]) Get(key K, version int64, load func() (V, error)) (V, error) {
	m.mu.Lock()
	had, ok := m.known[key]
	m.mu.Unlock()
	if ok && had.version == version {
		return had.value, nil
	}
	value, err := load()
	if err != nil {
		return value, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil || len(m.known) >= mostVersioned {
		m.known = map[K]versioned[V]{}
	}
	m.known[key] = versioned[V]{version, value}
	return value, nil
}
