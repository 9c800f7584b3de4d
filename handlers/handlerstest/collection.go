package handlerstest

import (
	"fmt"
	"regexp"
	"testing"

	"dailies/db"
	"dailies/db/gallery"
)

// Options returns the values that a field proposes.
func (a *Answer) Options() (names []string) {
	for _, m := range regexp.MustCompile(`<option value="([^"]+)"`).FindAllStringSubmatch(a.Text, -1) {
		names = append(names, m[1])
	}
	return names
}

// ManyCollections adds as many collections as a team can have, minus but.
func (h *Server) ManyCollections(t *testing.T, but int) {
	t.Helper()
	for i := range gallery.MaxCollections - but {
		c := gallery.Collection{Name: fmt.Sprintf("Collection %04d of the harbour", i), CreatedBy: 1, CreatedAt: db.Now()}
		must(t, h.Store.Collections.AddCollection(t.Context(), &c))
	}
}

// AddCollection makes an empty collection of the user.
func (h *Server) AddCollection(t *testing.T, userID int64) gallery.Collection {
	t.Helper()
	c := gallery.Collection{Name: "Spring", CreatedBy: userID, CreatedAt: db.Now()}
	must(t, h.Store.Collections.AddCollection(t.Context(), &c))
	return c
}
