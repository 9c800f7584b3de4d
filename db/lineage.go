package db

import (
	"time"
)

// A Reuse names what a task took from the one that it was made from.
type Reuse string

const (
	NoReuse   Reuse = ""
	Copied    Reuse = "everything"
	Reseeded  Reuse = "unseeded" // everything but the seed
	Prompted  Reuse = "prompt"   // only the prompt
	Pictured  Reuse = "pictures" // only the pictures
	Finalized Reuse = "final"    // everything, on the full model after a draft on the fast one
	Continued Reuse = "next"     // its first picture is a frame of the other: the next scene
	Retried   Reuse = "retry"    // the other did not work, or got lost
)

// Reuses returns all of them that a form can ask for.
func Reuses() []Reuse {
	return []Reuse{Copied, Reseeded, Prompted, Pictured, Finalized, Continued, Retried}
}

// Lineage holds the task that another one was made from and those made from it,
// as far as one viewer may see them.
type Lineage struct {
	Parent   *Task  // nil where there is none, or none to be seen
	Children []Task // the oldest first, bounded
	Batch    []Task // the others of the same press, bounded
}

// A Cut selects the frames of a scene that a storyline shows.
type Cut struct {
	TaskID int64
	Start  int // the first frame that is kept, counted from 0
	Finish int // the frame after the last one; 0 stands for the end of the video
}

// Again returns a new task with the recipe of this one, which did not work or
// got lost. What was private stays so.
func (t Task) Again(formToken string, now time.Time) Task {
	return Task{
		UserID: t.UserID, FormToken: formToken, Scene: t.Scene, Model: t.Model, Prompt: t.Prompt,
		Provider: t.Provider, Pictures: t.Pictures, Options: t.Options, State: Queued, CreatedAt: now,
		ParentID: t.ID, Reuse: Retried, RecipeID: t.RecipeID, Private: t.Private,
	}
}

// PriceAgain returns what making the task once more costs, as far as it is known
// from the first time.
func (t Task) PriceAgain() Credits {
	for _, c := range []Credits{t.Charged, t.Quoted} {
		if c.Known && c.Amount > 0 {
			return c
		}
	}
	return Credits{}
}

// A Batch sums up the videos that were made in bulk with one press, as far as
// they are not in the bin.
type Batch struct {
	Name       string
	RecipeName string // that they were made with
	Videos     int
	Ready      int
	Running    int
	Spent      float64 // paid, less what came back
	CreatedAt  time.Time
}
