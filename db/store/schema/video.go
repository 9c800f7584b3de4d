package schema

import (
	"dailies/db"
	"dailies/db/cast"
	"dailies/db/gallery"
	"dailies/db/ordering"
	"dailies/db/review"
	"dailies/db/store/engine"
)

// Marks of columns: what becomes of people's words in them, and which one statement writes
// together.
const (
	Words    engine.Mark = 1 << iota // text that people wrote, or that tells who or where they are
	List                             // the same, in a JSON list
	Exported                         // people take these words along in a file: usage.csv, audit.csv, or how a video was made
	Deferred                         // it refers to a table further down, so that a move fills it in last
	Added                            // the statement that inserts the noun writes it
	Changed                          // the one that writes the noun back
	Progress                         // of a task: where it stands
	Queried                          // of a task: what a query of its status changes
)

// Tasks are the tasks t, with their makers, users u. What is Changed of them seldom is, and
// Progress is written by itself.
var Tasks = engine.NewTable("t", func(t *db.Task, c *engine.Columns) {
	c.Add("id", &t.ID).Add("user_id", &t.UserID, Added).Computed("u.name", (*engine.Named)(&t.UserName)).Add("payer_id", nil)
	c.Computed("t.payer", &t.PayerID).Add("key_id", &t.KeyID).Add("service_id", &t.ServiceID)
	c.Computed("coalesce((SELECT practice FROM services WHERE id = t.service_id), 0)", &t.Practice)
	c.Add("form_token", &t.FormToken, Added)

	c.Add("scene", &t.Scene, Added, Changed).Add("model", &t.Model, Added, Changed)
	c.Add("prompt", &t.Prompt, Words, Exported, Added, Changed).Add("sent_prompt", &t.SentPrompt, Words, Added, Changed)
	c.Name("title", &t.Title, Words, Exported, Changed).Add("provider", &t.Provider, Words, Exported, Added, Changed)
	c.Add("pictures", engine.AsJSON(&t.Pictures), List, Exported, Added, Changed)
	c.Add("options", engine.AsJSON(&t.Options), Added, Changed)

	c.Add("state", &t.State, Added, Progress).Add("status", &t.Status, Progress, Queried).Add("remote_id", &t.RemoteID, Progress)
	c.Add("upstream_id", &t.UpstreamID, Progress).Add("progress", &t.Progress, Progress, Queried)
	c.Add("message", &t.Message, Words, Progress, Queried).Add("blame", &t.ErrorKind, Progress, Queried)

	c.Add("quoted", (*engine.Credits)(&t.Quoted), Added, Progress).Add("held", (*engine.Amount)(&t.Reserved), Added)
	c.Add("charged", (*engine.Credits)(&t.Charged), Progress).Add("returned", (*engine.Credits)(&t.Returned), Progress)

	c.Time("created_at", &t.CreatedAt, Added).Add("day", nil).Time("sent_at", &t.SentAt, Progress)
	c.Time("accepted_at", &t.AcceptedAt, Progress).Time("making_at", &t.MakingAt, Progress).Time("done_at", &t.DoneAt, Progress)
	c.Time("returned_at", &t.ReturnedAt, Progress).Time("decided_at", &t.DecidedAt, Progress)

	c.Add("results", engine.AsJSON(&t.Results), List, Progress).Add("copy_host", nil).Add("keeping", &t.Keeping, Progress)
	c.Time("next_at", &t.NextAt, Added, Progress, Queried).Add("asked", &t.Queries, Progress, Queried)
	c.Add("stumbles", &t.Attempts, Progress, Queried).Time("refreshed_at", &t.RefreshedAt, Progress)
	c.Time("failing_since", &t.FailingSince, Progress).Add("leased_by", nil).Add("leased_until", nil)

	c.Ref("parent_id", &t.ParentID, Added).Add("bond", &t.Reuse, Added).Add("batch", &t.Batch, Added)
	c.Add("bulk", &t.Bulk, Added).Ref("recipe_id", &t.RecipeID, Added).Ref("stack", &t.Stack)

	c.Add("starred", &t.Starred, Changed).Add("private", &t.Private, Added, Changed).Time("deleted_at", &t.DeletedAt, Changed)
	c.Ref("deleted_by", &t.DeletedBy, Changed).Time("purged_at", &t.PurgedAt, Changed)
	c.Computed(`(SELECT CASE WHEN count(*) = 0 THEN 'null' ELSE json_group_array(name) END FROM (
		SELECT tags.name FROM task_tags JOIN tags ON tags.id = task_tags.tag_id
		WHERE task_tags.task_id = t.id ORDER BY tags.name_key) tagged)`, engine.AsJSON(&t.Tags))
})

// Recipes are the recipes r, with their makers, users u.
var Recipes = engine.NewTable("r", func(r *ordering.Recipe, c *engine.Columns) {
	c.Add("id", &r.ID).Name("name", &r.Name, Words, Added, Changed).Add("note", &r.Note, Words, Added, Changed)
	c.Add("scene", &r.Scene, Added, Changed).Add("model", &r.Model, Added, Changed)
	c.Add("prompt", &r.Prompt, Words, Added, Changed).Add("provider", &r.Provider, Words, Added, Changed)
	c.Add("pictures", engine.AsJSON(&r.Pictures), List, Added, Changed)
	c.Add("options", engine.AsJSON(&r.Options), Added, Changed).Add("ceiling", (*engine.Credits)(&r.Ceiling), Added, Changed)
	c.Ref("task_id", &r.TaskID, Deferred, Added).Add("created_by", &r.CreatedBy, Added).Computed("u.name", &r.MakerName)
	c.Time("created_at", &r.CreatedAt, Added).Time("changed_at", &r.ChangedAt, Added, Changed)
	c.Time("deleted_at", &r.DeletedAt, Changed)
})

// Media are the files m.
var Media = engine.NewTable("m", func(m *db.Media, c *engine.Columns) {
	c.Add("id", &m.ID).Add("task_id", &m.TaskID, Added).Add("kind", &m.Kind, Added).Add("position", &m.Position, Added)
	c.Add("hash", &m.Hash, Added).Add("type", &m.Type, Added).Add("size", &m.Size, Added).Add("source", &m.Source, Words, Added)
	c.Time("created_at", &m.CreatedAt, Added).Time("lost_at", &m.LostAt).Add("width", &m.Width, Added)
	c.Add("height", &m.Height, Added).Add("thumb_due", nil).Add("marks", &m.Marks, Added)
	c.Add("served_hash", &m.ServedHash, Added).Add("film", engine.AsJSON(&m.Film), Added).Add("film_due", nil)
})

// Members are the cast members c.
var Members = engine.NewTable("c", func(m *cast.Member, c *engine.Columns) {
	c.Add("id", &m.ID).Add("handle", &m.Handle, Words, Added).Add("fold", nil, Words).Name("name", &m.Name, Words, Added)
	c.Add("kind", &m.Kind, Added).Add("look", &m.Look, Words, Added).Add("pictures", engine.AsJSON(&m.Pictures), List, Added)
	c.Add("consent_by", &m.Consent.By, Words, Added).Time("consent_on", &m.Consent.On, Added)
	c.Ref("noted_by", &m.Consent.NotedBy, Added)
	c.Computed("coalesce((SELECT name FROM users WHERE id = c.noted_by), '')", (*engine.Named)(&m.Consent.NotedName))
	c.Add("version", &m.Version, Added).Add("created_by", &m.CreatedBy, Added)
	c.Computed("(SELECT name FROM users WHERE id = c.created_by)", (*engine.Named)(&m.MakerName))
	c.Time("created_at", &m.CreatedAt, Added).Add("changed_by", &m.ChangedBy, Added)
	c.Computed("(SELECT name FROM users WHERE id = c.changed_by)", (*engine.Named)(&m.ChangerName))
	c.Time("changed_at", &m.ChangedAt, Added).Time("deleted_at", &m.DeletedAt).Ref("deleted_by", &m.DeletedBy)
})

// Collections are the collections c, with their makers, users u.
var Collections = engine.NewTable("c", func(v *gallery.Collection, c *engine.Columns) {
	c.Add("id", &v.ID).Name("name", &v.Name, Words, Added).Add("note", &v.Note, Words, Added)
	c.Add("created_by", &v.CreatedBy, Added).Computed("u.name", (*engine.Named)(&v.MakerName))
	c.Time("created_at", &v.CreatedAt, Added).Time("changed_at", &v.ChangedAt, Added).Time("deleted_at", &v.DeletedAt)
	c.Ref("deleted_by", &v.DeletedBy)
})

// Guests are the guests c, with the titles of their links.
var Guests = engine.NewTable("c", func(g *review.Guest, c *engine.Columns) {
	c.Add("id", &g.ID).Add("share_id", &g.ShareID, Added).Add("token", nil).Name("name", &g.Name, Words, Exported, Added)
	c.Add("name_key", nil, Words).Add("number", &g.Number, Added).Time("created_at", &g.CreatedAt, Added).Add("mail_id", nil)
	c.Add("source", nil)
	c.Computed("coalesce((SELECT l.title FROM shares l WHERE l.id = c.share_id), '')", (*engine.Named)(&g.Link))
})

// Subscriptions are the addresses e to which mails about links go.
var Subscriptions = engine.NewTable("e", func(s *review.Subscription, c *engine.Columns) {
	c.Add("id", &s.ID).Add("share_id", &s.ShareID, Added).Add("address", &s.Address, Words, Added)
	c.Add("address_key", nil, Words).Time("created_at", &s.CreatedAt, Added).Time("confirmed_at", &s.ConfirmedAt)
	c.Time("stopped_at", &s.StoppedAt)
})

// Shares are the links s, with their makers, users u, and the videos t that they show.
var Shares = engine.NewTable("s", func(s *gallery.Share, c *engine.Columns) {
	c.Add("id", &s.ID).Add("token", nil).Add("sealed", &s.Sealed, Added).Ref("task_id", &s.TaskID, Added)
	c.Ref("collection_id", &s.CollectionID, Added).Add("story", &s.Story, Added).Name("title", &s.Title, Words, Added, Changed)
	c.Add("may", &s.May, Added, Changed).Add("password", &s.Password, Added, Changed).Add("download", &s.Download, Added, Changed)
	c.Add("takes", &s.Takes, Added, Changed).Add("welcome", &s.Welcome, Words, Added, Changed).Add("named", &s.Named, Added)
	c.Add("created_by", &s.CreatedBy, Added).Computed("u.name", (*engine.Named)(&s.MakerName))
	c.Time("created_at", &s.CreatedAt, Added).Time("expires_at", &s.ExpiresAt, Added, Changed).Time("revoked_at", &s.RevokedAt)
	c.Computed("coalesce(t.id, 0)", &s.Video.ID).Computed("coalesce(t.user_id, 0)", &s.Video.UserID)
	c.Computed("coalesce(t.state, '')", &s.Video.State).Computed("coalesce(t.private, 0)", &s.Video.Private)
	c.Computed("t.deleted_at", (*engine.Instant)(&s.Video.DeletedAt)).Computed("t.purged_at", (*engine.Instant)(&s.Video.PurgedAt))
})

// A NoteRow is a note with its mark as it is stored, and its rank among the notes of its
// video: answers that count come before other notes, and those that want changes before
// approvals.
type NoteRow struct {
	review.Note
	StoredMark string
	Rank       int
}

// Notes are the notes n, with their authors, users u or guests c.
var Notes = engine.NewTable("n", func(n *NoteRow, c *engine.Columns) {
	c.Add("id", &n.ID).Add("task_id", &n.TaskID, Added).Ref("parent_id", &n.ParentID, Added).Add("share_id", &n.ShareID, Added)
	c.Ref("user_id", &n.Author.UserID, Added).Ref("guest_id", &n.Author.GuestID, Added)
	c.Computed("coalesce(u.name, c.name, '')", (*engine.Named)(&n.Author.Name)).Computed("coalesce(c.number, 0)", &n.Author.Number)
	c.Add("at", &n.At, Added).Add("until", &n.Until, Added).Add("frame", &n.Frame, Added).Add("body", &n.Body, Words, Exported, Added)
	c.Add("mark", &n.StoredMark, Added).Add("internal", &n.Internal, Added).Time("created_at", &n.CreatedAt, Added)
	c.Time("changed_at", &n.ChangedAt).Time("done_at", &n.DoneAt).Time("deleted_at", &n.DeletedAt).Add("answer", &n.Answer, Added)
	c.Computed(`CASE WHEN n.answer = '' OR NOT EXISTS (SELECT 1 FROM verdicts e WHERE e.note_id = n.id) THEN 0
		WHEN n.answer = 'changes' THEN 2 ELSE 1 END AS note_rank`, &n.Rank)
})

// Verdicts are the answers v of guests c.
var Verdicts = engine.NewTable("v", func(v *review.Verdict, c *engine.Columns) {
	c.Add("task_id", &v.TaskID, Added).Add("guest_id", &v.Guest.ID, Added).Add("answer", &v.Answer, Added, Changed)
	c.Add("body", &v.Body, Words, Added, Changed).Time("changed_at", &v.ChangedAt, Added, Changed)
	c.Ref("note_id", &v.NoteID, Added, Changed).Computed("c.share_id", &v.ShareID)
})

// Pictures are the uploaded pictures p, each with its newest address, which is one for the
// service in use and for no cast member if there is one.
var Pictures = engine.NewTable("p", func(p *ordering.Picture, c *engine.Columns) {
	c.Add("id", &p.ID).Add("user_id", &p.UserID, Added)
	c.Computed(`(SELECT sealed FROM picture_tokens t WHERE t.picture_id = p.id ORDER BY CASE WHEN t.member_id IS NULL THEN 0 ELSE 1 END,
		CASE WHEN t.service_id = `+CurrentService+` THEN 0 ELSE 1 END, t.id DESC LIMIT 1)`, &p.Sealed)
	c.Computed(`NOT EXISTS (SELECT 1 FROM picture_tokens t
		WHERE t.picture_id = p.id AND t.member_id IS NULL AND t.service_id = `+CurrentService+`)`, &p.Elsewhere)
	c.Add("hash", &p.Hash, Added).Add("type", &p.Type, Added).Add("size", &p.Size, Added).Add("width", &p.Width, Added)
	c.Add("height", &p.Height, Added).Name("name", &p.Name, Words, Added).Time("created_at", &p.CreatedAt, Added)
	c.Add("found_at", nil).Add("thumbnail", nil)
})

// Appearances is the table of the cast as it was when tasks were submitted.
var Appearances = engine.NewTable("a", func(a *cast.Appearance, c *engine.Columns) {
	c.Add("task_id", &a.TaskID, Added).Add("member_id", &a.MemberID, Added).Add("place", nil).Add("handle", &a.Handle, Words, Added)
	c.Name("name", &a.Name, Words, Added).Add("kind", &a.Kind, Added).Add("look", &a.Look, Words, Added)
	c.Add("pictures", engine.AsJSON(&a.Pictures), List, Added).Add("sent", engine.AsJSON(&a.Sent), Added)
})

// Answers is the table of the service's raw replies to calls about tasks, with their HTTP status
// and body.
var Answers = engine.NewTable("answers", func(a *db.Answer, c *engine.Columns) {
	c.Add("task_id", &a.TaskID, Added).Add("call", &a.Call, Added).Add("status", &a.Status, Added)
	c.Add("http", &a.HTTP, Added, Changed).Add("body", &a.Body, Words, Added, Changed).Time("at", &a.At, Added, Changed)
})
