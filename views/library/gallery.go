// Package library renders the pages on which videos are viewed and organised: a
// video's page, the gallery, collections, the comparison, storylines, the bin and
// shared links.
package library

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/cast"
	"dailies/db/gallery"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// A Gallery holds one page of videos, with the filter that selected it.
type Gallery struct {
	Cards  []part.Card
	Filter gallery.Filter
	Dates  Dates
	Last   int64 // ID of the last card if there are older ones, else 0
	Empty  bool  // the team has not made anything yet

	LookOnly bool // the viewer may not make or change anything

	Size   string         // one of Sizes, or empty
	Zone   *time.Location // time zone of the days; nil is UTC
	PerDay map[string]int // number of matching videos by day, such as "2026-11-22"; nil if not counted

	Total int // number of matching videos, exact up to Filter.MostCounted

	First bool         // of a page with a single tile: it carries the mark of its day
	Also  gallery.Also // the people and tags whose names are in the words of the filter
	Ask   db.User      // the admin whom a viewer of an empty gallery may ask; zero if there is none

	// The choices of the filters. Counts holds, for each facet that was counted,
	// the number of matching videos by choice.
	Models      []videoapi.Model
	Made        map[gallery.Facet][]string // the models and shapes of the team's videos
	People      []db.User
	MorePeople  bool // People are not all; the address with everybody is in the menu
	Tags        []gallery.Tag
	Counts      map[gallery.Facet]map[string]int
	Cast        []cast.Member
	MoreCast    bool                 // Cast is not all, like MorePeople
	Collections []gallery.Collection // to which videos can be added
	Within      []gallery.Collection // the collections named by the filter
}

// Dates holds the dates of the filter, as the address gives them.
type Dates struct {
	Span        string // one of Spans, or empty
	From, Until string // days such as "2026-11-21", both included; empty is open
}

// filtered reports whether any filter is set.
func (g Gallery) filtered() bool { return len(g.query()) > 0 }

// Unfiltered reports whether the gallery shows everything. Then the viewer's own videos
// that are being made, or that failed lately, are among the others.
func (g Gallery) Unfiltered() bool { return !g.filtered() }

// older reports whether this is not the newest page.
func (g Gallery) older() bool { return g.Filter.Before > 0 }

// count says how many videos match.
func (g Gallery) count() string {
	switch {
	case g.Total == 0 && g.Filter.Query != "":
		return fmt.Sprintf("Nothing for “%s”", g.Filter.Query)
	case g.Total == 0 && g.filtered():
		return "Nothing fits these filters"
	}
	most := g.Filter.MostCounted()
	switch more := g.Total > most; {
	case more && g.filtered():
		return fmt.Sprintf("%s+ videos found", part.Number(most))
	case more:
		return fmt.Sprintf("%s+ videos", part.Number(most))
	case g.filtered():
		return part.Plural(g.Total, "%s video found", "%s videos found")
	}
	return part.Plural(g.Total, "%s video", "%s videos")
}

// many says how many videos were found by words.
func (g Gallery) many() string {
	if most := g.Filter.MostCounted(); g.Total > most {
		return fmt.Sprintf("%s+ videos", part.Number(most))
	}
	return part.Plural(g.Total, "%s video", "%s videos")
}

// forWords continues many.
func (g Gallery) forWords() string {
	if len(g.picks()) > 0 {
		return fmt.Sprintf("for “%s” with these filters", g.Filter.Query)
	}
	return fmt.Sprintf("for “%s”", g.Filter.Query)
}

// manyOf says how many videos a person has made, or have a tag.
func manyOf(n gallery.Named) string {
	if n.Videos > gallery.MostCountedWords {
		return fmt.Sprintf("%s+ videos", part.Number(gallery.MostCountedWords))
	}
	return part.Plural(n.Videos, "%s video", "%s videos")
}

// by returns the address of the gallery with only the person's videos.
func by(n gallery.Named) templ.SafeURL { return templ.SafeURL(fmt.Sprintf("/gallery?who=%d", n.ID)) }

// query returns the filter as the query of an address. It leaves out the position
// in the list.
func (g Gallery) query() url.Values {
	f := g.Filter
	q := url.Values{
		"q": {f.Query}, "who": g.makers(), "scene": f.Scenes, "model": f.Models, "ratio": f.Ratios, "tag": f.Tags,
		"collection": numbers(f.Collections), "cast": numbers(f.Cast), "verdict": answers(f), "date": {g.Dates.Span}, "from": {g.Dates.From}, "until": {g.Dates.Until},
	}
	if states := g.chosenStates(); !slices.Equal(states, []string{string(db.Success)}) {
		q["status"] = states
	}
	if f.Starred {
		q.Set("starred", "1")
	}
	maps.DeleteFunc(q, func(_ string, values []string) bool { return len(values) == 0 || values[0] == "" })
	return q
}

// everybody returns the address of this page with all people in their menu.
func (g Gallery) everybody() string {
	q := g.query()
	q.Set("people", "all")
	return galleryPath(q)
}

// place returns the filter and the position of this page as the query of an
// address.
func (g Gallery) place() url.Values {
	q := g.query()
	for name, id := range map[string]int64{"before": g.Filter.Before, "through": g.Filter.Through} {
		if id != 0 {
			q.Set(name, strconv.FormatInt(id, 10))
		}
	}
	return q
}

// address returns the address of this page.
func (g Gallery) address() string { return galleryPath(g.place()) }

// tileQuery returns what is appended to the address of a video's page, so that
// the page knows the list from which it was opened.
func (g Gallery) tileQuery() string {
	return strings.TrimSuffix("?"+g.query().Encode(), "?")
}

// Repeats returns how many bytes of each tile repeat the filter, which is in the
// tile's link and in the address that refreshes it.
func (g Gallery) Repeats() int { return 2 * len(g.tileQuery()) }

// next returns the address of the page with older videos.
func (g Gallery) next() string {
	q := g.query()
	q.Set("before", strconv.FormatInt(g.Last, 10))
	return galleryPath(q)
}

// newest returns the address of the first page.
func (g Gallery) newest() string { return galleryPath(g.query()) }

// counts returns the address of a facet's choices with the number of videos for
// each.
func (g Gallery) counts(facet gallery.Facet) string {
	q := g.query()
	q.Set("menu", string(facet))
	return "/gallery/counts?" + q.Encode()
}

func galleryPath(q url.Values) string {
	return strings.TrimSuffix("/gallery?"+q.Encode(), "?")
}

// makers returns the chosen people as the address names them: by ID, and the
// viewer as "me".
func (g Gallery) makers() []string {
	who := numbers(g.Filter.Makers)
	for i, id := range g.Filter.Makers {
		if id == g.Filter.Viewer {
			who[i] = "me"
		}
	}
	return who
}

// chosenStates returns the chosen states, which are only Success by default.
func (g Gallery) chosenStates() (states []string) {
	if len(g.Filter.States) == 0 {
		return []string{string(db.Success)}
	}
	for _, s := range g.Filter.States {
		states = append(states, string(s))
	}
	return states
}

// answers returns the answers of guests that the filter has.
func answers(f gallery.Filter) (answers []string) {
	for _, a := range f.Answers {
		answers = append(answers, string(a))
	}
	return answers
}

func numbers(ids []int64) (texts []string) {
	for _, id := range ids {
		texts = append(texts, strconv.FormatInt(id, 10))
	}
	return texts
}
