package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"dailies/db"
)

// mostChoices is how many choices of one kind are counted: those with the most
// tasks.
const mostChoices = 200

// CountFacets counts what each choice would give, all the other choices of the
// filter staying as they are. Before, Through and Limit do not matter. The
// numbers are exact.
func (s *Store) CountFacets(ctx context.Context, f db.TaskFilter, spans []db.Span) (db.Facets, error) {
	var facets db.Facets
	err := s.counted(ctx, f, func(c *census, found *finding) { facets = c.count(f, spans, found) })
	return facets, about("facets", err)
}

// counted calls use with the census as it is now, and with the tasks that have
// the words of the filter. For then, see withCensus.
func (s *Store) counted(ctx context.Context, f db.TaskFilter, use func(*census, *finding), then ...func(*sql.Tx) error) error {
	return s.withCensus(ctx, func(tx *sql.Tx, c *census) error {
		found, err := c.find(ctx, tx, match(f.Query))
		if err == nil {
			use(c, found)
		}
		return err
	}, then...)
}

// A count is the work of one CountFacets.
type count struct {
	*census
	filter     db.TaskFilter
	want       [kinds]int32 // the names that the filter asks for, or anything
	tag        int32
	collection int32
	viewer     int32
	success    int32
	dates      stretch
	spans      []stretch

	missing []int // by sort: what its tasks miss
	many    []int // by sort: tasks that fit, or miss only that

	total, starred int
	of             [kinds][]int // by name
	tags           []int        // by shelf
	inSpans        []int
}

// anything stands where the filter asks for no name. A name that no task has
// is another number below zero.
const anything = -2

// Choices besides the kinds, and none.
const (
	aStar = kinds + iota
	aTag
	aDate
	none
	hidden // misses more than one, or is not to be seen
)

// count goes through all tasks, or through those that were found, once. What
// depends on the sort alone is decided before, and added up afterwards.
func (c *census) count(f db.TaskFilter, spans []db.Span, found *finding) db.Facets {
	n := c.begin(f, spans)
	for id := range c.tasks {
		t := &c.tasks[id]
		if missing := n.missing[t.sort]; missing != hidden && (found == nil || found.has(id)) {
			n.take(t, missing)
		}
	}
	for i, many := range n.many {
		if many > 0 {
			n.add(&c.sorts[i], n.missing[i], many)
		}
	}
	return n.facets()
}

func (c *census) begin(f db.TaskFilter, spans []db.Span) *count {
	n := &count{
		census: c, filter: f, tag: anything, collection: anything,
		viewer: c.names[aMaker].find(strconv.FormatInt(f.Viewer, 10)), success: c.names[aState].find(string(db.Success)),
		dates: stretchOf(db.Span{From: f.From, Until: f.Until}), tags: make([]int, len(c.shelves.of)), inSpans: make([]int, len(spans)),
		missing: make([]int, len(c.sorts)), many: make([]int, len(c.sorts)),
	}
	for k, name := range [kinds]string{aScene: f.Scene, aModel: f.Model, aRatio: f.Ratio, aState: string(cmp.Or(f.State, db.Success))} {
		n.of[k], n.want[k] = make([]int, len(c.names[k].of)), anything
		if name != "" && name != string(db.AnyState) {
			n.want[k] = c.names[k].find(name)
		}
	}
	if f.Maker != 0 {
		n.want[aMaker] = c.names[aMaker].find(strconv.FormatInt(f.Maker, 10))
	}
	if f.Tag != "" {
		n.tag = c.shelves.find(fmt.Sprintf("t%X", db.TagKey(f.Tag)))
	}
	if f.Collection != 0 {
		n.collection = c.shelves.find(fmt.Sprintf("k%d", f.Collection))
	}
	for _, span := range spans {
		n.spans = append(n.spans, stretchOf(span))
	}
	if f.Bin { // it has no choices
		n.want, n.tag, n.collection, n.filter.Starred = [kinds]int32{anything, anything, anything, anything, anything}, anything, anything, false
	}
	for i := range c.sorts {
		n.missing[i] = n.missed(&c.sorts[i])
	}
	return n
}

// sees is the rule of db.Task.VisibleTo, with what is always left out.
func (n *count) sees(s *sort) bool {
	if !s.there || s.bin != n.filter.Bin {
		return false
	}
	own, team := s.of[aMaker] == n.viewer, s.of[aState] == n.success && !s.hidden
	if n.filter.Bin {
		return own || team && n.filter.AllBins
	}
	return own || team
}

// missed is the choice of the filter that tasks of the sort do not fit: none, or
// the only one, for which they count as what else could be chosen there. With
// more than one they are not counted at all.
func (n *count) missed(s *sort) int {
	if !n.sees(s) {
		return hidden
	}
	choice := none
	miss := func(c int) {
		if choice == none {
			choice = c
		} else {
			choice = hidden
		}
	}
	for k, want := range n.want {
		if want != anything && s.of[k] != want {
			miss(k)
		}
	}
	if n.filter.Starred && !s.starred {
		miss(aStar)
	}
	return choice
}

// missedBy is missed for a task of a sort that misses only what is given. With
// a collection everything else is hidden.
func (n *count) missedBy(t *subject, missing int) int {
	if n.collection != anything && !slices.Contains(n.filed[t.set], n.collection) {
		return hidden
	}
	if n.tag != anything && !slices.Contains(n.filed[t.set], n.tag) {
		if missing != none {
			return hidden
		}
		missing = aTag
	}
	if !n.dates.has(t.created) {
		if missing != none {
			return hidden
		}
		missing = aDate
	}
	return missing
}

// take counts the task for its shelves and dates, and as one of its sort.
func (n *count) take(t *subject, missing int) {
	missing = n.missedBy(t, missing)
	if missing < aTag || missing == none {
		n.many[t.sort]++
	}
	if missing == none || missing == aTag {
		for _, shelf := range n.filed[t.set] {
			n.tags[shelf]++
		}
	}
	if missing == none || missing == aDate {
		for i, span := range n.spans {
			if span.has(t.created) {
				n.inSpans[i]++
			}
		}
	}
}

// add counts so many tasks of a sort for every choice, or only for the one that
// they miss.
func (n *count) add(s *sort, missing, many int) {
	if missing == none {
		n.total += many
	}
	for k, name := range s.of {
		if missing == none || missing == k {
			n.of[k][name] += many
		}
	}
	if s.starred && (missing == none || missing == aStar) {
		n.starred += many
	}
}

func (n *count) facets() db.Facets {
	f := db.Facets{
		Total: n.total, Starred: n.starred, Dates: n.inSpans, Makers: map[int64]int{}, States: map[db.State]int{}, Tags: map[string]int{},
		Scenes: most(&n.names[aScene], n.of[aScene]), Models: most(&n.names[aModel], n.of[aModel]), Ratios: most(&n.names[aRatio], n.of[aRatio]),
	}
	for maker, m := range most(&n.names[aMaker], n.of[aMaker]) {
		id, _ := strconv.ParseInt(maker, 10, 64)
		f.Makers[id] = m
	}
	for state, m := range most(&n.names[aState], n.of[aState]) {
		f.States[db.State(state)] = m
		f.States[db.AnyState] += m
	}
	for shelf, name := range n.shelves.of {
		if name[0] != 't' {
			n.tags[shelf] = 0 // a collection
		}
	}
	for shelf, m := range most(&n.shelves, n.tags) {
		key, _ := hex.DecodeString(shelf[1:])
		f.Tags[string(key)] = m
	}
	return f
}

// most are the names with the highest counts, at most mostChoices, and none
// that was not counted. The empty name is no choice.
func most(of *names, counts []int) map[string]int {
	found := map[string]int{}
	for i, n := range counts {
		if n > 0 && of.of[i] != "" {
			found[of.of[i]] = n
		}
	}
	if len(found) <= mostChoices {
		return found
	}
	order := slices.SortedFunc(maps.Keys(found), func(a, b string) int { return cmp.Or(found[b]-found[a], strings.Compare(a, b)) })
	for _, name := range order[mostChoices:] {
		delete(found, name)
	}
	return found
}

// A stretch is a db.Span in unix milliseconds.
type stretch struct{ from, until int64 }

func stretchOf(s db.Span) stretch {
	in := stretch{math.MinInt64, math.MaxInt64}
	if !s.From.IsZero() {
		in.from = s.From.UnixMilli()
	}
	if !s.Until.IsZero() {
		in.until = s.Until.UnixMilli()
	}
	return in
}

func (s stretch) has(at int64) bool { return s.from <= at && at < s.until }
