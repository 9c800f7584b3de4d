package handlerstest

import (
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
	_, err := raw(t, h.Database).Exec(`
		WITH RECURSIVE numbers (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers WHERE i + 1 < $1)
		INSERT INTO collections (name, note, created_by, created_at, changed_at)
		SELECT printf('Collection %04d of the harbour', i), '', 1, $2, $2 FROM numbers`, gallery.MaxCollections-but, db.Now().UnixMilli())
	must(t, err)
}

// AddCollection makes an empty collection of the user.
func (h *Server) AddCollection(t *testing.T, userID int64) gallery.Collection {
	t.Helper()
	c := gallery.Collection{Name: "Spring", CreatedBy: userID, CreatedAt: db.Now()}
	must(t, h.Store.Collections.AddCollection(t.Context(), &c))
	return c
}
