package part

import (
	"testing"

	"dailies/db"
	"dailies/db/spending"
)

func TestBalanceSaysWhatIsLeft(t *testing.T) {
	limited := func(limit, spent float64) spending.Budget {
		return spending.Budget{Limit: db.CreditsOf(limit), Spent: spent}
	}
	for name, tt := range map[string]struct {
		balance      Balance
		figure, name string
		low          bool
	}{
		"with a limit":          {Balance{Budget: limited(4000, 189)}, "3,811", "3,811 credits left this month", false},
		"with most of it spent": {Balance{Budget: limited(100, 80)}, "20", "20 credits left this month", true},
		"beyond it":             {Balance{Budget: limited(100, 130)}, "0", "0 credits left this month", true},
		"with a full account":   {Balance{Account: db.CreditsOf(970)}, "970", "970 credits left", false},
		"with an empty account": {Balance{Account: db.CreditsOf(0)}, "0", "0 credits left", true},
		"the limit comes first": {
			Balance{Budget: limited(100, 30), Account: db.CreditsOf(970)}, "70", "70 credits left this month", false,
		},
		"with nothing to say of": {Balance{Budget: spending.Budget{Spent: 42}}, "42", "42 spent this month, no limit", false},
	} {
		if b := tt.balance; b.figure() != tt.figure || b.name() != tt.name || b.low() != tt.low {
			t.Errorf("%s: %q, %q, low %t", name, b.figure(), b.name(), b.low())
		}
	}
	account := &Balance{Account: db.CreditsOf(100)}
	for want, got := range map[string]string{
		"70 left after this":              account.After(db.CreditsOf(30)),
		"20 credits short: you have 100.": account.After(db.CreditsOf(120)),
		"": account.After(db.Credits{}) + (*Balance)(nil).After(db.CreditsOf(30)) +
			(&Balance{}).After(db.CreditsOf(30)),
	} {
		if got != want {
			t.Errorf("it says %q, not %q", got, want)
		}
	}
}
