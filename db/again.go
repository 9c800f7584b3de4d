package db

import "time"

// Again returns a new task with the recipe of this one, which did not work or
// got lost. What was private stays so.
func (t Task) Again(formToken string, now time.Time) Task {
	return Task{
		UserID: t.UserID, FormToken: formToken, Scene: t.Scene, Model: t.Model, Prompt: t.Prompt,
		Provider: t.Provider, Pictures: t.Pictures, Options: t.Options, State: Queued, CreatedAt: now,
		ParentID: t.ID, Bond: Retried, RecipeID: t.RecipeID, Private: t.Private,
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
