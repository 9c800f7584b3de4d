package part

import (
	"fmt"
	"net/url"
	"strconv"

	"dailies/db"
)

// A Final holds the price of making a draft again on the full model.
type Final struct {
	ModelName string
	Price     Price
}

// reuse returns the path of the form, filled with what this kind of reuse takes from
// the task.
func (c Card) reuse(use db.Reuse) string {
	return "/create/" + url.PathEscape(c.Task.Scene) + "?from=" + strconv.FormatInt(c.Task.ID, 10) + "&use=" + string(use)
}

// RetryPath returns the path of the form with everything of the task filled in, which made
// no video.
func RetryPath(t db.Task) string { return Card{Task: t}.reuse(db.Retried) }

// AgainPath returns the path of the form that makes the video again.
func (c Card) AgainPath() string { return c.reuse(db.Copied) }

// recipeFrom returns the path of a new recipe, filled with everything of the task.
func recipeFrom(taskID int64) string { return "/recipes/new?from=" + strconv.FormatInt(taskID, 10) }

// Reusable reports whether the viewer can use parts of the task for another.
func (c Card) Reusable() bool {
	return !c.LookOnly && c.Task.DeletedAt.IsZero() && c.Task.PurgedAt.IsZero() && !c.undecided()
}

// seeded reports whether a user chose the seed.
func seeded(o db.Options) bool { return o.Seed != nil && *o.Seed >= 0 }

// cost returns the price of the final, and how much more it is than the draft's.
func (f Final) cost(draft db.Credits) string {
	if !f.Price.Credits.Known {
		return "price not known yet"
	}
	if !draft.Known {
		return f.Price.InWords()
	}
	price := f.Price.InWords()
	switch more := f.Price.Credits.Amount - draft.Amount; {
	case more > 0:
		return fmt.Sprintf("%s, %s more than the draft", price, Amount(more))
	case more < 0:
		return fmt.Sprintf("%s, %s less than the draft", price, Amount(-more))
	}
	return fmt.Sprintf("%s, no more than the draft", price)
}

// ReuseLabel says what a video took over from the one from which it was made.
func ReuseLabel(b db.Reuse) string { return reuseLabels[b] }

var reuseLabels = map[db.Reuse]string{
	db.Copied:    "with everything",
	db.Reseeded:  "everything but the seed",
	db.Prompted:  "only the prompt",
	db.Pictured:  "only the pictures",
	db.Finalized: "final of the draft",
	db.Continued: "next scene",
	db.Retried:   "another try",
	db.Answered:  "answers notes",
}
