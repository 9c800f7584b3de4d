package account

import (
	"dailies/db"
)

// A UsagePage tells what was spent, month by month: the viewer's own rows, or
// everybody's for an admin.
type UsagePage struct {
	Rows     []db.Usage // newest month first
	Everyone bool
	Recent   []db.Task // the viewer's newest tasks, for the receipts
}
