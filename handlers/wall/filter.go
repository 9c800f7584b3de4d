package wall

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/review"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/web/videoapi"
)

// MaxValues limits how many values of one filter a URL can have, and maxValueBytes the
// length of the values of all filters together, because every link on the page repeats
// them. Further values are ignored.
const (
	MaxValues     = 50
	maxValueBytes = 2 << 10
)

// Filter parses the filter in the request's URL; its days are in the team's time zone.
func (h *Lists) Filter(r *http.Request) (libraryview.Gallery, error) {
	zone, err := h.settings.TimeZone(r.Context())
	if err != nil {
		return libraryview.Gallery{}, err
	}
	g := GalleryOf(r.URL.Query(), site.Me(r).ID, db.Now().In(zone))
	g.LookOnly = !site.Me(r).Makes()
	return g, nil
}

// ReadFilter returns the gallery's filter that the query selects, for programs.
func ReadFilter(q url.Values, viewer int64, now time.Time) gallery.Filter {
	return GalleryOf(q, viewer, now).Filter
}

// UnknownValue returns the name of a parameter of the query with a value that ReadFilter
// ignores; empty if there is none.
func UnknownValue(q url.Values, viewer int64) string {
	known := map[string]func(text string) bool{
		"who":        func(text string) bool { return makerOf(text, viewer) > 0 },
		"scene":      func(text string) bool { return sceneOf(text) != "" },
		"status":     func(text string) bool { return stateOf(text) != "" },
		"verdict":    func(text string) bool { return answerOf(text) != "" },
		"collection": func(text string) bool { return site.ParseID(text) > 0 },
		"cast":       func(text string) bool { return site.ParseID(text) > 0 },
		"starred":    func(text string) bool { return text == "1" },
		"from":       isDay,
		"until":      isDay,
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if slices.ContainsFunc(q[name], func(text string) bool { return text != "" && !known[name](text) }) {
			return name
		}
	}
	return ""
}

func isDay(text string) bool {
	_, ok := libraryview.Day(text, time.UTC)
	return ok
}

// GalleryOf parses the gallery's query for the viewer; now gives the present day and
// the time zone. A filter's parameter is repeated for each of its values. Invalid
// values are ignored.
func GalleryOf(q url.Values, viewer int64, now time.Time) libraryview.Gallery {
	g := libraryview.Gallery{Dates: datesOf(q)}
	span := spanOf(g.Dates, now)
	left := maxValueBytes
	g.Filter = gallery.Filter{
		Viewer: viewer, Query: site.Clip(strings.TrimSpace(site.PlainText(q.Get("q"))), 200),
		Makers:      valuesOf(q["who"], &left, func(who string) int64 { return makerOf(who, viewer) }),
		Scenes:      valuesOf(q["scene"], &left, sceneOf),
		Models:      valuesOf(q["model"], &left, wordOf),
		Ratios:      valuesOf(q["ratio"], &left, wordOf),
		States:      valuesOf(q["status"], &left, stateOf),
		Starred:     q.Get("starred") == "1",
		Tags:        valuesOf(q["tag"], &left, tagOf),
		Collections: valuesOf(q["collection"], &left, site.ParseID),
		Cast:        valuesOf(q["cast"], &left, site.ParseID),
		Answers:     valuesOf(q["verdict"], &left, answerOf),
		Now:         now,
		From:        span.From,
		Until:       span.Until,
		Before:      site.ParseID(q.Get("before")),
		Through:     site.ParseID(q.Get("through")),
	}
	if slices.Contains(g.Filter.States, gallery.AnyState) {
		g.Filter.States = []db.State{gallery.AnyState}
	}
	return g
}

// valuesOf parses the values of one filter, without duplicates and without invalid
// ones, for which read returns the zero value. It subtracts the length of each value
// from left and skips values that no longer fit.
func valuesOf[T comparable](texts []string, left *int, read func(string) T) (values []T) {
	var none T
	for _, text := range texts {
		if v := read(text); v != none && len(values) < MaxValues && len(text) <= *left && !slices.Contains(values, v) {
			values = append(values, v)
			*left -= len(text)
		}
	}
	return values
}

// makerOf returns the ID of the user whose videos are requested, where "me" stands for
// the viewer.
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
	if s := db.State(text); s == gallery.AnyState || slices.Contains(db.States(), s) {
		return s
	}
	return ""
}

func answerOf(text string) review.Answer {
	if a := review.Answer(text); slices.Contains(review.Answers(), a) {
		return a
	}
	return ""
}

func tagOf(text string) string { return gallery.TagName(site.Clip(text, 400)) }

// wordOf returns a value to compare with an option that was sent to the service.
func wordOf(text string) string { return site.Clip(site.PlainText(text), 200) }

// datesOf parses the period. Explicit days take precedence over a named span.
func datesOf(q url.Values) (d libraryview.Dates) {
	if isDay(q.Get("from")) {
		d.From = q.Get("from")
	}
	if isDay(q.Get("until")) {
		d.Until = q.Get("until")
	}
	if span := q.Get("date"); d == (libraryview.Dates{}) && slices.Contains(libraryview.Spans(), span) {
		d.Span = span
	}
	return d
}

// spanOf returns the time range of the dates, in the time zone of now.
func spanOf(d libraryview.Dates, now time.Time) (s gallery.Span) {
	if d.Span != "" {
		return libraryview.SpanOf(d.Span, now)
	}
	s.From, _ = libraryview.Day(d.From, now.Location())
	if until, ok := libraryview.Day(d.Until, now.Location()); ok {
		s.Until = until.AddDate(0, 0, 1)
	}
	return s
}
