package handlers

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"dailies/db"
	"dailies/views"
	"dailies/web"
	"dailies/web/videoapi"
)

// perPage is how many videos a page of the gallery shows.
const perPage = 24

// showGallery is everybody's finished videos, or what the filter chooses.
func (a *App) showGallery(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	g := views.Gallery{Filter: a.filter(query, me(r).ID), Models: a.Catalog.Models}
	page := g.Filter
	page.Limit = perPage + 1 // one more tells whether there is an older page
	tasks, err := a.Store.Tasks(r.Context(), page)
	if err != nil {
		return err
	}
	if len(tasks) > perPage {
		tasks = tasks[:perPage]
		g.Next = olderPage(query, tasks[perPage-1].ID)
	}
	all := g.Filter
	all.Before = 0
	if g.Total, err = a.Store.CountTasks(r.Context(), all, db.MostCounted+1); err != nil {
		return err
	}
	if g.Cards, err = a.cards(r, tasks); err != nil {
		return err
	}
	g.Empty = g.Total == 0 && len(query) == 0
	f, err := a.frame(w, r, "Gallery")
	if err != nil {
		return err
	}
	return web.Page(w, r, views.ShowGallery(f, g), views.GalleryResults(g))
}

// filter reads the address. What makes no sense chooses nothing.
func (a *App) filter(q url.Values, viewer int64) db.TaskFilter {
	f := db.TaskFilter{
		Viewer: viewer, Query: clipped(strings.TrimSpace(plainText(q.Get("q"))), 200),
		State: db.Success, Limit: perPage,
	}
	if s := videoapi.Scene(q.Get("scene")); s.Valid() {
		f.Scene = string(s)
	}
	if q.Get("who") == "me" {
		f.Maker = viewer
	}
	f.Model = clipped(q.Get("model"), 200)
	if s := db.State(q.Get("status")); s == db.AnyState || slices.Contains(db.States(), s) {
		f.State = s
	}
	if before, err := strconv.ParseInt(q.Get("before"), 10, 64); err == nil && before > 0 {
		f.Before = before
	}
	return f
}

func olderPage(q url.Values, last int64) string {
	next := url.Values{"before": {strconv.FormatInt(last, 10)}}
	for _, name := range []string{"q", "who", "scene", "model", "status"} {
		if v := q.Get(name); v != "" {
			next.Set(name, clipped(v, 200))
		}
	}
	return "/gallery?" + next.Encode()
}
