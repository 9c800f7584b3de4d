package library

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"dailies/db"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// An offer is one value of a filter.
type offer struct {
	Value, Text string
	Count       int // videos that it would give, or uncounted
}

// uncounted is the count of a value that was not counted.
const uncounted = -1

// number returns the count in words, empty if there is none.
func (c offer) number() string {
	if c.Count == uncounted {
		return ""
	}
	return part.Number(c.Count)
}

// A filterMenu is one filter with its values, the first of which selects
// nothing.
type filterMenu struct {
	Facet   db.Facet // names the field
	Title   string
	Value   string // the chosen one, empty for the first
	Choices []offer
	Wide    bool // with fields for a first and a last day
}

// chosen returns the text of the selected value, empty if none is.
func (m filterMenu) chosen() string {
	for _, c := range m.Choices {
		if c.Value == m.Value && m.Value != "" {
			return c.Text
		}
	}
	return ""
}

func (m filterMenu) id(c offer) string { return fmt.Sprintf("%s-%x", m.Facet, c.Value) }

// menus returns the filters that offer a choice.
func (g Gallery) menus() []filterMenu {
	all := []filterMenu{
		{Facet: db.ByMaker, Title: "Person", Value: g.who(), Choices: g.people()},
		{Facet: db.ByScene, Title: "Scene", Value: g.Filter.Scene, Choices: g.scenes()},
		{Facet: db.ByModel, Title: "Model", Value: g.Filter.Model, Choices: g.models()},
		{Facet: db.ByRatio, Title: "Shape", Value: g.Filter.Ratio, Choices: g.ratios()},
		{Facet: db.ByTag, Title: "Tag", Value: g.tag(), Choices: g.tags()},
		{Facet: db.ByState, Title: "State", Value: g.state(), Choices: g.states()},
		{Facet: db.ByDate, Title: "Date", Value: g.Dates.Span, Choices: g.spans(), Wide: true},
	}
	return slices.DeleteFunc(all, func(m filterMenu) bool { return len(m.Choices) < 2 })
}

// offered drops the values that match no video, unless they are selected.
func offered(first, value string, choices []offer) []offer {
	choices = slices.DeleteFunc(choices, func(c offer) bool { return c.Count == 0 && c.Value != value })
	return append([]offer{{"", first, uncounted}}, choices...)
}

// counted returns how many videos the choice would give, or uncounted.
func (g Gallery) counted(facet db.Facet, choice string) int {
	counts, ok := g.Counts[facet]
	if !ok {
		return uncounted
	}
	return counts[choice]
}

func (g Gallery) people() []offer {
	mine := offer{"me", "Mine", g.counted(db.ByMaker, strconv.FormatInt(g.Filter.Viewer, 10))}
	var others []offer
	for _, u := range g.People {
		if u.ID != g.Filter.Viewer {
			id := strconv.FormatInt(u.ID, 10)
			others = append(others, offer{id, u.Name, g.counted(db.ByMaker, id)})
		}
	}
	slices.SortStableFunc(others, func(a, b offer) int { return cmp.Compare(strings.ToLower(a.Text), strings.ToLower(b.Text)) })
	// One's own is always there, so that it is always in its place.
	return append([]offer{{"", "Everyone", uncounted}, mine}, offered("", g.who(), others)[1:]...)
}

func (g Gallery) scenes() (choices []offer) {
	for _, s := range videoapi.Scenes() {
		choices = append(choices, offer{string(s), part.SceneName(s), g.counted(db.ByScene, string(s))})
	}
	return offered("Every scene", g.Filter.Scene, choices)
}

// models lists the models, and those that are in the catalogue no more. Where
// two share a name, the scene they are for tells them apart.
func (g Gallery) models() (choices []offer) {
	names, known := map[string]int{}, map[string]bool{}
	for _, m := range g.Models {
		names[m.Name]++
		known[m.ID] = true
	}
	for _, m := range g.Models {
		text := m.Name
		if names[m.Name] > 1 && len(m.Scenes) > 0 {
			text += ", " + strings.ToLower(part.SceneName(m.Scenes[0]))
		}
		choices = append(choices, offer{m.ID, text, g.counted(db.ByModel, m.ID)})
	}
	for _, id := range g.others(db.ByModel, g.Filter.Model) {
		if !known[id] {
			choices = append(choices, offer{id, id, g.counted(db.ByModel, id)})
		}
	}
	return offered("Every model", g.Filter.Model, choices)
}

func (g Gallery) ratios() (choices []offer) {
	for _, ratio := range g.others(db.ByRatio, g.Filter.Ratio) {
		choices = append(choices, offer{ratio, ratio, g.counted(db.ByRatio, ratio)})
	}
	return offered("Every shape", g.Filter.Ratio, choices)
}

// others returns the choices that were made or counted, and the chosen one, in order.
func (g Gallery) others(facet db.Facet, chosen string) []string {
	choices := append(slices.Collect(maps.Keys(g.Counts[facet])), chosen)
	choices = append(choices, g.Made[facet]...)
	slices.Sort(choices)
	return slices.DeleteFunc(slices.Compact(choices), func(choice string) bool { return choice == "" })
}

func (g Gallery) states() []offer {
	choices := []offer{{string(db.AnyState), part.StateName(db.AnyState), uncounted}}
	for _, s := range []db.State{db.Processing, db.Pending, db.Queued, db.Failed, db.Canceled, db.Rejected, db.Unconfirmed} {
		choices = append(choices, offer{string(s), part.StateName(s), g.counted(db.ByState, string(s))})
	}
	choices = offered(part.StateName(db.Success), g.state(), choices)
	choices[0].Count = g.counted(db.ByState, string(db.Success))
	return choices
}

// tag returns the selected tag as the team spells it.
func (g Gallery) tag() string {
	for _, t := range g.Tags {
		if db.TagKey(t.Name) == db.TagKey(g.Filter.Tag) {
			return t.Name
		}
	}
	return db.TagKey(g.Filter.Tag)
}

// tags lists the team's tags, and those that only videos have that did not
// come to be.
func (g Gallery) tags() (choices []offer) {
	known := map[string]bool{"": true}
	for _, t := range g.Tags {
		known[db.TagKey(t.Name)] = true
		choices = append(choices, offer{t.Name, t.Name, g.counted(db.ByTag, db.TagKey(t.Name))})
	}
	for _, key := range g.others(db.ByTag, db.TagKey(g.Filter.Tag)) {
		if !known[key] {
			choices = append(choices, offer{key, key, g.counted(db.ByTag, key)})
		}
	}
	return offered("Any tag", g.tag(), choices)
}

// A pick is one filter that is set.
type pick struct {
	Names []string // of the fields that hold it
	Text  string
	Href  string // the gallery without it
}

// picks returns the filters that are set, without the search words, which stand
// in their field.
func (g Gallery) picks() (picks []pick) {
	add := func(text string, names ...string) {
		q := g.query()
		for _, name := range names {
			q.Del(name)
		}
		picks = append(picks, pick{names, text, galleryPath(q)})
	}
	if g.Collection != nil {
		add("Collection: "+g.Collection.Name, "collection")
	}
	for _, m := range g.menus() {
		if text := m.chosen(); text != "" {
			add(m.Title+": "+text, string(m.Facet))
		}
	}
	if text := g.Dates.between(); text != "" {
		add(text, "from", "until")
	}
	if g.Filter.Starred {
		add("Starred", "starred")
	}
	return picks
}

// wordless returns the address of the gallery without the search words.
func (g Gallery) wordless() string {
	q := g.query()
	q.Del("q")
	return galleryPath(q)
}

func (g Gallery) withFilters() string {
	if len(g.picks()) > 0 {
		return " with these filters."
	}
	return "."
}
