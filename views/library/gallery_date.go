package library

import (
	"cmp"
	"fmt"
	"time"

	"dailies/db/gallery"
)

// Spans lists the named periods by which the gallery can be filtered.
func Spans() []string { return []string{"today", "week", "month", "year"} }

func spanName(span string) string { return cmp.Or(spanNames[span], span) }

var spanNames = map[string]string{
	"today": "Today",
	"week":  "Last 7 days",
	"month": "Last 30 days",
	"year":  "This year",
}

// SpanOf returns the named period as of now, with days in now's time zone.
func SpanOf(name string, now time.Time) gallery.Span {
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch name {
	case "today":
		return gallery.Span{From: today}
	case "week":
		return gallery.Span{From: today.AddDate(0, 0, -6)}
	case "month":
		return gallery.Span{From: today.AddDate(0, 0, -29)}
	case "year":
		return gallery.Span{From: time.Date(now.Year(), 1, 1, 0, 0, 0, 0, now.Location())}
	}
	return gallery.Span{}
}

// Day returns the beginning, in the zone, of a day that a date field sent.
func Day(text string, zone *time.Location) (time.Time, bool) {
	t, err := time.ParseInLocation(time.DateOnly, text, zone)
	return t, err == nil && t.Year() >= 1970
}

func (g Gallery) spans() []offer {
	choices := []offer{{"", "Any", uncounted}}
	for _, span := range Spans() {
		choices = append(choices, offer{span, spanName(span), g.counted(gallery.ByDate, span)})
	}
	return choices
}

// between returns the period from From to Until in words; empty if there is none.
func (d Dates) between() string {
	from, hasFrom := Day(d.From, time.UTC)
	until, hasUntil := Day(d.Until, time.UTC)
	const day = "2 January 2006"
	switch {
	case hasFrom && hasUntil && from.Equal(until):
		return from.Format(day)
	case hasFrom && hasUntil && from.Year() == until.Year() && from.Month() == until.Month():
		return fmt.Sprintf("%s – %s", from.Format("2"), until.Format(day))
	case hasFrom && hasUntil && from.Year() == until.Year():
		return fmt.Sprintf("%s – %s", from.Format("2 January"), until.Format(day))
	case hasFrom && hasUntil:
		return fmt.Sprintf("%s – %s", from.Format(day), until.Format(day))
	case hasFrom:
		return fmt.Sprintf("Since %s", from.Format(day))
	case hasUntil:
		return fmt.Sprintf("Until %s", until.Format(day))
	}
	return ""
}
