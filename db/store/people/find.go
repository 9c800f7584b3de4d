package people

import (
	"cmp"
	"context"
	"slices"

	"dailies/db"
	"dailies/db/naming"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

// FindUsers returns the accounts in whose name every word of the query is the beginning of
// a word, in alphabetical order, and at most as many as the limit. Closed accounts come
// last.
func (s *Accounts) FindUsers(ctx context.Context, query string, limit int) ([]db.User, error) {
	return engine.Read(ctx, s.db, "people by name", func(tx *engine.Tx) []db.User {
		ids := kit.Found(s.db.Names(tx).People, query)
		users := engine.All(tx, engine.ScanFields(kit.UserFields), `
			SELECT `+kit.UserColumns+` FROM json_each($1) wanted JOIN users u ON u.id = CAST(wanted.value AS BIGINT)`, engine.AsJSON(&ids))
		slices.SortFunc(users, func(a, b db.User) int {
			switch {
			case a.IsActive() && !b.IsActive():
				return -1
			case b.IsActive() && !a.IsActive():
				return 1
			}
			return cmp.Or(cmp.Compare(naming.Key(a.Name), naming.Key(b.Name)), cmp.Compare(a.ID, b.ID))
		})
		return users[:min(max(0, limit), len(users))]
	})
}
