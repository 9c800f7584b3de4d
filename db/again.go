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
