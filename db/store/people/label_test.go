package people_test

import (
	"testing"

	"dailies/db/audit"
	"dailies/db/store/suite"
	"dailies/db/team"
)

func TestTheLabelsAreKept(t *testing.T) {
	h := suite.NewTeam(t)
	is := func(want team.Labels) {
		t.Helper()
		got, err := h.Settings.Labels(t.Context())
		must(t, err)
		suite.Same(t, got, want)
	}
	is(team.Labels{})
	must(t, h.Settings.SetLabels(t.Context(), team.Labels{})) // changes nothing
	l := team.Labels{Quiet: true, Producer: "001191440300708461136T1XGW3"}
	must(t, h.Settings.SetLabels(t.Context(), l))
	is(l)
	must(t, h.Settings.SetLabels(t.Context(), team.Labels{}))
	is(team.Labels{})
	entries, err := h.Audit.Entries(t.Context(), audit.Search{Action: audit.SettingChanged, Limit: 9})
	must(t, err)
	if len(entries) != 2 || entries[1].Before != "guests are told" || entries[1].After != "guests are not told, files name 001191440300708461136T1XGW3" {
		t.Errorf("the audit has %+v", entries)
	}
}
