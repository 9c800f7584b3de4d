package storybook_test

import (
	"strings"
	"testing"

	"dailies/db"
	"dailies/views/library"
)

func TestAReceiptSaysWhatWasQuotedPaidAndReturned(t *testing.T) {
	unknown := func(t *db.Task) { t.Charged, t.Returned = db.Credits{}, db.Credits{} }
	const byItself = "returns the credits of failed videos by itself"
	for name, tt := range map[string]struct {
		task db.Task
		says string // in one line, times left out
		note string
	}{
		"queued":      {task(1, db.Queued), "Quoted 30 credits Paid nothing yet", ""},
		"processing":  {task(1, db.Processing), "Quoted 30 credits Paid 30 credits", ""},
		"success":     {kept(1), "Quoted 30 credits Paid 30 credits Returned nothing", ""},
		"failed":      {task(1, db.Failed), "Quoted 30 credits Paid 30 credits Returned 30 credits", byItself},
		"not seen":    {with(task(1, db.Failed), unknown), "Quoted 30 credits Paid not known Returned not seen", byItself},
		"in part":     {with(task(1, db.Failed), func(t *db.Task) { t.Returned = db.CreditsOf(10) }), "Paid 30 credits Returned 10 credits", "still keeps a part"},
		"canceled":    {task(1, db.Canceled), "Paid 30 credits Returned nothing", "does not return credits for canceled videos"},
		"rejected":    {task(1, db.Rejected), "Paid nothing Returned nothing", ""},
		"unconfirmed": {task(1, db.Unconfirmed), "Quoted 30 credits Paid not certain", ""},
	} {
		root := parse(t, library.TaskStatus(library.TaskPage{Card: card(tt.task)}))
		receipt := first(t, root, "section", "aria-labelledby", "receipt-title")
		said, lines := words(receipt), ""
		for n := range elements(first(t, receipt, "dl", "class", "facts")) {
			switch n.Data {
			case "dt", "dd":
				text, _, _ := strings.Cut(strings.Join(strings.Fields(words(n)), " "), " 09:")
				lines += text + " "
			}
		}
		if !strings.Contains(lines, tt.says) {
			t.Errorf("%s: it says %q, want %q", name, lines, tt.says)
		}
		if tt.note != "" && !strings.Contains(said, tt.note) {
			t.Errorf("%s: it does not say %q", name, tt.note)
		}
		if flagged := strings.Contains(said, "Refund not seen"); flagged != tt.task.RefundMissing() {
			t.Errorf("%s: flagged is %v", name, flagged)
		}
	}
}
