package views

import (
	"net/url"
	"strconv"
	"strings"

	"dailies/db"
)

// A Lineage is where a video comes from and what came of it, as small cards.
type Lineage struct {
	Parent   []Card // one, or none
	Children []Card
	Batch    []Card // made together with it
}

// compares reports whether the card leads to a comparison.
func (c Card) compares() bool { return len(c.Together) >= 2 }

// compare is where the videos of the batch stand side by side.
func (c Card) compare() string {
	query := url.Values{}
	for _, id := range c.Together {
		query.Add("id", strconv.FormatInt(id, 10))
	}
	return "/compare?" + query.Encode()
}

func (c Card) compareWords() string { return "Compare these " + strconv.Itoa(len(c.Together)) }

// kinNote says of a small card what was taken, with which model it was made,
// and how it stands unless it is ready. A child tells its own bond.
func (c Card) kinNote(bond db.Bond, child bool) string {
	if child {
		bond = c.Task.Bond
	}
	var parts []string
	if words := bondWords(bond); words != "" {
		parts = append(parts, words)
	}
	parts = append(parts, c.ModelName)
	if c.Task.State != db.Success {
		parts = append(parts, StateName(c.Task.State))
	}
	return strings.Join(parts, " · ")
}
