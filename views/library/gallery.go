// Package library renders the pages on which videos are viewed and organised: a
// video's page, the gallery, collections, the comparison, storylines, the bin and
// shared links.
package library

import (
	"cmp"
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
	"dailies/db/format"
	"dailies/db/gallery"
	"dailies/db/naming"
	"dailies/db/review"
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
		"collection": numbers(f.Collections), "cast": numbers(f.Cast), "verdict": answers(f), "date": {g.Dates.Span},
		"from": {g.Dates.From}, "until": {g.Dates.Until},
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

// tagged returns the address of the gallery with only the videos that have the
// tag.
func tagged(name string) templ.SafeURL { return templ.SafeURL("/gallery?tag=" + url.QueryEscape(name)) }

// CoverPath returns the address of the task's cover; empty without one.
func CoverPath(t db.Task) string {
	if m, ok := t.Cover(); ok {
		return part.MediaPath(m)
	}
	return ""
}

// number returns the ID of the card's video as text for a form.
func number(c part.Card) string { return strconv.FormatInt(c.Task.ID, 10) }

// poster returns the picture of the video for tiles: the thumbnail, or else the
// cover.
func poster(t db.Task) (db.Media, bool) {
	if thumb, ok := t.Thumb(); ok {
		return thumb, true
	}
	return t.Cover()
}

// tileShape returns the CSS class of the video's ratio: the requested one, or
// else the one nearest to its thumbnail's. Without either it is wide.
func tileShape(c part.Card) string {
	if shape := c.Shape(); shape != "r-auto" {
		return shape
	}
	thumb, _ := c.Task.Thumb()
	return part.NearestRatioClass(thumb.Width, thumb.Height)
}

// caption says who made the video and when.
func (w walled) caption(zone *time.Location) string {
	return fmt.Sprintf("%s · %s", w.Card.Maker(), shortDay(w.Card.Task.CreatedAt.In(zone), w.Card.Now.In(zone)))
}

// tileTakes is the ID of the popover with the takes of the tile that was pressed last.
const tileTakes = "tile-takes"

// takesOf says how many takes of the video there are.
func takesOf(c part.Card) string {
	return fmt.Sprintf("%d takes of %s", c.Stacked, c.Title())
}

// stackCompared returns the IDs of the takes to compare: the newest ones.
func stackCompared(c part.Card, takes []db.Task) []int64 {
	t := Takes{}
	for _, task := range takes {
		t.Cards = append(t.Cards, part.Card{Task: task})
	}
	return t.compared(c.Task.ID)
}

// First is the field of a tile's address that asks for the mark of its day.
const First = "first"

// tileRenewal returns the address of the tile's current state, in the list that
// the query describes.
func (w walled) tileRenewal(query string) string {
	address := "/gallery/tile?id=" + number(*w.Card)
	if w.Mark.Title != "" {
		address += "&" + First + "=1"
	}
	if query != "" {
		address += "&" + query[1:]
	}
	return address + "&" + part.Unseen
}

// tile shows one video as Tile does, with additional buttons as its children. If renew is
// set, it refreshes itself.
func tile(w walled, query string, zone *time.Location, eager, renew bool) templ.Component {
	if !renew {
		return tileOf(w, query, zone, eager, false)
	}
	return part.Polled(tileOf(w, query, zone, eager, true))
}

// tileState returns the CSS class of a tile without a video to show: "run" while
// it is being made, "failed" if there will be none, else empty.
func tileState(c part.Card) string {
	switch {
	case c.Task.State.Running():
		return "run"
	case c.Task.State != db.Success || c.FileMissing():
		return "failed"
	}
	return ""
}

// tilePace says how far a video is that is being made.
func tilePace(c part.Card) string {
	usually := part.Usually(c.Usual)
	switch {
	case c.Elsewhere:
		return "Waiting: the team has switched services"
	case c.Slow():
		return "Taking longer than usual"
	case c.Turn() != "":
		return fmt.Sprintf("%s · %s", part.StateName(c.Task.State), c.Turn())
	case c.Ahead > 0:
		return part.ComeFirst(c.Ahead)
	case usually == "":
		return part.StateName(c.Task.State)
	}
	return fmt.Sprintf("%s · %s", part.StateName(c.Task.State), usually)
}

// tileTrouble says in a few words why a tile has no video.
func tileTrouble(c part.Card) string {
	if c.FileMissing() {
		return "File missing"
	}
	return part.StateName(c.Task.State)
}

// tileMoney says briefly what happened to the credits of a task that made no
// video; empty if that is not known.
func tileMoney(c part.Card) string {
	t := c.Task
	switch {
	case t.State == db.Success:
		return ""
	case t.Returned.Known && t.Returned.Amount > 0:
		return fmt.Sprintf("%s came back", part.Amount(t.Returned.Amount))
	case t.State == db.Rejected, t.State == db.Failed && t.Charged.Known && t.Charged.Amount == 0:
		return "Nothing charged"
	case (t.State == db.Canceled || t.Filtered()) && t.Charged.Known:
		return fmt.Sprintf("Charged %s", part.Amount(t.Charged.Amount))
	}
	return ""
}

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

// A walled is a video of the wall, with the mark of its day if it is the first of that day
// on the page.
type walled struct {
	Card *part.Card
	Mark mark
}

// A mark is what the first video of a day says about the day. The zero mark says nothing.
type mark struct {
	Date  string // such as "2026-11-22"
	Title string // such as "Fri 20 Nov · 2"
	Month string // such as "November 2026"
}

// wall returns the page's videos with the marks of their days, in the page's time zone.
// What was found by words has no marks.
func (g Gallery) wall() (tiles []walled) {
	before := ""
	tiles = make([]walled, 0, len(g.Cards))
	for i := range g.Cards {
		c := &g.Cards[i]
		m := g.markOf(c)
		if m.Date == before || g.Filter.Query != "" {
			m = mark{}
		} else {
			before = m.Date
		}
		tiles = append(tiles, walled{c, m})
	}
	return tiles
}

// markOf returns the mark of the day on which the video was ordered.
func (g Gallery) markOf(c *part.Card) mark {
	at := c.Task.CreatedAt.In(g.zone())
	date := at.Format(time.DateOnly)
	title := dayTitle(at, c.Now.In(g.zone()))
	if n := g.PerDay[date]; n > 0 {
		title = fmt.Sprintf("%s · %s", title, part.Number(n))
	}
	return mark{date, title, at.Format("January 2006")}
}

// alone returns a video that is shown anew, with its mark if it is the first of its day.
func (g Gallery) alone(c *part.Card) walled {
	w := walled{Card: c}
	if g.First {
		w.Mark = g.markOf(c)
	}
	return w
}

// monthInView returns the month of the first video.
func (g Gallery) monthInView() string {
	if len(g.Cards) == 0 || g.Filter.Query != "" {
		return ""
	}
	return g.markOf(&g.Cards[0]).Month
}

// DayOf returns the day on which the video was ordered, within the period of the filter.
func (g Gallery) DayOf(c part.Card) gallery.Span {
	return g.Filter.DaysOf([]db.Task{c.Task}, g.zone())[0]
}

func (g Gallery) zone() *time.Location {
	if g.Zone == nil {
		return time.UTC
	}
	return g.Zone
}

// dayTitle names the day of at relative to now, which must be in the same time
// zone.
func dayTitle(at, now time.Time) string {
	if near := nearDay(at, now); near != "" {
		return near
	}
	if at.Year() == now.Year() {
		return at.Format("Mon 2 Jan")
	}
	return at.Format("Mon 2 Jan 2006")
}

// shortDay is dayTitle without the day of the week, for captions.
func shortDay(at, now time.Time) string {
	if near := nearDay(at, now); near != "" {
		return near
	}
	if at.Year() == now.Year() {
		return at.Format("2 Jan")
	}
	return at.Format("2 Jan 2006")
}

// nearDay names the day of at if it is today or yesterday.
func nearDay(at, now time.Time) string {
	switch date := at.Format(time.DateOnly); date {
	case now.Format(time.DateOnly):
		return "Today"
	case now.AddDate(0, 0, -1).Format(time.DateOnly):
		return "Yesterday"
	}
	return ""
}

// firstRow is the number of tiles at the top whose pictures are loaded eagerly.
const firstRow = 6

// Sizes lists the sizes of tiles: small, medium and large.
func Sizes() []string { return []string{"s", "m", "l"} }

func sizeName(size string) string {
	return map[string]string{"s": "Small", "m": "Medium", "l": "Large"}[size]
}

// size returns the chosen size of tiles.
func (g Gallery) size() string {
	if g.Size == "" {
		return "m"
	}
	return g.Size
}

// sized returns the address of this page that also selects the size.
func (g Gallery) sized(size string) string {
	q := g.place()
	q.Set("size", size)
	return galleryPath(q)
}

// An offer is one choice of a filter.
type offer struct {
	Value, Text string
	Count       int // number of videos with this choice, or uncounted
}

// uncounted is the Count of a choice whose videos were not counted.
const uncounted = -1

// A filterMenu is one filter with its choices.
type filterMenu struct {
	Facet   gallery.Facet // also names the form field
	Title   string
	Values  []string // values of the chosen choices
	Choices []offer
	Fixed   int    // number of choices at the beginning that are shown even without videos
	Single  bool   // only one can be chosen; the first choice means no filter
	Wide    bool   // has fields for a first and a last day
	More    string // address of the page with all choices, if these are not all
}

// restricts reports whether choices restrict the gallery, which the default state does not.
func (m filterMenu) restricts() bool {
	if m.Facet == gallery.ByState && slices.Equal(m.Values, []string{string(db.Success)}) {
		return false
	}
	return slices.ContainsFunc(m.Values, func(value string) bool { return value != "" })
}

// chosen returns the choices that restrict the gallery.
func (m filterMenu) chosen() (chosen []offer) {
	if !m.restricts() {
		return nil
	}
	for _, c := range m.Choices {
		if m.has(c) && c.Value != "" {
			chosen = append(chosen, c)
		}
	}
	return chosen
}

// said names the chosen values. If days is given, it replaces them in the filter
// by date.
func (m filterMenu) said(days string) string {
	var texts []string
	for _, c := range m.Choices {
		if m.has(c) {
			texts = append(texts, c.Text)
		}
	}
	switch {
	case m.Wide && days != "":
		return days
	case len(texts) == 0:
		return "Any"
	}
	return format.List(texts)
}

// has reports whether c is chosen.
func (m filterMenu) has(c offer) bool { return slices.Contains(m.Values, c.Value) }

// kind returns the type of the input elements.
func (m filterMenu) kind() string {
	if m.Single {
		return "radio"
	}
	return "checkbox"
}

// id returns an HTML id that each value has alone, whatever it is made of.
func (m filterMenu) id(c offer) string {
	return fmt.Sprintf("%s-%s", m.Facet, url.QueryEscape(c.Value))
}

// menus returns the filters that have choices. It leaves out choices without
// videos, except fixed and chosen ones.
func (g Gallery) menus() []filterMenu {
	return g.menusThat(func(filterMenu) bool { return true })
}

// menusThat is like menus, for the filters that fit, which are asked before they have choices.
func (g Gallery) menusThat(fit func(filterMenu) bool) (all []filterMenu) {
	add := func(m filterMenu, choices func() []offer) {
		if !fit(m) {
			return
		}
		m.Choices = choices()
		others := slices.DeleteFunc(m.Choices[m.Fixed:], func(c offer) bool { return c.Count == 0 && !m.has(c) })
		m.Choices = m.Choices[:m.Fixed+len(others)]
		if m.Facet == gallery.ByMaker && g.MorePeople || m.Facet == gallery.ByCast && g.MoreCast {
			m.More = g.everybody()
		}
		if len(m.Choices) > 0 || m.More != "" {
			all = append(all, m)
		}
	}
	add(filterMenu{Facet: gallery.ByMaker, Title: "Person", Values: g.makers(), Fixed: 1}, g.people)
	add(filterMenu{Facet: gallery.ByScene, Title: "Made from", Values: g.Filter.Scenes}, g.scenes)
	add(filterMenu{Facet: gallery.ByModel, Title: "Model", Values: g.Filter.Models}, g.models)
	add(filterMenu{Facet: gallery.ByRatio, Title: "Shape", Values: g.Filter.Ratios}, g.ratios)
	add(filterMenu{Facet: gallery.ByTag, Title: "Tag", Values: g.Filter.Tags}, g.tags)
	add(filterMenu{Facet: gallery.ByCast, Title: "Cast", Values: numbers(g.Filter.Cast)}, g.cast)
	add(filterMenu{Facet: gallery.ByVerdict, Title: "Answer", Values: answers(g.Filter)}, g.verdicts)
	add(filterMenu{Facet: gallery.ByState, Title: "State", Values: g.chosenStates(), Fixed: 2}, g.states)
	add(
		filterMenu{Facet: gallery.ByDate, Title: "Date", Values: []string{g.Dates.Span}, Fixed: len(Spans()) + 1, Single: true, Wide: true},
		g.spans,
	)
	return all
}

// counted returns the number of videos with the choice, or uncounted.
func (g Gallery) counted(facet gallery.Facet, choice string) int {
	counts, ok := g.Counts[facet]
	if !ok {
		return uncounted
	}
	return counts[choice]
}

func (g Gallery) people() []offer {
	mine := offer{"me", "Mine", g.counted(gallery.ByMaker, strconv.FormatInt(g.Filter.Viewer, 10))}
	var others []offer
	for _, u := range g.People {
		if u.ID != g.Filter.Viewer {
			id := strconv.FormatInt(u.ID, 10)
			others = append(others, offer{id, part.Person(u), g.counted(gallery.ByMaker, id)})
		}
	}
	keys := make(map[string]string, len(others))
	for _, o := range others {
		keys[o.Text] = strings.ToLower(o.Text)
	}
	slices.SortStableFunc(others, func(a, b offer) int { return cmp.Compare(keys[a.Text], keys[b.Text]) })
	return append([]offer{mine}, others...)
}

func (g Gallery) scenes() (choices []offer) {
	for _, s := range videoapi.Scenes() {
		choices = append(choices, offer{string(s), part.SceneName(s), g.counted(gallery.ByScene, string(s))})
	}
	return choices
}

// models lists the models of the catalogue, and those of videos whose model is no
// longer in it. If two models have the same name, their first scene is added.
func (g Gallery) models() (choices []offer) {
	names, known := map[string]int{}, map[string]bool{}
	for _, m := range g.Models {
		names[m.Name]++
		known[m.ID] = true
	}
	for _, m := range g.Models {
		text := m.Name
		if names[m.Name] > 1 && len(m.Scenes) > 0 {
			text = fmt.Sprintf("%s, %s", m.Name, strings.ToLower(part.SceneName(m.Scenes[0])))
		}
		choices = append(choices, offer{m.ID, text, g.counted(gallery.ByModel, m.ID)})
	}
	for _, id := range g.others(gallery.ByModel, g.Filter.Models) {
		if !known[id] {
			choices = append(choices, offer{id, id, g.counted(gallery.ByModel, id)})
		}
	}
	return choices
}

func (g Gallery) ratios() (choices []offer) {
	for _, ratio := range g.others(gallery.ByRatio, g.Filter.Ratios) {
		choices = append(choices, offer{ratio, ratio, g.counted(gallery.ByRatio, ratio)})
	}
	return choices
}

// others returns the sorted values of a facet that were counted or chosen, or
// that videos of the team have.
func (g Gallery) others(facet gallery.Facet, chosen []string) []string {
	choices := slices.Concat(slices.Collect(maps.Keys(g.Counts[facet])), chosen, g.Made[facet])
	slices.Sort(choices)
	return slices.DeleteFunc(slices.Compact(choices), func(choice string) bool { return choice == "" })
}

// answerNames names the choices of the filter by answer.
func answerNames() map[review.Answer]string {
	return map[review.Answer]string{review.Changes: "Changes wanted", review.Approved: "Approved", review.Waiting: "Waiting for an answer"}
}

// verdicts lists what guests can decide.
func (g Gallery) verdicts() (choices []offer) {
	for _, a := range review.Answers() {
		choices = append(choices, offer{string(a), answerNames()[a], g.counted(gallery.ByVerdict, string(a))})
	}
	return choices
}

func (g Gallery) states() []offer {
	choices := []offer{
		{string(db.Success), part.StateName(db.Success), g.counted(gallery.ByState, string(db.Success))},
		{string(gallery.AnyState), part.StateName(gallery.AnyState), uncounted},
	}
	for _, s := range []db.State{db.Processing, db.Pending, db.Queued, db.Failed, db.Canceled, db.Rejected, db.Unconfirmed} {
		choices = append(choices, offer{string(s), part.StateName(s), g.counted(gallery.ByState, string(s))})
	}
	return choices
}

// tags lists the team's tags, and those that only videos without a result have. A
// chosen one keeps its spelling from the address.
func (g Gallery) tags() (choices []offer) {
	spelling, known := map[string]string{}, map[string]bool{}
	for _, name := range g.Filter.Tags {
		spelling[gallery.TagKey(name)] = name
	}
	add := func(key, text string) {
		if !known[key] {
			known[key] = true
			choices = append(choices, offer{cmp.Or(spelling[key], text), text, g.counted(gallery.ByTag, key)})
		}
	}
	for _, t := range g.Tags {
		add(gallery.TagKey(t.Name), t.Name)
	}
	for _, name := range g.others(gallery.ByTag, g.Filter.Tags) {
		add(gallery.TagKey(name), gallery.TagKey(name))
	}
	return choices
}

// cast lists those of the cast whom the page knows by name. A chosen member that is deleted has no name here.
func (g Gallery) cast() (choices []offer) {
	for _, m := range g.Cast {
		id := strconv.FormatInt(m.ID, 10)
		choices = append(choices, offer{id, m.Name, g.counted(gallery.ByCast, id)})
	}
	for _, id := range numbers(g.Filter.Cast) {
		if !slices.ContainsFunc(choices, func(c offer) bool { return c.Value == id }) {
			choices = append(choices, offer{id, "Deleted from the cast", g.counted(gallery.ByCast, id)})
		}
	}
	return choices
}

// A pick is one value of a filter that is set, and can be removed.
type pick struct {
	Names []string // names of the form fields that hold it
	Value string   // the value to remove from those fields; empty for any
	Text  string
	Href  string // address of the gallery without it
}

// picks returns the filters that are set, except the search words, which the
// search field shows.
func (g Gallery) picks() (picks []pick) {
	add := func(text, value string, names ...string) {
		q := g.query()
		for _, name := range names {
			q[name] = slices.DeleteFunc(slices.Clone(q[name]), func(v string) bool { return value == "" || v == value })
		}
		picks = append(picks, pick{names, value, text, galleryPath(q)})
	}
	for _, c := range g.Within {
		add(fmt.Sprintf("Collection: %s", naming.Isolated(c.Name)), strconv.FormatInt(c.ID, 10), "collection")
	}
	for _, m := range g.menusThat(filterMenu.restricts) {
		for _, c := range m.chosen() {
			add(fmt.Sprintf("%s: %s", m.Title, naming.Isolated(c.Text)), c.Value, string(m.Facet))
		}
	}
	if text := g.Dates.between(); text != "" {
		add(text, "", "from", "until")
	}
	if g.Filter.Starred {
		add("Starred", "", "starred")
	}
	return picks
}

// wordless returns the address of the gallery without the search words.
func (g Gallery) wordless() string {
	q := g.query()
	q.Del("q")
	return galleryPath(q)
}

// whyNothing says more about that no video was found. Empty if there is nothing to say.
func (g Gallery) whyNothing() string {
	if len(g.Also.People) == 1 {
		who := g.Also.People[0]
		name := naming.Isolated(who.Name)
		switch {
		case len(g.picks()) > 0:
			return fmt.Sprintf("%s has videos, but none that fits these filters.", name)
		case who.Rest != "":
			return part.Plural(
				who.Videos, "%[2]s has %[1]s video, but not with “%[3]s”.", "%[2]s has %[1]s videos, none with “%[3]s”.", name,
				who.Rest,
			)
		}
	}
	if g.Filter.Query != "" && len(g.picks()) > 0 {
		return "Nothing has these words and fits these filters."
	}
	return ""
}

// showTheirs offers the videos of a person who has none with the other words.
func showTheirs(n gallery.Named) string {
	name := naming.Isolated(n.Name)
	if n.Videos > gallery.MostCountedWords {
		return fmt.Sprintf("Show %s’s videos", name)
	}
	return part.Plural(n.Videos, "Show %[2]s’s %[1]s", "Show %[2]s’s %[1]s", name)
}

// whyWatching says to somebody who makes no videos why there are none yet.
func (g Gallery) whyWatching() string {
	if g.Ask.Name == "" {
		return "The team’s videos will be here. Want to make videos? Ask an admin."
	}
	return fmt.Sprintf("The team’s videos will be here. Want to make videos? Ask %s.", naming.Isolated(g.Ask.Name))
}

// onlyStarred reports whether the gallery is filtered by stars alone.
func (g Gallery) onlyStarred() bool {
	return g.Filter.Starred && g.Filter.Query == "" && len(g.picks()) == 1
}
