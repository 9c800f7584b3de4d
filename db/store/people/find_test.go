package people_test

import (
	"slices"
	"testing"

	"dailies/db"
	"dailies/db/store/sampletest"
	"dailies/db/store/suite"
	"dailies/db/team"
)

func TestPeopleAreFoundByTheBeginningOfAWordOfTheirName(t *testing.T) {
	s := suite.Open(t)
	must(t, sampletest.AddUser(t, s, &db.User{Name: "Chief", Email: "chief@example.com", Password: "hash", Role: db.Admin, CreatedAt: suite.Day}))
	for _, name := range []string{"Jonas Berg", "Ana María Mendes", "bergljot dal", "王小明", "Omar"} {
		suite.AddUser(t, s, name)
	}
	_, err := s.Leave(t.Context(), team.Leaving{UserID: suite.AddUser(t, s, "Alfred Berg").ID, At: suite.Day})
	must(t, err)
	for query, want := range map[string][]string{
		"ber": {"bergljot dal", "Jonas Berg", "Alfred Berg"}, "berg jon": {"Jonas Berg"}, "maria": {"Ana María Mendes"}, "小明": {"王小明"},
		"onas": nil, "": nil, "…": nil, "jonas omar": nil, "OMAR": {"Omar"},
	} {
		found, err := s.Accounts.FindUsers(t.Context(), query, 10)
		must(t, err)
		var names []string
		for _, u := range found {
			names = append(names, u.Name)
		}
		if !slices.Equal(names, want) {
			t.Errorf("%q finds %q, want %q", query, names, want)
		}
	}
	if found, err := s.Accounts.FindUsers(t.Context(), "ber", 2); err != nil || len(found) != 2 {
		t.Errorf("at most two are %d: %v", len(found), err)
	}
}
