package schema

import (
	"dailies/db/ordering"
	"dailies/db/store/engine"
)

// Marks of columns that one statement writes together.
const (
	Added   = engine.FirstOwn << iota // the statement that inserts the noun
	Changed                           // the one that writes it back
)

// Recipes are the recipes r, with their makers, users u.
var Recipes = engine.NewTable("r", func(r *ordering.Recipe, c *engine.Columns) {
	c.Add("id", &r.ID)
	c.Add("name", (*engine.Named)(&r.Name), engine.Words, Added, Changed)
	c.Add("note", &r.Note, engine.Words, Added, Changed)
	c.Add("scene", &r.Scene, Added, Changed)
	c.Add("model", &r.Model, Added, Changed)
	c.Add("prompt", &r.Prompt, engine.Words, Added, Changed)
	c.Add("provider", &r.Provider, engine.Words, Added, Changed)
	c.Add("pictures", engine.AsJSON(&r.Pictures), engine.List, Added, Changed)
	c.Add("options", engine.AsJSON(&r.Options), Added, Changed)
	c.Add("ceiling", (*engine.Credits)(&r.Ceiling), Added, Changed)
	c.Add("task_id", (*engine.Ref)(&r.TaskID), engine.Later, Added)
	c.Add("created_by", &r.CreatedBy, Added)
	c.Computed("u.name", &r.MakerName)
	c.Add("created_at", (*engine.Instant)(&r.CreatedAt), Added)
	c.Add("changed_at", (*engine.Instant)(&r.ChangedAt), Added, Changed)
	c.Add("deleted_at", (*engine.Instant)(&r.DeletedAt), Changed)
})
