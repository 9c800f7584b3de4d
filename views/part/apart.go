package part

import (
	"fmt"

	"dailies/db/spending"
)

// Apart tells what was spent in credits that are not added to those that count now. It is
// empty if nothing was.
func Apart(a spending.Apart) string {
	sum := a.Total()
	spent := Number(sum.Spent())
	switch {
	case sum.Tasks == 0:
		return ""
	case a.Practice && sum.Videos == 1:
		return fmt.Sprintf("Practice mode: %s for 1 video, not real credits.", spent)
	case a.Practice:
		return fmt.Sprintf("Practice mode: %s for %s videos, not real credits.", spent, Number(sum.Videos))
	case sum.Videos == 1:
		return fmt.Sprintf("Real credits: %s for 1 video, apart from practice mode.", spent)
	}
	return fmt.Sprintf("Real credits: %s for %s videos, apart from practice mode.", spent, Number(sum.Videos))
}
