package account

import (
	"dailies/db"
	"dailies/views/part"
)

// A UsagePage tells what was spent, month by month: the viewer's own rows, or
// everybody's for an admin.
type UsagePage struct {
	Rows     []db.Usage // newest month first
	Everyone bool
	Recent   []db.Task // the viewer's newest tasks, for the receipts
}

// figure is an amount for a column of amounts: a dash where none is known.
func figure(c db.Credits) string {
	if !c.Known {
		return "–"
	}
	return part.Number(c.Amount)
}
