package suite_test

import (
	"slices"
	"testing"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/store/sampletest"
	"dailies/db/team"
)

func TestPeopleAreFoundByTheBeginningOfAWordOfTheirName(t *testing.T) {
	s := open(t)
	must(t, sampletest.AddUser(t, s, &db.User{Name: "Chief", Email: "chief@example.com", Password: "hash", Role: db.Admin, CreatedAt: day}))
	for _, name := range []string{"Jonas Berg", "Ana María Mendes", "bergljot dal", "王小明", "Omar"} {
		addUser(t, s, name)
	}
	_, err := s.Leave(t.Context(), team.Leaving{UserID: addUser(t, s, "Alfred Berg").ID, At: day})
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

func TestTagsAreFoundByWhoeverSeesThem(t *testing.T) {
	h := newTeam(t)
	tag := func(id int64, who db.User, names ...string) {
		t.Helper()
		_, err := h.Tags.TagTasks(t.Context(), who, []int64{id}, names, nil, day)
		must(t, err)
	}
	tag(h.anns, h.ann, "Tea moment", "harbour")
	tag(h.bos, h.bo, "green tea")
	tag(h.bosPrivate, h.bo, "tea secret")
	for _, c := range []struct {
		viewer int64
		query  string
		limit  int
		want   []string
	}{
		{h.ann.ID, "te", 10, []string{"green tea", "Tea moment"}}, {h.bo.ID, "te", 10, []string{"tea secret", "green tea", "Tea moment"}},
		{h.ann.ID, "moment TEA", 10, []string{"Tea moment"}}, {h.ann.ID, "ea", 10, nil}, {h.ann.ID, "", 10, nil}, {h.bo.ID, "tea", 1, []string{"tea secret"}},
	} {
		found, err := h.Tags.FindTags(t.Context(), c.viewer, c.query, c.limit)
		must(t, err)
		if got := namesOf(found); !slices.Equal(got, c.want) {
			t.Errorf("%q finds %q for %d, want %q", c.query, got, c.viewer, c.want)
		}
	}
}

func namesOf(tags []gallery.Tag) (names []string) {
	for _, t := range tags {
		names = append(names, t.Name)
	}
	return names
}
