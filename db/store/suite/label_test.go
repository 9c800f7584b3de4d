package suite_test

import (
	"testing"

	"dailies/db"
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

func TestMarksBelongToTheContentOfAFile(t *testing.T) {
	h := suite.NewTeam(t)
	id := suite.Bring(t, h.Store, suite.AddTask(t, h.Store, h.Ann.ID, "a boat").ID, db.Success, suite.Day).ID
	task, err := h.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error {
		return t.Keep([]db.Media{{Kind: db.Video, Hash: "h", Marks: db.LabelMark, ServedHash: "hash of what came", CreatedAt: suite.Day}}, true)
	})
	must(t, err)
	of := func() db.Media {
		t.Helper()
		m, _, err := h.Files.Media(t.Context(), task.Media[0].ID)
		must(t, err)
		return m
	}
	m := of()
	if m.Marks != db.LabelMark || m.ServedHash != "hash of what came" {
		t.Errorf("stored are %+v", m)
	}
	m.Marks = db.CredentialsMark
	must(t, h.Files.SetMarks(t.Context(), m))
	if got := of().Marks; got != db.CredentialsMark {
		t.Errorf("the marks are %q", got)
	}
	other := m
	other.Hash, other.Marks = "another", db.NoMarks
	must(t, h.Files.SetMarks(t.Context(), other)) // the file was replaced meanwhile
	if got := of().Marks; got != db.CredentialsMark {
		t.Errorf("the marks of another file became %q", got)
	}
}
