package video_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/store/sampletest"
	"dailies/db/store/suite"
)

func TestTagsAreFoundByWhoeverSeesThem(t *testing.T) {
	h := newTeam(t)
	tag := func(id int64, who db.User, names ...string) {
		t.Helper()
		_, err := h.Tags.TagTasks(t.Context(), who, []int64{id}, names, nil, suite.Day)
		must(t, err)
	}
	tag(h.Anns, h.Ann, "Tea moment", "harbour")
	tag(h.Bos, h.Bo, "green tea")
	tag(h.BosPrivate, h.Bo, "tea secret")
	for _, c := range []struct {
		viewer int64
		query  string
		limit  int
		want   []string
	}{
		{h.Ann.ID, "te", 10, []string{"green tea", "Tea moment"}}, {h.Bo.ID, "te", 10, []string{"tea secret", "green tea", "Tea moment"}},
		{h.Ann.ID, "moment TEA", 10, []string{"Tea moment"}}, {h.Ann.ID, "ea", 10, nil}, {h.Ann.ID, "", 10, nil}, {h.Bo.ID, "tea", 1, []string{"tea secret"}},
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

func TestTagsIgnoreCase(t *testing.T) {
	h := newTeam(t)
	got, err := h.Tags.TagTasks(t.Context(), h.Bo, h.all(), []string{"Spring", "Ärger", "  "}, nil, suite.Day)
	must(t, err)
	suite.Same(t, got, []int64{h.Anns, h.Bos, h.BosPrivate, h.BosF, h.Running})
	_, err = h.Tags.TagTasks(t.Context(), h.Ann, []int64{h.Anns, h.AnnsPrivate}, []string{"SPRING"}, []string{"ÄRGER"}, suite.Day)
	must(t, err)
	suite.Same(t, h.find(t, gallery.Filter{Viewer: h.Ann.ID, Tags: []string{"spring"}}), []int64{h.Anns, h.AnnsPrivate, h.Bos})
	suite.Same(t, h.find(t, gallery.Filter{Viewer: h.Bo.ID, Tags: []string{"ärger"}, States: []db.State{gallery.AnyState}}), []int64{h.Bos, h.BosPrivate, h.BosF, h.Running})
	task, err := h.Tasks.Task(t.Context(), h.Bos)
	must(t, err)
	suite.Same(t, task.Tags, []string{"Spring", "Ärger"})

	tags, err := h.Tags.VisibleTo(t.Context(), h.Bo.ID)
	must(t, err)
	suite.Same(t, names(tags), []string{"Spring", "Ärger"})
	counts, err := h.Search.CountFacet(t.Context(), gallery.Filter{Viewer: h.Bo.ID}, gallery.ByTag)
	must(t, err)
	suite.Same(t, counts, map[string]int{"spring": 3, "ärger": 2})
	counts, err = h.Search.CountFacet(t.Context(), gallery.Filter{Viewer: h.Ann.ID}, gallery.ByTag)
	must(t, err)
	suite.Same(t, counts, map[string]int{"spring": 3, "ärger": 1})
}

func names(tags []gallery.Tag) (names []string) {
	for _, t := range tags {
		names = append(names, t.Name)
	}
	return names
}

func TestATagWithoutVideosIsNotListed(t *testing.T) {
	h := newTeam(t)
	_, err := h.Tags.TagTasks(t.Context(), h.Bo, []int64{h.BosPrivate}, []string{"secret plan"}, nil, suite.Day)
	must(t, err)
	_, err = h.Tags.TagTasks(t.Context(), h.Bo, []int64{h.Bos}, []string{"b", "a"}, nil, suite.Day)
	must(t, err)
	tags, err := h.Tags.VisibleTo(t.Context(), h.Ann.ID)
	must(t, err)
	if len(tags) != 2 || tags[0].Name != "a" || tags[1].Name != "b" {
		t.Errorf("Ann sees %+v", tags)
	}
	_, err = h.Tags.TagTasks(t.Context(), h.Bo, []int64{h.BosF}, []string{"did not work"}, nil, suite.Day)
	must(t, err)
	tags, err = h.Tags.VisibleTo(t.Context(), h.Bo.ID)
	must(t, err)
	suite.Same(t, names(tags), []string{"a", "b", "did not work", "secret plan"})
	_, err = h.Tags.TagTasks(t.Context(), h.Ann, []int64{h.Bos}, nil, []string{"A"}, suite.Day)
	must(t, err)
	_, err = h.Bin.DeleteTasks(t.Context(), h.Bo, []int64{h.Bos}, suite.Day)
	must(t, err)
	if tags, err := h.Tags.VisibleTo(t.Context(), h.Ann.ID); len(tags) != 0 || err != nil {
		t.Errorf("Ann sees %+v, %v", tags, err)
	}
}

func TestTooManyTagsChangeNothing(t *testing.T) {
	h := newTeam(t)
	var many []string
	for i := range 20 {
		many = append(many, fmt.Sprint("tag ", i))
	}
	_, err := h.Tags.TagTasks(t.Context(), h.Bo, []int64{h.Bos}, many, nil, suite.Day)
	must(t, err)
	_, err = h.Tags.TagTasks(t.Context(), h.Bo, []int64{h.Anns, h.Bos}, []string{"one more"}, nil, suite.Day)
	suite.Wants(t, err, db.ErrConflict)
	_, err = h.Tags.TagTasks(t.Context(), h.Bo, []int64{h.Bos}, []string{"another"}, many[:1], suite.Day)
	must(t, err)
	for id, want := range map[int64]int{h.Anns: 0, h.Bos: 20} {
		task, err := h.Tasks.Task(t.Context(), id)
		must(t, err)
		if len(task.Tags) != want || slices.Contains(task.Tags, "one more") {
			t.Errorf("task %d has %q", id, task.Tags)
		}
	}
}

// Every page of the gallery reads all tags.
func TestTagsThatNoVideoHasAreDeleted(t *testing.T) {
	suite.OnlySQLite(t)
	path := filepath.Join(t.TempDir(), "dailies.db")
	s := sampletest.Open(t, path)
	u := suite.AddUser(t, s, "Ann")
	id, other := suite.Bring(t, s, suite.AddTask(t, s, u.ID, "a").ID, db.Success, suite.Day).ID, suite.Bring(t, s, suite.AddTask(t, s, u.ID, "b").ID, db.Success, suite.Day).ID
	_, err := s.Tags.TagTasks(t.Context(), u, []int64{other}, []string{"Spring"}, nil, suite.Day)
	must(t, err)
	for n := range 5 {
		_, err := s.Tags.TagTasks(t.Context(), u, []int64{id}, []string{fmt.Sprint("tag ", n), "spring"}, []string{fmt.Sprint("Tag ", n-1), "Spring"}, suite.Day)
		must(t, err)
	}
	raw, err := sql.Open("sqlite", "file:"+path)
	must(t, err)
	defer raw.Close()
	var names string
	must(t, raw.QueryRow(`SELECT group_concat(name) FROM (SELECT name FROM tags ORDER BY name)`).Scan(&names))
	suite.Same(t, names, "Spring,tag 4")
}
