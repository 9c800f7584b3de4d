package gallery

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"dailies/db"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
)

// maxCompared limits how many videos are shown side by side, and maxNamed how many a
// URL may name.
const (
	maxCompared = 4
	maxNamed    = 50
)

// Compare shows two to four videos side by side. With fewer, the page explains how to
// choose them.
func (h *Gallery) Compare(w http.ResponseWriter, r *http.Request) error {
	tasks, page, err := h.compared(r.Context(), site.Me(r).ID, r.URL.Query()["id"])
	if err != nil {
		return err
	}
	if page.Cards, err = h.cards.Of(r, tasks); err != nil {
		return err
	}
	return h.pages.Draw(w, r, http.StatusOK, "Compare", libraryview.ShowCompare(page))
}

// compared returns the finished videos that the IDs name, each once, and counts the IDs
// that lead to none. An ID of a video that the viewer may not see is no error: the
// video may have been deleted since the URL was copied.
func (h *Gallery) compared(ctx context.Context, viewer int64, ids []string) ([]db.Task, libraryview.Compare, error) {
	var page libraryview.Compare
	var named []int64
	for _, text := range ids[:min(len(ids), maxNamed)] {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil || id <= 0 {
			page.Missing++
		} else if !slices.Contains(named, id) {
			named = append(named, id)
		}
	}
	tasks, err := h.search.TasksOf(ctx, viewer, named)
	if err != nil {
		return nil, page, err
	}
	tasks = slices.DeleteFunc(tasks, func(t db.Task) bool { return !t.PlayableFor(viewer) })
	page.Missing += len(named) - len(tasks)
	page.Left = max(0, len(tasks)-maxCompared)
	return tasks[:len(tasks)-page.Left], page, nil
}
