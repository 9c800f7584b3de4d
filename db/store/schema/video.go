package schema

import (
	"dailies/db"
	"dailies/db/cast"
	"dailies/db/gallery"
	"dailies/db/ordering"
	"dailies/db/review"
	"dailies/db/store/engine"
)

// Marks of columns that one statement writes together.
const (
	Added    = engine.FirstOwn << iota // the statement that inserts the noun
	Changed                            // the one that writes it back
	Progress                           // of a task: where it stands
	Queried                            // of a task: what a query of its status changes
)

// Tasks are the tasks t, with their makers, users u. What is Changed of them seldom is, and
// Progress is written by itself.
var Tasks = engine.NewTable("t", func(t *db.Task, c *engine.Columns) {
	c.Add("id", &t.ID)
	c.Add("user_id", &t.UserID, Added)
	c.Computed("u.name", (*engine.Named)(&t.UserName))
	c.Add("payer_id", nil)
	c.Computed("t.payer", &t.PayerID)
	c.Add("key_id", &t.KeyID)
	c.Add("service_id", &t.ServiceID)
	c.Computed("coalesce((SELECT practice FROM services WHERE id = t.service_id), 0)", &t.Practice)
	c.Add("form_token", &t.FormToken, Added)

	c.Add("scene", &t.Scene, Added, Changed)
	c.Add("model", &t.Model, Added, Changed)
	c.Add("prompt", &t.Prompt, engine.Words, engine.Told, Added, Changed)
	c.Add("sent_prompt", &t.SentPrompt, engine.Words, Added, Changed)
	c.Add("title", (*engine.Named)(&t.Title), engine.Words, engine.Told, Changed)
	c.Add("provider", &t.Provider, engine.Words, engine.Told, Added, Changed)
	c.Add("pictures", engine.AsJSON(&t.Pictures), engine.List, engine.Told, Added, Changed)
	c.Add("options", engine.AsJSON(&t.Options), Added, Changed)

	c.Add("state", &t.State, Added, Progress)
	c.Add("status", &t.Status, Progress, Queried)
	c.Add("remote_id", &t.RemoteID, Progress)
	c.Add("upstream_id", &t.UpstreamID, Progress)
	c.Add("progress", &t.Progress, Progress, Queried)
	c.Add("message", &t.Message, engine.Words, Progress, Queried)
	c.Add("blame", &t.Blame, Progress, Queried)

	c.Add("quoted", (*engine.Credits)(&t.Quoted), Added, Progress)
	c.Add("held", (*engine.Amount)(&t.Held), Added)
	c.Add("charged", (*engine.Credits)(&t.Charged), Progress)
	c.Add("returned", (*engine.Credits)(&t.Returned), Progress)

	c.Add("created_at", (*engine.Instant)(&t.CreatedAt), Added)
	c.Add("day", nil)
	c.Add("sent_at", (*engine.Instant)(&t.SentAt), Progress)
	c.Add("accepted_at", (*engine.Instant)(&t.AcceptedAt), Progress)
	c.Add("making_at", (*engine.Instant)(&t.MakingAt), Progress)
	c.Add("done_at", (*engine.Instant)(&t.DoneAt), Progress)
	c.Add("returned_at", (*engine.Instant)(&t.ReturnedAt), Progress)
	c.Add("decided_at", (*engine.Instant)(&t.DecidedAt), Progress)

	c.Add("results", engine.AsJSON(&t.Results), engine.List, Progress)
	c.Add("copy_host", nil)
	c.Add("keeping", &t.Keeping, Progress)
	c.Add("next_at", (*engine.Instant)(&t.NextAt), Added, Progress, Queried)
	c.Add("asked", &t.Queries, Progress, Queried)
	c.Add("stumbles", &t.Attempts, Progress, Queried)
	c.Add("refreshed_at", (*engine.Instant)(&t.RefreshedAt), Progress)
	c.Add("failing_since", (*engine.Instant)(&t.FailingSince), Progress)
	c.Add("leased_by", nil)
	c.Add("leased_until", nil)

	c.Add("parent_id", (*engine.Ref)(&t.ParentID), Added)
	c.Add("bond", &t.Reuse, Added)
	c.Add("batch", &t.Batch, Added)
	c.Add("bulk", &t.Bulk, Added)
	c.Add("recipe_id", (*engine.Ref)(&t.RecipeID), Added)
	c.Add("stack", (*engine.Ref)(&t.Stack))

	c.Add("starred", &t.Starred, Changed)
	c.Add("private", &t.Private, Added, Changed)
	c.Add("deleted_at", (*engine.Instant)(&t.DeletedAt), Changed)
	c.Add("deleted_by", (*engine.Ref)(&t.DeletedBy), Changed)
	c.Add("purged_at", (*engine.Instant)(&t.PurgedAt), Changed)
	c.Computed(`(SELECT CASE WHEN count(*) = 0 THEN 'null' ELSE json_group_array(name) END FROM (
		SELECT tags.name FROM task_tags JOIN tags ON tags.id = task_tags.tag_id
		WHERE task_tags.task_id = t.id ORDER BY tags.name_key) tagged)`, engine.AsJSON(&t.Tags))
})

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

// Media are the files m.
var Media = engine.NewTable("m", func(m *db.Media, c *engine.Columns) {
	c.Add("id", &m.ID)
	c.Add("task_id", &m.TaskID, Added)
	c.Add("kind", &m.Kind, Added)
	c.Add("position", &m.Position, Added)
	c.Add("hash", &m.Hash, Added)
	c.Add("type", &m.Type, Added)
	c.Add("size", &m.Size, Added)
	c.Add("source", &m.Source, engine.Words, Added)
	c.Add("created_at", (*engine.Instant)(&m.CreatedAt), Added)
	c.Add("lost_at", (*engine.Instant)(&m.LostAt))
	c.Add("width", &m.Width, Added)
	c.Add("height", &m.Height, Added)
	c.Add("thumb_due", nil)
	c.Add("marks", &m.Marks, Added)
	c.Add("served_hash", &m.ServedHash, Added)
	c.Add("film", engine.AsJSON(&m.Film), Added)
	c.Add("film_due", nil)
})

// Members are the cast members c.
var Members = engine.NewTable("c", func(m *cast.Member, c *engine.Columns) {
	c.Add("id", &m.ID)
	c.Add("handle", &m.Handle, engine.Words, Added)
	c.Add("fold", nil, engine.Words)
	c.Add("name", (*engine.Named)(&m.Name), engine.Words, Added)
	c.Add("kind", &m.Kind, Added)
	c.Add("look", &m.Look, engine.Words, Added)
	c.Add("pictures", engine.AsJSON(&m.Pictures), engine.List, Added)
	c.Add("consent_by", &m.Consent.By, engine.Words, Added)
	c.Add("consent_on", (*engine.Instant)(&m.Consent.On), Added)
	c.Add("noted_by", (*engine.Ref)(&m.Consent.NotedBy), Added)
	c.Computed("coalesce((SELECT name FROM users WHERE id = c.noted_by), '')", (*engine.Named)(&m.Consent.NotedName))
	c.Add("version", &m.Version, Added)
	c.Add("created_by", &m.CreatedBy, Added)
	c.Computed("(SELECT name FROM users WHERE id = c.created_by)", (*engine.Named)(&m.MakerName))
	c.Add("created_at", (*engine.Instant)(&m.CreatedAt), Added)
	c.Add("changed_by", &m.ChangedBy, Added)
	c.Computed("(SELECT name FROM users WHERE id = c.changed_by)", (*engine.Named)(&m.ChangerName))
	c.Add("changed_at", (*engine.Instant)(&m.ChangedAt), Added)
	c.Add("deleted_at", (*engine.Instant)(&m.DeletedAt))
	c.Add("deleted_by", (*engine.Ref)(&m.DeletedBy))
})

// Collections are the collections c, with their makers, users u.
var Collections = engine.NewTable("c", func(v *gallery.Collection, c *engine.Columns) {
	c.Add("id", &v.ID)
	c.Add("name", (*engine.Named)(&v.Name), engine.Words, Added)
	c.Add("note", &v.Note, engine.Words, Added)
	c.Add("created_by", &v.CreatedBy, Added)
	c.Computed("u.name", (*engine.Named)(&v.MakerName))
	c.Add("created_at", (*engine.Instant)(&v.CreatedAt), Added)
	c.Add("changed_at", (*engine.Instant)(&v.ChangedAt), Added)
	c.Add("deleted_at", (*engine.Instant)(&v.DeletedAt))
	c.Add("deleted_by", (*engine.Ref)(&v.DeletedBy))
})

// Guests are the guests c, with the titles of their links.
var Guests = engine.NewTable("c", func(g *review.Guest, c *engine.Columns) {
	c.Add("id", &g.ID)
	c.Add("share_id", &g.ShareID, Added)
	c.Add("token", nil)
	c.Add("name", (*engine.Named)(&g.Name), engine.Words, engine.Told, Added)
	c.Add("name_key", nil, engine.Words)
	c.Add("number", &g.Number, Added)
	c.Add("created_at", (*engine.Instant)(&g.CreatedAt), Added)
	c.Add("mail_id", nil)
	c.Add("source", nil)
	c.Computed("coalesce((SELECT l.title FROM shares l WHERE l.id = c.share_id), '')", (*engine.Named)(&g.Link))
})

// Subscriptions are the addresses e to which mails about links go.
var Subscriptions = engine.NewTable("e", func(s *review.Subscription, c *engine.Columns) {
	c.Add("id", &s.ID)
	c.Add("share_id", &s.ShareID, Added)
	c.Add("address", &s.Address, engine.Words, Added)
	c.Add("address_key", nil, engine.Words)
	c.Add("created_at", (*engine.Instant)(&s.CreatedAt), Added)
	c.Add("confirmed_at", (*engine.Instant)(&s.ConfirmedAt))
	c.Add("stopped_at", (*engine.Instant)(&s.StoppedAt))
})
