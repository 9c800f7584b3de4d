package store

// visible is the rule of db.Task.VisibleTo in SQL, for rows g of the table
// gallery and the viewer ?1. The table has every task that is not in the bin,
// and its column team is db.Task.OfTeam.
const visible = `(g.team = 1 OR g.user_id = ?1)`

// The two halves of visible that have no task in common. Each can be read from
// an index in the order of the gallery.
const (
	visibleOfTeam = `g.team = 1`
	visibleOfOwn  = `g.team = 0 AND g.user_id = ?1`
)
