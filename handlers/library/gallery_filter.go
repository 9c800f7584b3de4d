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

// maxValues bounds how many values of one filter an address can have, and
// maxValueBytes those of all filters together: every link of the page repeats them.
// Further ones are ignored.
const (
	maxValues     = 50
	maxValueBytes = 2 << 10
)

// filterOf reads the filter in the request's address, with the days of the
// team's time zone.
func filterOf(s *site.Site, r *http.Request) (libraryview.Gallery, error) {
	zone, err := s.Store.TimeZone(r.Context())
	g := readFilter(r.URL.Query(), site.Me(r).ID, db.Now().In(zone))
	g.LookOnly = !site.Me(r).Makes()
	return g, err
}

// readFilter reads an address as it is for the viewer, now. A filter is repeated
// for each of its values. What makes no sense chooses nothing.
func readFilter(q url.Values, viewer int64, now time.Time) libraryview.Gallery {
	g := libraryview.Gallery{Dates: datesOf(q)}
	span := spanOf(g.Dates, now)
	left := maxValueBytes
	g.Filter = db.TaskFilter{
		Viewer: viewer, Query: site.Clip(strings.TrimSpace(site.PlainText(q.Get("q"))), 200),
		Makers: valuesOf(q["who"], &left, func(who string) int64 { return makerOf(who, viewer) }), Scenes: valuesOf(q["scene"], &left, sceneOf),
		Models: valuesOf(q["model"], &left, wordOf), Ratios: valuesOf(q["ratio"], &left, wordOf), States: valuesOf(q["status"], &left, stateOf),
		Starred: q.Get("starred") == "1", Tags: valuesOf(q["tag"], &left, tagOf), Collections: valuesOf(q["collection"], &left, site.ParseID),
		From: span.From, Until: span.Until, Before: site.ParseID(q.Get("before")), Through: site.ParseID(q.Get("through")),
	}
	if slices.Contains(g.Filter.States, db.AnyState) {
		g.Filter.States = []db.State{db.AnyState}
	}
	return g
}

// valuesOf reads the values of one filter, each once, without those that make no
// sense, which read returns as the zero value, and as far as bytes are left.
func valuesOf[T comparable](texts []string, left *int, read func(string) T) (values []T) {
	var none T
	for _, text := range texts {
		if v := read(text); v != none && len(values) < maxValues && len(text) <= *left && !slices.Contains(values, v) {
			values = append(values, v)
			*left -= len(text)
		}
	}
	return values
}

// makerOf returns whose videos are asked for: the viewer's, or somebody's.
func makerOf(who string, viewer int64) int64 {
	if who == "me" {
		return viewer
	}
	return site.ParseID(who)
}

func sceneOf(text string) string {
	if !videoapi.Scene(text).Valid() {
		return ""
	}
	return text
}

func stateOf(text string) db.State {
	if s := db.State(text); s == db.AnyState || slices.Contains(db.States(), s) {
		return s
	}
	return ""
}

func tagOf(text string) string { return db.TagName(site.Clip(text, 400)) }

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
