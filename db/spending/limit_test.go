package spending_test

import (
	"slices"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/spending"
)

func credits(amount float64) db.Credits { return db.CreditsOf(amount) }

func TestALimitIsOnesOwnOrTheTeamsOrNone(t *testing.T) {
	for _, tt := range []struct {
		l     spending.Limit
		want  db.Credits
		words string
	}{
		{spending.Limit{Allowance: spending.Default, Credits: 5}, credits(40), "the team's default"},
		{spending.Limit{Allowance: spending.None, Credits: 5}, db.Credits{}, "no limit"},
		{spending.Limit{Allowance: spending.Own, Credits: 5}, credits(5), "5 credits a month"},
		{spending.Limit{Allowance: spending.Own}, credits(0), "0 credits a month"},
	} {
		if got := tt.l.In(credits(40)); got != tt.want || tt.l.String() != tt.words {
			t.Errorf("%+v: %+v, %q", tt.l, got, tt.l)
		}
	}
}

func TestLimitsOfTheTeamInWords(t *testing.T) {
	for want, l := range map[string]spending.Limits{
		"each person: no limit; the team: no limit; unknown prices are allowed": {},
		"each person: 40 credits a month; the team: no limit; an admin is asked about unknown prices": {
			Default: credits(40), ApproveUnpriced: true,
		},
		"each person: 0 credits a month; the team: 1000 credits a month; an admin is asked about unknown prices": {
			Default: credits(0), Team: credits(1000), ApproveUnpriced: true,
		},
	} {
		if got := l.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestAMonthIsThatOfTheTeamsZone(t *testing.T) {
	east := time.FixedZone("", 60*60)
	last := time.Date(2026, 12, 31, 23, 30, 0, 0, time.UTC)
	for zone, want := range map[*time.Location]spending.Month{time.UTC: 202612, east: 202701} {
		if got := spending.MonthOf(last, zone); got != want {
			t.Errorf("%s: %d, want %d", zone, got, want)
		}
	}
	if got := spending.Month(202612).Start(); !got.Equal(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("it begins on %s", got)
	}
}

func TestTheLimitThatLeavesLeastIsTheTightest(t *testing.T) {
	for name, tt := range map[string]struct {
		r    spending.Budget
		want spending.Bound
	}{
		"no limit": {spending.Budget{Spent: 5, TeamHas: 5}, spending.Bound{}},
		"the admins'": {
			spending.Budget{Limit: credits(40), Spent: 15}, spending.Bound{Limit: 40, Left: 25, Whose: spending.Admins},
		},
		"the person's": {
			spending.Budget{Self: credits(30), Spent: 15}, spending.Bound{Limit: 30, Left: 15, Whose: spending.Person},
		},
		"the person's, which is lower": {
			spending.Budget{Limit: credits(40), Self: credits(30), Spent: 15},
			spending.Bound{Limit: 30, Left: 15, Whose: spending.Person},
		},
		"the person's, which is higher": {
			spending.Budget{Limit: credits(40), Self: credits(50), Spent: 15},
			spending.Bound{Limit: 40, Left: 25, Whose: spending.Admins},
		},
		"the team's": {
			spending.Budget{Team: credits(100), TeamHas: 70}, spending.Bound{Limit: 100, Left: 30, Whose: spending.Teams},
		},
		"the team's, with less room": {
			spending.Budget{Limit: credits(40), Spent: 5, Team: credits(100), TeamHas: 70},
			spending.Bound{Limit: 100, Left: 30, Whose: spending.Teams},
		},
		"the team's, with more room": {
			spending.Budget{Limit: credits(40), Spent: 15, Team: credits(100), TeamHas: 70},
			spending.Bound{Limit: 40, Left: 25, Whose: spending.Admins},
		},
		"the team's, with as much room": {
			spending.Budget{Limit: credits(40), Spent: 10, Team: credits(100), TeamHas: 70},
			spending.Bound{Limit: 40, Left: 30, Whose: spending.Admins},
		},
		"more was spent than a person's": {
			spending.Budget{Limit: credits(40), Spent: 45}, spending.Bound{Limit: 40, Whose: spending.Admins}},
		"more was spent than the team's": {
			spending.Budget{Team: credits(100), TeamHas: 170}, spending.Bound{Limit: 100, Whose: spending.Teams},
		},
		"thousandths": {
			spending.Budget{Limit: credits(0.3), Spent: 0.1, Team: credits(0.7), TeamHas: 0.1},
			spending.Bound{Limit: 0.3, Left: 0.2, Whose: spending.Admins},
		},
		"thousandths of the team's": {
			spending.Budget{Team: credits(0.3), TeamHas: 0.1}, spending.Bound{Limit: 0.3, Left: 0.2, Whose: spending.Teams},
		},
	} {
		got := tt.r.Tightest()
		if got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
		if limited := tt.want.Whose != spending.Nobody; tt.r.IsLimited() != limited ||
			tt.r.Left() != (db.Credits{Amount: tt.want.Left, Known: limited}) {
			t.Errorf("%s: limited %v, %+v are left", name, tt.r.IsLimited(), tt.r.Left())
		}
	}
}

// What an admin allowed once goes beyond the person's limit, and beyond no other.
func TestASubmissionFitsOrNeedsWhatWasAllowedOnce(t *testing.T) {
	once := spending.Budget{Limit: credits(40), Spent: 30, Once: credits(20)}
	self, team, nothing := once, once, once
	self.Self = credits(50)
	team.Team, team.TeamHas = credits(100), 90
	nothing.Spent = 45
	for _, tt := range []struct {
		name       string
		r          spending.Budget
		cost       float64
		fits, once bool
	}{
		{"no limit", spending.Budget{Spent: 1e6}, 1e6, true, false},
		{"all of a limit", spending.Budget{Limit: credits(40), Spent: 30}, 10, true, false},
		{"more than a limit", spending.Budget{Limit: credits(40), Spent: 30}, 10.001, false, true},
		{"all of one's own limit", spending.Budget{Self: credits(40), Spent: 30}, 10, true, false},
		{"more than one's own limit", spending.Budget{Self: credits(40), Spent: 30}, 10.001, false, false},
		{"all of the team's limit", spending.Budget{Team: credits(40), TeamHas: 30}, 10, true, false},
		{"more than the team's limit", spending.Budget{Team: credits(40), TeamHas: 30}, 10.001, false, false},
		{"thousandths of a limit", spending.Budget{Limit: credits(0.3), Spent: 0.1}, 0.2, true, false},
		{"thousandths of one's own limit", spending.Budget{Self: credits(0.3), Spent: 0.1}, 0.2, true, false},
		{"thousandths of the team's limit", spending.Budget{Team: credits(0.3), TeamHas: 0.1}, 0.2, true, false},
		{"within the limit, and nothing is used", once, 10, true, false},
		{"all that was allowed once", once, 30, true, true},
		{"more than was allowed once", once, 30.001, false, true},
		{"thousandths that were allowed once", spending.Budget{Limit: credits(0.1), Once: credits(0.2)}, 0.3, true, true},
		{"once, and nothing is left of the limit", nothing, 20, true, true},
		{"more than once, and nothing is left of the limit", nothing, 20.001, false, true},
		{"once, within one's own limit", self, 20, true, true},
		{"once, but more than one's own limit", self, 21, false, false},
		{"once, but more than the team's limit", team, 11, false, false},
	} {
		if fits, once := tt.r.Allows(tt.cost); fits != tt.fits || once != tt.once {
			t.Errorf("%s: fits %v, once %v", tt.name, fits, once)
		}
	}
}

func TestWarningsComeAtFourFifthsAndAtTheEnd(t *testing.T) {
	own := func(percent int) []spending.Warning { return []spending.Warning{{Percent: percent}} }
	team := func(percent int) []spending.Warning { return []spending.Warning{{Percent: percent, OfTeam: true}} }
	for _, tt := range []struct {
		name  string
		r     spending.Budget
		admin bool
		want  []spending.Warning
	}{
		{"no limit", spending.Budget{Spent: 100, TeamHas: 100}, true, nil},
		{"little", spending.Budget{Limit: credits(100), Spent: 79.999}, true, nil},
		{"four fifths", spending.Budget{Limit: credits(100), Spent: 80}, false, own(80)},
		{"nearly all", spending.Budget{Limit: credits(100), Spent: 99.999}, false, own(80)},
		{"all", spending.Budget{Limit: credits(100), Spent: 100}, false, own(100)},
		{"all, in thousandths", spending.Budget{Limit: credits(0.3), Spent: 0.1 + 0.2}, false, own(100)},
		{"all, in thousandths that lack a little", spending.Budget{Limit: credits(0.1 + 0.2), Spent: 0.3}, false, own(100)},
		{"all of one's own limit, which is lower", spending.Budget{Limit: credits(200), Self: credits(100), Spent: 100}, false, own(100)},
		{"a limit of nothing", spending.Budget{Limit: credits(0), Team: credits(0)}, true, nil},
		{"the team's, for a member", spending.Budget{Team: credits(100), TeamHas: 100}, false, nil},
		{"the team's, for an admin", spending.Budget{Team: credits(100), TeamHas: 100}, true, team(100)},
		{"little of the team's", spending.Budget{Team: credits(100), TeamHas: 79}, true, nil},
		{"both", spending.Budget{Limit: credits(50), Spent: 50, Team: credits(100), TeamHas: 80}, true, append(team(80), own(100)...)},
	} {
		if got := tt.r.Warnings(tt.admin); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
	if w := (spending.Bound{Limit: 100}).Warning(); w != 0 {
		t.Errorf("without a limit there is a warning of %d", w)
	}
}

// A person who was warned of a month is warned again only of more, or of a later month.
func TestWarningsAreOrdered(t *testing.T) {
	last := int64(0)
	for _, month := range []spending.Month{202611, 202612, 202701} {
		for _, percent := range []int{80, 100} {
			code := spending.Warning{Percent: percent}.Code(month)
			if code <= last {
				t.Errorf("%d%% of %d: %d after %d", percent, month, code, last)
			}
			last = code
		}
	}
}

func TestARefusalSaysWhatIsLeft(t *testing.T) {
	over := &spending.Over{Budget: spending.Budget{Limit: credits(40), Spent: 30}, Cost: 12.5}
	if got := over.Error(); got != "it costs 12.5, and 10 of 40 are left" {
		t.Errorf("%q", got)
	}
}

func TestAnAnswerIsOneOfFour(t *testing.T) {
	for answer, want := range map[spending.Answer]bool{
		spending.Once: true, spending.ThisMonth: true, spending.Always: true, spending.No: true, "": false, "never": false,
	} {
		if got := answer.IsKnown(); got != want {
			t.Errorf("%q: %v", answer, got)
		}
	}
}

func TestRefundsAreNotSpent(t *testing.T) {
	if got := (spending.Sum{Paid: 30, Refunded: 20}).Spent(); got != 10 {
		t.Errorf("%g were spent", got)
	}
}
