package library

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"dailies/db"
	"dailies/db/format"
	"dailies/db/gallery"
	"dailies/db/naming"
	"dailies/db/review"
	"dailies/views/part"
	"dailies/web/videoapi"
)

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
	add(filterMenu{Facet: gallery.ByDate, Title: "Date", Values: []string{g.Dates.Span}, Fixed: len(Spans()) + 1, Single: true, Wide: true}, g.spans)
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
			return part.Plural(who.Videos, "%[2]s has %[1]s video, but not with “%[3]s”.", "%[2]s has %[1]s videos, none with “%[3]s”.", name, who.Rest)
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
