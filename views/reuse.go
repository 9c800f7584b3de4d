package views

import (
	"net/url"
	"strconv"

	"dailies/db"
)

// A Final is what the full model asks for making a draft's recipe.
type Final struct {
	ModelName string
	Price     Price
}

// reuse leads to the form with what the verb takes of the task.
func (c Card) reuse(use db.Bond) string {
	return "/create/" + url.PathEscape(c.Task.Scene) + "?from=" + strconv.FormatInt(c.Task.ID, 10) + "&use=" + string(use)
}

// recipe leads to a recipe that starts with everything of the task.
func (c Card) recipe() string { return "/recipes/new?from=" + strconv.FormatInt(c.Task.ID, 10) }

// reusable reports whether something of the task can be made into another.
func (c Card) reusable() bool {
	return c.Task.DeletedAt.IsZero() && c.Task.PurgedAt.IsZero() && !c.undecided()
}

// seeded reports whether the task was made with a seed that somebody chose.
func (c Card) seeded() bool { return c.Task.Options.Seed != nil && *c.Task.Options.Seed >= 0 }

// cost is what the final costs, and how much more that is than the draft.
func (f Final) cost(draft db.Credits) string {
	if !f.Price.Credits.Known {
		return "price not known yet"
	}
	return f.Price.inWords() + difference(f.Price.Credits, draft, "than the draft")
}

// inWords is a known price inside a sentence.
func (p Price) inWords() string {
	if p.Stated {
		return Credits(p.Credits)
	}
	return "about " + Credits(p.Credits)
}

// difference is how much more or less one amount is than another, to be set
// behind the one; empty where either is not known.
func difference(one, other db.Credits, than string) string {
	more := one.Amount - other.Amount
	switch {
	case !one.Known || !other.Known:
		return ""
	case more > 0:
		return ", " + Number(more) + " more " + than
	case more < 0:
		return ", " + Number(-more) + " less " + than
	}
	return ", no more " + than
}
