package web

import (
	"maps"
	"sync"
	"time"

	"github.com/gorilla/securecookie"
	"github.com/hashicorp/golang-lru/v2/simplelru"
)

const (
	// maxRecentCookies is the number of cookies that recentCookies keep.
	maxRecentCookies = 500

	// recentFor is how long a cookie is not read anew. That it is too old is noticed so much
	// later. Whether the session in it has ended is looked up for each request.
	recentFor = 10 * time.Second
)

// recentCookies is a codec that keeps what the latest cookies contain. A player requests a video
// in many small pieces, and to verify and decrypt the same cookie each time takes a tenth of
// the CPU time of such a request.
type recentCookies struct {
	securecookie.Codec
	mu     sync.Mutex
	recent simplelru.LRUCache[namedCookie, recentCookie] // an interface, see db/store/engine.Recents
}

type namedCookie struct{ name, value string }

type recentCookie struct {
	values map[any]any
	read   time.Time
}

func newRecentCookies(codec securecookie.Codec) *recentCookies {
	recent, _ := simplelru.NewLRU[namedCookie, recentCookie](maxRecentCookies, nil) // fails only for a size of 0
	return &recentCookies{Codec: codec, recent: recent}
}

// Decode implements securecookie.Codec.
func (c *recentCookies) Decode(name, value string, dst any) error {
	values, ok := dst.(*map[any]any)
	if !ok {
		return c.Codec.Decode(name, value, dst)
	}
	cookie, now := namedCookie{name, value}, time.Now()
	c.mu.Lock()
	known, ok := c.recent.Get(cookie)
	c.mu.Unlock()
	if ok && now.Sub(known.read) < recentFor {
		*values = maps.Clone(known.values)
		return nil
	}
	if err := c.Codec.Decode(name, value, dst); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.recent.Add(cookie, recentCookie{maps.Clone(*values), now})
	return nil
}
