package video_test

import (
	"slices"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/ordering"
	"dailies/db/store"
	"dailies/db/store/suite"
)

// newCollection returns a collection of Ann's with five finished videos, of which
// the third is private to Ann, the fourth to Bo.
func newCollection(tb testing.TB) (s *store.Store, ann, bo int64, c gallery.Collection, ids []int64) {
	tb.Helper()
	s = suite.Open(tb)
	ann, bo = suite.AddUser(tb, s, "Ann").ID, suite.AddUser(tb, s, "Bo").ID
	for i, maker := range []int64{ann, bo, ann, bo, ann} {
		task := suite.Bring(tb, s, suite.AddTask(tb, s, maker, "kite").ID, db.Success, suite.Day)
		setPrivate(tb, s, task.ID, i == 2 || i == 3)
		ids = append(ids, task.ID)
	}
	c = gallery.Collection{Name: "Spring", Note: "for the fair", CreatedBy: ann, CreatedAt: suite.Day}
	must(tb, s.Collections.AddCollection(tb.Context(), &c))
	for _, maker := range []int64{ann, bo} { // each adds the videos that they may see
		n, err := s.Collections.AddToCollection(tb.Context(), c.ID, maker, ids, suite.Day)
		must(tb, err)
		suite.Same(tb, n, map[int64]int{ann: 4, bo: 1}[maker])
	}
	return s, ann, bo, c, ids
}

func setPrivate(tb testing.TB, s *store.Store, id int64, private bool) {
	tb.Helper()
	_, err := s.Tasks.UpdateTask(tb.Context(), id, func(t *db.Task) error {
		t.Private = private
		return nil
	})
	must(tb, err)
}

func order(tb testing.TB, s *store.Store, viewer, id int64) []int64 {
	tb.Helper()
	list, err := s.Collections.Collected(tb.Context(), viewer, id)
	must(tb, err)
	return list.IDs
}

func TestCollectionShowsEachWhatTheyMaySee(t *testing.T) {
	s, ann, bo, c, ids := newCollection(t)
	for viewer, want := range map[int64][]int64{ann: {ids[0], ids[1], ids[2], ids[4]}, bo: {ids[0], ids[1], ids[4], ids[3]}} {
		suite.Same(t, order(t, s, viewer, c.ID), want)
		list, err := s.Collections.Page(t.Context(), viewer, 0, 100)
		must(t, err)
		got, err := s.Collections.Collection(t.Context(), viewer, c.ID)
		must(t, err)
		suite.Same(t, list, []gallery.Collection{got})
		suite.Same(t, got.Count, len(want))
		suite.Same(t, suite.IDs(got.Covers), want)
		suite.Same(t, got.MakerName, "Ann")
		suite.Same(t, got.Note, "for the fair")
	}
	_, err := s.Tasks.UpdateTask(t.Context(), ids[0], func(t *db.Task) error {
		t.DeletedAt, t.DeletedBy = suite.Day, ann
		return nil
	})
	must(t, err)
	got, err := s.Collections.Collection(t.Context(), ann, c.ID)
	must(t, err)
	suite.Same(t, got.Count, 3)
	n, err := s.Collections.AddToCollection(t.Context(), c.ID, bo, []int64{ids[0], ids[2], 99999, -1}, suite.Day)
	must(t, err)
	suite.Same(t, n, 0)
}

func TestCoverOfTwoCollectionsIsWholeInBoth(t *testing.T) {
	s, ann, _, _, ids := newCollection(t)
	other := gallery.Collection{Name: "Again", CreatedBy: ann, CreatedAt: suite.Day}
	must(t, s.Collections.AddCollection(t.Context(), &other))
	_, err := s.Collections.AddToCollection(t.Context(), other.ID, ann, ids[:1], suite.Day)
	must(t, err)
	_, err = s.Tasks.UpdateTask(t.Context(), ids[0], func(t *db.Task) error {
		t.Media = append(t.Media, db.Media{Kind: db.Cover, Hash: "ab", Type: "image/png", CreatedAt: suite.Day})
		return nil
	})
	must(t, err)
	list, err := s.Collections.Page(t.Context(), ann, 0, 100)
	must(t, err)
	again, err := s.Collections.Page(t.Context(), ann, 1<<40, 100) // after one that was deleted for good
	must(t, err)
	suite.Same(t, len(again), len(list))
	for _, got := range list {
		if _, has := got.Covers[0].Cover(); !has || got.Covers[0].ID != ids[0] {
			t.Errorf("%s begins with %+v", got.Name, got.Covers[0])
		}
	}
}

func TestVideosMoveAsTheirViewerSeesThem(t *testing.T) {
	s, ann, _, c, ids := newCollection(t)
	first := order(t, s, ann, c.ID)
	move := func(id int64, earlier bool) {
		t.Helper()
		must(t, s.Collections.MoveInCollection(t.Context(), c.ID, ann, id, earlier, suite.Day))
	}
	move(first[0], true) // it is the first already
	move(first[3], false)
	suite.Same(t, order(t, s, ann, c.ID), first)
	move(first[3], true)
	suite.Same(t, order(t, s, ann, c.ID), []int64{first[0], first[1], first[3], first[2]})
	move(first[0], false)
	suite.Same(t, order(t, s, ann, c.ID), []int64{first[1], first[0], first[3], first[2]})
	suite.Wants(t, s.Collections.MoveInCollection(t.Context(), c.ID, ann, ids[3], true, suite.Day), db.ErrNotFound)
}

func TestCollectionIsFoundByTheGallery(t *testing.T) {
	s, ann, _, c, ids := newCollection(t)
	filter := gallery.Filter{Viewer: ann, Collections: []int64{c.ID}, Limit: 10}
	found, err := s.Search.Tasks(t.Context(), filter)
	must(t, err)
	suite.Same(t, suite.IDs(found), []int64{ids[4], ids[2], ids[1], ids[0]})
	of, err := s.Collections.CollectionsOf(t.Context(), ids[1])
	must(t, err)
	suite.Same(t, len(of), 1)
	n, err := s.Collections.RemoveFromCollection(t.Context(), c.ID, ann, []int64{ids[0], ids[3], ids[0]}, suite.Day)
	must(t, err)
	suite.Same(t, n, 1)
	must(t, s.Collections.DeleteCollection(t.Context(), c.ID, ann, suite.Day))
	found, err = s.Search.Tasks(t.Context(), filter)
	must(t, err)
	suite.Same(t, len(found), 0)
	_, err = s.Tasks.Task(t.Context(), ids[4])
	must(t, err)
}

func TestTwoCollectionsHaveTwoNames(t *testing.T) {
	s, ann, _, _, _ := newCollection(t)
	again := gallery.Collection{Name: "SPRING", CreatedBy: ann, CreatedAt: suite.Day}
	suite.Wants(t, s.Collections.AddCollection(t.Context(), &again), db.ErrConflict)
	again.Name = "Autumn"
	must(t, s.Collections.AddCollection(t.Context(), &again))
	suite.Wants(t, s.Collections.SetCollection(t.Context(), again.ID, "spring", "", suite.Day), db.ErrConflict)
	must(t, s.Collections.SetCollection(t.Context(), again.ID, "Winter", "cold", suite.Day.Add(time.Hour)))
	got, err := s.Collections.NamedCollection(t.Context(), "winter")
	must(t, err)
	suite.Same(t, got, gallery.Collection{
		ID: again.ID, Name: "Winter", Note: "cold", CreatedBy: ann, MakerName: "Ann", CreatedAt: suite.Day,
		ChangedAt: suite.Day.Add(time.Hour),
	})
	list, err := s.Collections.Page(t.Context(), ann, 0, 100)
	must(t, err)
	suite.Same(t, []string{list[0].Name, list[1].Name}, []string{"Spring", "Winter"})
	for _, err := range []error{
		s.Collections.SetCollection(t.Context(), 99999, "x", "", suite.Day),
		s.Collections.DeleteCollection(t.Context(), 99999, ann, suite.Day),
		s.Collections.MoveInCollection(t.Context(), 99999, ann, 1, true, suite.Day),
	} {
		suite.Wants(t, err, db.ErrNotFound)
	}
	_, err = s.Collections.AddToCollection(t.Context(), 99999, ann, []int64{1}, suite.Day)
	suite.Wants(t, err, db.ErrNotFound)
	_, err = s.Collections.Collection(t.Context(), ann, 99999)
	suite.Wants(t, err, db.ErrNotFound)
}

func TestCollectionHasAMaximumSize(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann").ID
	c := gallery.Collection{Name: "All", CreatedBy: ann, CreatedAt: suite.Day}
	must(t, s.Collections.AddCollection(t.Context(), &c))
	var ids []int64
	for range gallery.MaxCollection + 1 {
		ids = append(ids, suite.AddTask(t, s, ann, "kite").ID)
	}
	_, err := s.Collections.AddToCollection(t.Context(), c.ID, ann, ids, suite.Day)
	suite.Wants(t, err, db.ErrConflict)
	n, err := s.Collections.AddToCollection(t.Context(), c.ID, ann, ids[1:], suite.Day)
	must(t, err)
	suite.Same(t, n, gallery.MaxCollection)
	suite.Same(t, order(t, s, ann, c.ID), ids[1:])
}

func TestCollectionsAndRecipesAreFoundByTheBeginningOfAWordOfTheirName(t *testing.T) {
	h := newTeam(t)
	for i, name := range []string{"Tea moment", "Green tea", "Steam", "Tea bin"} {
		at := suite.Day.Add(time.Duration(i) * time.Minute)
		must(t, h.Collections.AddCollection(t.Context(), &gallery.Collection{Name: name, CreatedBy: h.Ann.ID, CreatedAt: at}))
		must(t, h.Recipes.AddRecipe(t.Context(), &ordering.Recipe{
			Name: name, Request: db.Request{Prompt: "{{what}}", Scene: "text-to-video"}, CreatedBy: h.Ann.ID, CreatedAt: at,
			ChangedAt: at,
		}))
	}
	binned, err := h.Collections.FindCollections(t.Context(), "bin", 1)
	must(t, err)
	must(t, h.Collections.DeleteCollection(t.Context(), binned[0].ID, h.Ann.ID, suite.Day))
	deleted, err := h.Recipes.FindRecipes(t.Context(), "tea bin", 1)
	must(t, err)
	_, err = h.Recipes.UpdateRecipe(t.Context(), deleted[0].ID, func(r *ordering.Recipe) error { r.DeletedAt = suite.Day; return nil })
	must(t, err)
	for _, c := range []struct {
		query string
		limit int
		want  []string
	}{
		{"TE", 10, []string{"Green tea", "Tea moment"}}, {"moment tea", 10, []string{"Tea moment"}}, {"tea", 1, []string{"Green tea"}},
		{"eam", 10, nil}, {"", 10, nil}, {"%", 10, nil},
	} {
		collections, err := h.Collections.FindCollections(t.Context(), c.query, c.limit)
		must(t, err)
		recipes, err := h.Recipes.FindRecipes(t.Context(), c.query, c.limit)
		must(t, err)
		var kept, made []string
		for _, c := range collections {
			kept = append(kept, c.Name)
		}
		for _, r := range recipes {
			made = append(made, r.Name)
		}
		if !slices.Equal(kept, c.want) || !slices.Equal(made, c.want) {
			t.Errorf("%q finds the collections %q and the recipes %q, want %q", c.query, kept, made, c.want)
		}
	}
}
