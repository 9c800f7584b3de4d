package people_test

import (
	"bytes"
	"testing"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/store/suite"
	"dailies/db/team"
)

func TestTheBrandIsKept(t *testing.T) {
	h := suite.NewTeam(t)
	is := func(want team.Brand, file []byte) {
		t.Helper()
		got, err := h.Settings.Brand(t.Context())
		must(t, err)
		suite.Same(t, got, want)
		content, logo, err := h.Settings.Logo(t.Context())
		if file == nil {
			suite.Wants(t, err, db.ErrNotFound)
			return
		}
		must(t, err)
		if !bytes.Equal(content, file) || logo != want.Logo {
			t.Errorf("the logo is %x, %+v", content, logo)
		}
	}
	is(team.Brand{}, nil)
	b := team.Brand{Name: "Nordlicht Studio", Colour: "#0b6157"}
	must(t, h.Settings.SetBrand(t.Context(), team.Brand{Name: " Nordlicht  Studio ", Colour: b.Colour}, nil))
	is(b, nil)
	b.Logo = team.Logo{Type: "image/png", Hash: "abc", Width: 40, Height: 20}
	must(t, h.Settings.SetBrand(t.Context(), b, []byte("\x00\xfflogo")))
	is(b, []byte("\x00\xfflogo"))
	b.Name = "Südlicht"
	must(t, h.Settings.SetBrand(t.Context(), b, nil)) // keeps the logo
	is(b, []byte("\x00\xfflogo"))
	must(t, h.Settings.SetBrand(t.Context(), b, nil)) // changes nothing
	entries, err := h.Audit.Entries(t.Context(), audit.Search{Action: audit.SettingChanged, Limit: 9})
	must(t, err)
	if len(entries) != 3 || entries[0].After != "Südlicht (#0b6157, a logo of 40 × 20)" || entries[2].Before != "" {
		t.Errorf("the audit has %+v", entries)
	}
	b.Logo = team.Logo{}
	must(t, h.Settings.SetBrand(t.Context(), b, nil))
	is(b, nil)
}
