package handlers_test

import (
	"testing"

	"dailies/db"
)

// addCollection makes an empty collection of the person's.
func (h *house) addCollection(t *testing.T, userID int64) db.Collection {
	t.Helper()
	c := db.Collection{Name: "Spring", CreatedBy: userID, CreatedAt: db.Now()}
	must(t, h.store.AddCollection(t.Context(), &c))
	return c
}
