package account

import (
	"dailies/db"
)

// A UsagePage holds what was spent, month by month: by the viewer, or for an
// admin by everybody.
type UsagePage struct {
	Rows     []db.Usage // newest month first
	Everyone bool
	Recent   []db.Task // the viewer's newest tasks, for the receipts
}
