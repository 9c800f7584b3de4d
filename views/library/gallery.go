// Package library draws the pages on which videos are looked at and organised:
// a video's page, the gallery, collections, the comparison, storylines, the bin
// and shared links.
package library

import (
	"net/url"
	"strconv"

	"dailies/db"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// A Gallery holds one page of videos, with the filter that selected it.
type Gallery struct {
	Cards  []part.Card
	Filter db.TaskFilter
	Dates  Dates
	Last   int64 // id of the last card if there is an older one, else 0
	Empty  bool  // the team has not made anything yet

	Total int // of the videos that fit, as db.MostCounted has it

	// What can be chosen, and how many videos each choice would give: of the
	// facets that were counted, by the value of the choice.
	Models      []videoapi.Model
	Made        map[db.Facet][]string // the models and shapes of the team's videos
	People      []db.User
	Tags        []db.Tag
	Counts      map[db.Facet]map[string]int
	Collections []db.Collection // that videos can be added to
	Collection  *db.Collection  // the one that is shown, if any
}

// Dates holds what the address says about the time.
type Dates struct {
	Span        string // one of Spans, or empty
	From, Until string // days as "2026-11-21", both included; empty is no end
}

// filtered reports whether anything narrows the gallery down.
func (g Gallery) filtered() bool { return len(g.query()) > 0 }

// older reports whether this is not the newest page.
func (g Gallery) older() bool { return g.Filter.Before > 0 }

// count says how many videos fit.
func (g Gallery) count() string {
	if g.Total == 0 {
		return "No video fits."
	}
	videos := part.Count(g.Total, "video")
	if g.Total > db.MostCounted {
		videos = part.Number(db.MostCounted) + "+ videos"
	}
	if g.filtered() {
		videos += " found"
	}
	return videos
}

// query returns the filter as it stands in the address.
func (g Gallery) query() url.Values {
	f, q := g.Filter, url.Values{}
	for name, value := range map[string]string{
		"q": f.Query, "who": g.who(), "scene": f.Scene, "model": f.Model, "ratio": f.Ratio, "status": g.state(),
		"tag": f.Tag, "date": g.Dates.Span, "from": g.Dates.From, "until": g.Dates.Until,
	} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if f.Starred {
		q.Set("starred", "1")
	}
	if f.Collection != 0 {
		q.Set("collection", strconv.FormatInt(f.Collection, 10))
	}
	return q
}

// address returns the address of this page.
func (g Gallery) address() string {
	q := g.query()
	for name, id := range map[string]int64{"before": g.Filter.Before, "through": g.Filter.Through} {
		if id != 0 {
			q.Set(name, strconv.FormatInt(id, 10))
		}
	}
	return galleryPath(q)
}

// next returns the address of the page with older videos.
func (g Gallery) next() string {
	q := g.query()
	q.Set("before", strconv.FormatInt(g.Last, 10))
	return galleryPath(q)
}

// newest returns the address of the first page.
func (g Gallery) newest() string { return galleryPath(g.query()) }

// counts returns the address of the numbers beside the choices of a facet.
func (g Gallery) counts(facet db.Facet) string {
	q := g.query()
	q.Set("menu", string(facet))
	return "/gallery/counts?" + q.Encode()
}

func galleryPath(q url.Values) string {
	if len(q) == 0 {
		return "/gallery"
	}
	return "/gallery?" + q.Encode()
}

func (g Gallery) who() string {
	switch {
	case g.Filter.Mine():
		return "me"
	case g.Filter.Maker != 0:
		return strconv.FormatInt(g.Filter.Maker, 10)
	}
	return ""
}

// state returns the selected state, empty for the gallery's default.
func (g Gallery) state() string {
	if g.Filter.State == db.Success {
		return ""
	}
	return string(g.Filter.State)
}
