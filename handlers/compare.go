package handlers

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"dailies/db"
	"dailies/views"
	"dailies/web"
)

// How many videos stand side by side, and how many an address may name.
const (
	mostCompared = 4
	mostNamed    = 50
)

// showCompare is two to four videos side by side. With fewer the page says how
// to choose them.
func (a *App) showCompare(w http.ResponseWriter, r *http.Request) error {
	tasks, page, err := a.compared(r.Context(), me(r).ID, r.URL.Query()["id"])
	if err != nil {
		return err
	}
	if page.Cards, err = a.cards(r, tasks); err != nil {
		return err
	}
	f, err := a.frame(w, r, "Compare")
	if err != nil {
		return err
	}
	show := views.ShowCompare(f, page)
	return web.Page(w, r, show, show)
}

// compared are the finished videos that the ids name, each once, and how many
// ids are not among them. An id that names nothing that the viewer may see is
// no mistake: the video may have gone into the bin since the address was kept.
func (a *App) compared(ctx context.Context, viewer int64, ids []string) (tasks []db.Task, page views.Compare, err error) {
	seen := map[int64]bool{}
	for _, text := range ids[:min(len(ids), mostNamed)] {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil || id <= 0 {
			page.Missing++
			continue
		}
		if seen[id] {
			continue
		}
		seen[id] = true
		if len(tasks) == mostCompared {
			page.Left++
			continue
		}
		t, err := a.Store.Task(ctx, id)
		switch {
		case errors.Is(err, db.ErrNotFound) || err == nil && !playable(t, viewer):
			page.Missing++
		case err != nil:
			return nil, page, err
		default:
			tasks = append(tasks, t)
		}
	}
	return tasks, page, nil
}

// playable reports whether the viewer may see the video, and there is one.
func playable(t db.Task, viewer int64) bool {
	_, kept := t.Video()
	return t.VisibleTo(viewer) && t.State == db.Success && t.DeletedAt.IsZero() && kept
}
