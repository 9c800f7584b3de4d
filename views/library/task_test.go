package library_test

import (
	"strings"
	"testing"

	"dailies/db"
	"dailies/views/library"
	"dailies/views/part"
	"dailies/views/storybook"
	"dailies/web/htmltest"
)

func TestPrettyBreaksOnlyJSON(t *testing.T) {
	for body, want := range map[string]string{
		`{"a":[1]}`:        "{\n  \"a\": [\n    1\n  ]\n}",
		"<html>502</html>": "<html>502</html>",
	} {
		if got := library.Pretty(body); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestAReceiptSaysWhatWasQuotedPaidAndReturned(t *testing.T) {
	unknown := func(t *db.Task) { t.Charged, t.Returned = db.Credits{}, db.Credits{} }
	const byItself = "Credits for failed videos come back by themselves"
	for name, tt := range map[string]struct {
		card part.Card
		says string // in one line, times left out
		note string
	}{
		"queued":      {storybook.Card(storybook.Task(1, db.Queued)), "Quoted 30 credits Paid nothing yet", ""},
		"processing":  {storybook.Card(storybook.Task(1, db.Processing)), "Quoted 30 credits Paid 30 credits", ""},
		"success":     {storybook.Card(storybook.Kept(1)), "Quoted 30 credits Paid 30 credits Came back nothing", ""},
		"failed":      {storybook.Card(storybook.Task(1, db.Failed)), "Quoted 30 credits Paid 30 credits Came back 30 credits", byItself},
		"not seen":    {storybook.Card(storybook.Task(1, db.Failed), unknown), "Quoted 30 credits Paid not known Came back not yet", "ask it with the video ID"},
		"in part":     {storybook.Card(storybook.Task(1, db.Failed), func(t *db.Task) { t.Returned = db.CreditsOf(10) }), "Paid 30 credits Came back 10 credits", "hasn’t come back yet"},
		"canceled":    {storybook.Card(storybook.Task(1, db.Canceled)), "Paid 30 credits Came back nothing", "Credits for cancelled videos don’t come back"},
		"rejected":    {storybook.Card(storybook.Task(1, db.Rejected)), "Paid nothing Came back nothing", ""},
		"unconfirmed": {storybook.Card(storybook.Task(1, db.Unconfirmed)), "Quoted 30 credits Paid not certain", ""},
	} {
		root := htmltest.Draw(t, library.Receipt(tt.card))
		receipt := htmltest.First(t, root, "#receipt")
		said, lines := htmltest.Text(receipt), ""
		for _, n := range htmltest.All(htmltest.First(t, receipt, "dl.facts"), "*") {
			switch n.Data {
			case "dt", "dd":
				text, _, _ := strings.Cut(htmltest.Text(n), " 09:")
				lines += text + " "
			}
		}
		if !strings.Contains(lines, tt.says) {
			t.Errorf("%s: it says %q, want %q", name, lines, tt.says)
		}
		if tt.note != "" && !strings.Contains(said, tt.note) {
			t.Errorf("%s: it does not say %q", name, tt.note)
		}
		if flagged := strings.Contains(said, "Credits not back yet"); flagged != tt.card.Task.RefundMissing() {
			t.Errorf("%s: flagged is %v", name, flagged)
		}
	}
}
