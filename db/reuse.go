package db

import "time"

// A Reuse says what a task took over from the task that it was made from.
type Reuse string

const (
	NoReuse   Reuse = ""
	Copied    Reuse = "everything"
	Reseeded  Reuse = "unseeded" // everything but the seed
	Prompted  Reuse = "prompt"   // only the prompt
	Pictured  Reuse = "pictures" // only the pictures
	Finalized Reuse = "final"    // everything, with the full model after a draft with the fast one
	Continued Reuse = "next"     // the first picture is a frame of the parent: the next scene
	Retried   Reuse = "retry"    // everything, because the parent failed or was lost
	Answered  Reuse = "answer"   // everything, changed as notes on the parent ask for
)

// Reuses returns all values that a form can request.
func Reuses() []Reuse {
	return []Reuse{Copied, Reseeded, Prompted, Pictured, Finalized, Continued, Retried, Answered}
}

// MakesTake reports whether a task that takes this over from its parent is another take of
// it. A next scene is none, and neither is a video that has only the prompt or the pictures.
func (r Reuse) MakesTake() bool {
	switch r {
	case Copied, Reseeded, Finalized, Retried, Answered:
		return true
	}
	return false
}

// Again returns a new task with the settings of this one, which failed or was lost.
// It is private if this one is, and has the same cast as this one.
func (t Task) Again(formToken string, now time.Time) Task {
	return Task{
		UserID: t.UserID, FormToken: formToken, Scene: t.Scene, Model: t.Model, Prompt: t.Prompt, SentPrompt: t.SentPrompt, Cast: t.Cast,
		Provider: t.Provider, Pictures: t.Pictures, Options: t.Options, State: Queued, CreatedAt: now,
		ParentID: t.ID, Reuse: Retried, RecipeID: t.RecipeID, Private: t.Private,
	}
}

// PriceAgain returns the likely cost of making the task once more: what it was
// charged, or else what was quoted.
func (t Task) PriceAgain() Credits {
	for _, c := range []Credits{t.Charged, t.Quoted} {
		if c.Known && c.Amount > 0 {
			return c
		}
	}
	return Credits{}
}
