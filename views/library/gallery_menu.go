package library

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dailies/db"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// An offer is one value that a filter can have.
type offer struct {
	Value, Text string
	Count       int // videos that it would give, or uncounted
}

// uncounted is the count of a choice that nobody has counted.
const uncounted = -1

// number is the count as it is read, empty if there is none.
func (c offer) number() string {
	if c.Count == uncounted {
		return ""
	}
	return part.Number(c.Count)
}

// A filterMenu is one filter with its choices, of which the first chooses
// nothing.
type filterMenu struct {
	Name, Title string
	Value       string // the chosen one, empty for the first
	Choices     []offer
	Wide        bool // has the fields for a stretch of days as well
}

// chosen is the text of what is chosen, empty if nothing is.
func (m filterMenu) chosen() string {
	for _, c := range m.Choices {
		if c.Value == m.Value && m.Value != "" {
			return c.Text
		}
	}
	return ""
}

func (m filterMenu) id(c offer) string { return fmt.Sprintf("%s-%x", m.Name, c.Value) }

// menus are the filters in which something can be chosen.
func (g Gallery) menus() []filterMenu {
	all := []filterMenu{
		{Name: "who", Title: "Person", Value: g.who(), Choices: g.people()},
		{Name: "scene", Title: "Scene", Value: g.Filter.Scene, Choices: g.scenes()},
		{Name: "model", Title: "Model", Value: g.Filter.Model, Choices: g.models()},
		{Name: "ratio", Title: "Shape", Value: g.Filter.Ratio, Choices: g.ratios()},
		{Name: "tag", Title: "Tag", Value: g.tag(), Choices: g.tags()},
		{Name: "status", Title: "State", Value: g.state(), Choices: g.states()},
		{Name: "date", Title: "Date", Value: g.Dates.Span, Choices: g.spans(), Wide: true},
	}
	return slices.DeleteFunc(all, func(m filterMenu) bool { return len(m.Choices) < 2 })
}

// offered leaves out what would give nothing, unless it is chosen.
func offered(first, value string, choices []offer) []offer {
	choices = slices.DeleteFunc(choices, func(c offer) bool { return c.Count == 0 && c.Value != value })
	return append([]offer{{"", first, uncounted}}, choices...)
}

// counted is the count under the key; where nothing was counted it says so.
func counted[K comparable](counts map[K]int, key K) int {
	if counts == nil {
		return uncounted
	}
	return counts[key]
}

func (g Gallery) people() []offer {
	mine := offer{"me", "Mine", counted(g.Facets.Makers, g.Filter.Viewer)}
	var others []offer
	for _, u := range g.People {
		if u.ID != g.Filter.Viewer {
			others = append(others, offer{strconv.FormatInt(u.ID, 10), u.Name, counted(g.Facets.Makers, u.ID)})
		}
	}
	slices.SortStableFunc(others, func(a, b offer) int { return cmp.Compare(strings.ToLower(a.Text), strings.ToLower(b.Text)) })
	// One's own is always there, so that it is always in its place.
	return append([]offer{{"", "Everyone", uncounted}, mine}, offered("", g.who(), others)[1:]...)
}

func (g Gallery) scenes() (choices []offer) {
	for _, s := range videoapi.Scenes() {
		choices = append(choices, offer{string(s), part.SceneName(s), counted(g.Facets.Scenes, string(s))})
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
		choices = append(choices, offer{m.ID, text, counted(g.Facets.Models, m.ID)})
	}
	for _, id := range others(g.Facets.Models, g.Filter.Model) {
		if !known[id] {
			choices = append(choices, offer{id, id, counted(g.Facets.Models, id)})
		}
	}
	return offered("Every model", g.Filter.Model, choices)
}

func (g Gallery) ratios() (choices []offer) {
	for _, ratio := range others(g.Facets.Ratios, g.Filter.Ratio) {
		choices = append(choices, offer{ratio, ratio, counted(g.Facets.Ratios, ratio)})
	}
	return offered("Every shape", g.Filter.Ratio, choices)
}

// others are the keys that were counted, and the chosen one, in order.
func others(counts map[string]int, chosen string) (keys []string) {
	for key := range counts {
		keys = append(keys, key)
	}
	keys = append(keys, chosen)
	slices.Sort(keys)
	return slices.DeleteFunc(slices.Compact(keys), func(key string) bool { return key == "" })
}

func (g Gallery) states() []offer {
	choices := []offer{{string(db.AnyState), part.StateName(db.AnyState), uncounted}}
	for _, s := range []db.State{db.Processing, db.Pending, db.Queued, db.Failed, db.Canceled, db.Rejected, db.Unconfirmed} {
		choices = append(choices, offer{string(s), part.StateName(s), counted(g.Facets.States, s)})
	}
	choices = offered(part.StateName(db.Success), g.state(), choices)
	choices[0].Count = counted(g.Facets.States, db.Success)
	return choices
}

// tag is the chosen tag as the team writes it.
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
		choices = append(choices, offer{t.Name, t.Name, counted(g.Facets.Tags, db.TagKey(t.Name))})
	}
	for _, key := range others(g.Facets.Tags, db.TagKey(g.Filter.Tag)) {
		if !known[key] {
			choices = append(choices, offer{key, key, counted(g.Facets.Tags, key)})
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

// picks are the filters that are set, but for the words, which stand in their
// field.
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
			add(m.Title+": "+text, m.Name)
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

// wordless is the gallery without the searched words.
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

// starred is how many starred ones there would be.
func (g Gallery) starred() int {
	if g.Facets.Makers == nil {
		return uncounted
	}
	return g.Facets.Starred
}
