package db

import (
	"time"
)

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
)

// Reuses returns all values that a form can request.
func Reuses() []Reuse {
	return []Reuse{Copied, Reseeded, Prompted, Pictured, Finalized, Continued, Retried}
}

// Lineage holds the task that another one was made from and those made from it, as
// far as the viewer may see them.
type Lineage struct {
	Parent   *Task  // nil if there is none, or none that the viewer may see
	Children []Task // oldest first; limited in number
	Batch    []Task // the other tasks of the same submission; limited in number
}

// A Cut selects the frames of a video that a storyline shows.
type Cut struct {
	TaskID int64
	Start  int // the first frame that is shown, counted from 0
	Finish int // the frame after the last one that is shown; 0 means the end of the video
}

// Again returns a new task with the settings of this one, which failed or was lost.
// It is private if this one is.
func (t Task) Again(formToken string, now time.Time) Task {
	return Task{
		UserID: t.UserID, FormToken: formToken, Scene: t.Scene, Model: t.Model, Prompt: t.Prompt,
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

// A Batch summarises the videos that one submission made in bulk, except those in
// the bin.
type Batch struct {
	Name       string
	RecipeName string // of the recipe that they were made with
	Videos     int
	Ready      int
	Running    int
	Spent      float64 // charges less refunds
	CreatedAt  time.Time
}
