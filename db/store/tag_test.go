package store_test

import (
	"fmt"
	"slices"
	"testing"

	"dailies/db"
)

func TestTagsAreOneWhateverTheirCase(t *testing.T) {
	h := newTeam(t)
	got, err := h.TagTasks(t.Context(), h.bo, h.all(), []string{"Spring", "Ärger", "  "}, nil, day)
	must(t, err)
	same(t, got, []int64{h.anns, h.bos, h.bosPrivate, h.bosF, h.running})
	_, err = h.TagTasks(t.Context(), h.ann, []int64{h.anns, h.annsPrivate}, []string{"SPRING"}, []string{"ÄRGER"}, day)
	must(t, err)
	same(t, h.find(t, db.TaskFilter{Viewer: h.ann.ID, Tags: []string{"spring"}}), []int64{h.anns, h.annsPrivate, h.bos})
	same(t, h.find(t, db.TaskFilter{Viewer: h.bo.ID, Tags: []string{"ärger"}, States: []db.State{db.AnyState}}), []int64{h.bos, h.bosPrivate, h.bosF, h.running})
	task, err := h.Task(t.Context(), h.bos)
	must(t, err)
	same(t, task.Tags, []string{"Spring", "Ärger"})

	tags, err := h.Tags(t.Context(), h.bo.ID)
	must(t, err)
	same(t, names(tags), []string{"Spring", "Ärger"})
	counts, err := h.CountFacet(t.Context(), db.TaskFilter{Viewer: h.bo.ID}, db.ByTag)
	must(t, err)
	same(t, counts, map[string]int{"spring": 3, "ärger": 2})
	counts, err = h.CountFacet(t.Context(), db.TaskFilter{Viewer: h.ann.ID}, db.ByTag)
	must(t, err)
	same(t, counts, map[string]int{"spring": 3, "ärger": 1})
}

func names(tags []db.Tag) (names []string) {
	for _, t := range tags {
		names = append(names, t.Name)
	}
	return names
}

func TestATagWithoutVideosIsNotListed(t *testing.T) {
	h := newTeam(t)
	_, err := h.TagTasks(t.Context(), h.bo, []int64{h.bosPrivate}, []string{"secret plan"}, nil, day)
	must(t, err)
	_, err = h.TagTasks(t.Context(), h.bo, []int64{h.bos}, []string{"b", "a"}, nil, day)
	must(t, err)
	tags, err := h.Tags(t.Context(), h.ann.ID)
	must(t, err)
	if len(tags) != 2 || tags[0].Name != "a" || tags[1].Name != "b" {
		t.Errorf("Ann sees %+v", tags)
	}
	_, err = h.TagTasks(t.Context(), h.bo, []int64{h.bosF}, []string{"did not work"}, nil, day)
	must(t, err)
	tags, err = h.Tags(t.Context(), h.bo.ID)
	must(t, err)
	same(t, names(tags), []string{"a", "b", "did not work", "secret plan"})
	_, err = h.TagTasks(t.Context(), h.ann, []int64{h.bos}, nil, []string{"A"}, day)
	must(t, err)
	_, err = h.DeleteTasks(t.Context(), h.bo, []int64{h.bos}, day)
	must(t, err)
	if tags, err := h.Tags(t.Context(), h.ann.ID); len(tags) != 0 || err != nil {
		t.Errorf("Ann sees %+v, %v", tags, err)
	}
}

func TestTooManyTagsChangeNothing(t *testing.T) {
	h := newTeam(t)
	var many []string
	for i := range 20 {
		many = append(many, fmt.Sprint("tag ", i))
	}
	_, err := h.TagTasks(t.Context(), h.bo, []int64{h.bos}, many, nil, day)
	must(t, err)
	_, err = h.TagTasks(t.Context(), h.bo, []int64{h.anns, h.bos}, []string{"one more"}, nil, day)
	wants(t, err, db.ErrConflict)
	_, err = h.TagTasks(t.Context(), h.bo, []int64{h.bos}, []string{"another"}, many[:1], day)
	must(t, err)
	for id, want := range map[int64]int{h.anns: 0, h.bos: 20} {
		task, err := h.Task(t.Context(), id)
		must(t, err)
		if len(task.Tags) != want || slices.Contains(task.Tags, "one more") {
			t.Errorf("task %d has %q", id, task.Tags)
		}
	}
}
