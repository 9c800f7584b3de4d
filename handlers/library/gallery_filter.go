package library

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"dailies/db"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/web/videoapi"
)

// filterOf reads the address, with the days of the team's time zone. What makes
// no sense chooses nothing.
func (gl *Gallery) filterOf(r *http.Request) (libraryview.Gallery, error) {
	q, viewer := r.URL.Query(), site.Me(r).ID
	g := libraryview.Gallery{Filter: db.TaskFilter{
		Viewer: viewer, Query: site.Clip(strings.TrimSpace(site.PlainText(q.Get("q"))), 200),
		Maker: makerOf(q.Get("who"), viewer), Model: wordOf(q.Get("model")), Ratio: wordOf(q.Get("ratio")), State: db.Success,
		Starred: q.Get("starred") == "1", Tag: db.TagName(site.Clip(q.Get("tag"), 400)), Collection: site.ParseID(q.Get("collection")),
		Before: site.ParseID(q.Get("before")), Through: site.ParseID(q.Get("through")),
	}}
	if s := videoapi.Scene(q.Get("scene")); s.Valid() {
		g.Filter.Scene = string(s)
	}
	if s := db.State(q.Get("status")); s == db.AnyState || slices.Contains(db.States(), s) {
		g.Filter.State = s
	}
	g.Dates = datesOf(q)
	zone, err := gl.site.Store.TimeZone(r.Context())
	if err != nil {
		return g, err
	}
	span := spanOf(g.Dates, db.Now().In(zone))
	g.Filter.From, g.Filter.Until = span.From, span.Until
	return g, nil
}

// makerOf returns whose videos are asked for: the viewer's, somebody's, or
// everybody's.
func makerOf(who string, viewer int64) int64 {
	if who == "me" {
		return viewer
	}
	return site.ParseID(who)
}

// wordOf returns a value to compare with what was once sent to the service.
func wordOf(text string) string { return site.Clip(site.PlainText(text), 200) }

// datesOf reads what the address says of the time. Days that are given say more
// than a span.
func datesOf(q url.Values) (d libraryview.Dates) {
	if _, ok := libraryview.Day(q.Get("from"), time.UTC); ok {
		d.From = q.Get("from")
	}
	if _, ok := libraryview.Day(q.Get("until"), time.UTC); ok {
		d.Until = q.Get("until")
	}
	if span := q.Get("date"); d == (libraryview.Dates{}) && slices.Contains(libraryview.Spans(), span) {
		d.Span = span
	}
	return d
}

// spanOf returns the time that the dates leave, in the time zone of now.
func spanOf(d libraryview.Dates, now time.Time) (s db.Span) {
	if d.Span != "" {
		return libraryview.SpanOf(d.Span, now)
	}
	s.From, _ = libraryview.Day(d.From, now.Location())
	if until, ok := libraryview.Day(d.Until, now.Location()); ok {
		s.Until = until.AddDate(0, 0, 1)
	}
	return s
}
