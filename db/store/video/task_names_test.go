package video_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/store/suite"
	"dailies/web/scopetest"
)

// The words of a query may be in the prompt or the title, in the name of the maker and in
// a tag, in any mixture. What is found is compared with the rule in plain Go.
func TestWordsAreFoundInNamesAndTagsToo(t *testing.T) {
	s := suite.Open(t)
	names := []string{"Jonas Berg", "Tea Sommer", "Ana Harbour", "王小明"}
	var users []db.User
	for _, name := range names {
		users = append(users, suite.AddUser(t, s, name))
	}
	prompts := []string{"a tea tin in the rain", "the harbour at night", "Jonas and the whale", "红色的风筝", "a berg of ice", ""}
	tags := [][]string{nil, {"tea moment"}, {"harbour", "night"}, {"jonas"}, {"tea moment", "风筝"}}
	type made struct {
		db.Task
		maker string
		tags  []string
	}
	var all []made
	for i := range 60 {
		who := i % len(users)
		task := suite.Bring(t, s, suite.AddTask(t, s, users[who].ID, prompts[i%len(prompts)]).ID, []db.State{db.Success, db.Success, db.Success, db.Failed}[i%7%4], suite.Day.Add(time.Duration(i)*7*time.Hour))
		must(t, s.Calls.EndCall(t.Context(), task.ID, suite.Day))
		_, err := s.Tags.TagTasks(t.Context(), users[who], []int64{task.ID}, tags[i%len(tags)], nil, suite.Day)
		must(t, err)
		if i%9 == 0 {
			_, err := s.Tasks.PrivateTasks(t.Context(), users[who], []int64{task.ID}, true)
			must(t, err)
			task.Private = true
		}
		all = append([]made{{task, names[who], tags[i%len(tags)]}}, all...)
	}
	has := func(text, word string) bool {
		for part := range strings.FieldsSeq(strings.ToLower(text)) {
			if strings.HasPrefix(part, word) || word >= "一" && strings.Contains(part, word) {
				return true
			}
		}
		return false
	}
	fits := func(f gallery.Filter, m made) bool {
		for word := range strings.FieldsSeq(strings.ToLower(f.Query)) {
			if !has(m.Prompt, word) && !has(m.maker, word) && !slices.ContainsFunc(m.tags, func(tag string) bool { return has(tag, word) }) {
				return false
			}
		}
		return m.VisibleTo(f.Viewer) && (len(f.States) > 0 || m.State == db.Success) && among(f.Makers, m.UserID) && (f.Tags == nil || slices.Contains(m.tags, f.Tags[0]))
	}
	for i, query := range []string{
		"jonas", "tea", "harbour", "berg", "jonas tea", "TEA jon", "tea harbour", "jonas tea harbour", "jonas tea harbour night", "ana harbour tea in",
		"小明", "风筝 小明", "sommer", "onas", "t", "jonas nothing", "moment", "rain", "h j t a",
	} {
		for j, f := range []gallery.Filter{
			{}, {States: []db.State{gallery.AnyState}}, {Makers: []int64{users[0].ID}}, {Makers: []int64{users[1].ID, users[2].ID}}, {Tags: []string{"tea moment"}},
		} {
			if (i+j)%3 != 0 && suite.IsBrief() {
				continue
			}
			f.Query, f.Viewer, f.Limit = query, users[0].ID, 100
			var want []int64
			for _, m := range all {
				if fits(f, m) {
					want = append(want, m.ID)
				}
			}
			l, err := s.Search.Listing(t.Context(), f, 100, time.UTC)
			must(t, err)
			if got := suite.IDs(l.Tasks); !slices.Equal(got, want) || l.Total != len(want) {
				t.Fatalf("%+v: %v, %d in all, want %v", f, got, l.Total, want)
			}
			sum := 0
			for _, n := range l.Many {
				sum += n
			}
			makers, err := s.Search.CountFacet(t.Context(), f, gallery.ByState)
			must(t, err)
			states := 0
			for state, n := range makers {
				if len(f.States) > 0 || state == string(db.Success) {
					states += n
				}
			}
			if sum != len(want) || states != len(want) {
				t.Errorf("%+v: %d by day and %d by state, want %d", f, sum, states, len(want))
			}
			for i, id := range want {
				if i > 2 && i < len(want)-2 && !scopetest.Long() {
					continue
				}
				place, err := s.Search.PlaceOf(t.Context(), f, id)
				must(t, err)
				if place.Position != i+1 || place.Total != len(want) {
					t.Fatalf("%+v: task %d is %+v, want %d of %d", f, id, place, i+1, len(want))
				}
			}
			first := f
			if first.Limit = 3; len(want) > 3 {
				page, total, err := s.Search.CountedTasks(t.Context(), first)
				must(t, err)
				first.Before = want[2]
				next, err := s.Search.Tasks(t.Context(), first)
				must(t, err)
				if got := suite.IDs(append(page, next...)); !slices.Equal(got, want[:min(6, len(want))]) || total != len(want) {
					t.Errorf("%+v: the first pages are %v of %d, want %v", f, got, total, want)
				}
			}
		}
	}
}

// Names are read again as soon as any process has changed one.
func TestNamesThatAnotherProcessChangesAreFoundAtOnce(t *testing.T) {
	name := filepath.Join(t.TempDir(), "dailies.db")
	if suite.OnServer() {
		name = suite.NewAddress(t)
	}
	here, there := suite.OpenNamed(t, name), suite.OpenNamed(t, name)
	ann := suite.AddUser(t, here, "Ann")
	task := suite.Bring(t, here, suite.AddTask(t, here, ann.ID, "kite").ID, db.Success, suite.Day)
	must(t, here.Calls.EndCall(t.Context(), task.ID, suite.Day))
	tag := func(add, remove []string) func() {
		return func() {
			_, err := there.Tags.TagTasks(t.Context(), ann, []int64{task.ID}, add, remove, suite.Day)
			must(t, err)
		}
	}
	for _, step := range []struct {
		what   string
		change func()
		found  []string
		gone   string
	}{
		{"nothing", func() {}, []string{"ann"}, "zoe"},
		{"another name", func() { must(t, there.Accounts.SetUserName(t.Context(), ann.ID, "Zoe")) }, []string{"zoe"}, "ann"},
		{"a tag", tag([]string{"harbour"}, nil), []string{"zoe", "harb"}, "sea"},
		{"another tag", tag([]string{"sea"}, []string{"harbour"}), []string{"sea", "zoe sea"}, "harbour"},
		{"no tag", tag(nil, []string{"sea"}), []string{"zoe"}, "sea"},
		{"a name again", func() { must(t, there.Accounts.SetUserName(t.Context(), ann.ID, "Ann")) }, []string{"ann"}, "zoe"},
	} {
		step.change()
		for _, query := range append(step.found, step.gone) {
			_, n, err := here.Search.CountedTasks(t.Context(), gallery.Filter{Viewer: ann.ID, Query: query, Limit: 10})
			must(t, err)
			if want := query != step.gone; n == 1 != want {
				t.Errorf("%s: %q finds %d videos, want it to find one: %t", step.what, query, n, want)
			}
		}
	}
	bo := suite.AddUser(t, there, "Bo Harbour")
	people, err := here.Accounts.FindUsers(t.Context(), "harb", 5)
	must(t, err)
	if len(people) != 1 || people[0].ID != bo.ID {
		t.Errorf("%v are found, and not who has just joined", people)
	}
}
