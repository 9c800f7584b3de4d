package schema

import (
	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/signin"
	"dailies/db/store/engine"
)

// Services are the video services.
var Services = engine.NewTable("services", func(s *db.Service, c *engine.Columns) {
	c.Add("id", &s.ID)
	c.Add("address", &s.Address)
	c.Add("practice", &s.Practice)
	c.Add("current", &s.Current)
	c.Add("held", &s.Held)
	c.Add("used_at", (*engine.Instant)(&s.UsedAt))
})

// Users are the accounts u.
var Users = engine.NewTable("u", func(u *db.User, c *engine.Columns) {
	c.Add("id", &u.ID)
	c.Add("name", (*engine.Named)(&u.Name), engine.Words, engine.Told, Added)
	c.Add("email", &u.Email, engine.Words, engine.Told, Added)
	c.Add("email_key", nil, engine.Words)
	c.Add("email_norm", nil, engine.Words)
	c.Add("password", &u.Password, Added)
	c.Add("role", &u.Role, Added)
	c.Add("last_scene", &u.LastScene, Added)
	c.Add("created_at", (*engine.Instant)(&u.CreatedAt), Added)
	c.Add("seen_at", (*engine.Instant)(&u.SeenAt))
	c.Add("deactivated_at", (*engine.Instant)(&u.DeactivatedAt))
	c.Add("refused_at", nil)
	c.Add("team_key_id", (*engine.Ref)(&u.TeamKeyID))
	c.Add("closed_announcement", &u.ClosedAnnouncement)
	c.Add("still", &u.Still)
})

// Invites are the links with which people join.
var Invites = engine.NewTable("invites", func(i *signin.Invite, c *engine.Columns) {
	c.Add("id", &i.ID)
	c.Add("token", (*engine.Digest)(&i.Token), Added)
	c.Add("created_by", &i.CreatedBy, Added)
	c.Add("created_at", (*engine.Instant)(&i.CreatedAt), Added)
	c.Add("expires_at", (*engine.Instant)(&i.ExpiresAt), Added)
	c.Add("used_at", (*engine.Instant)(&i.UsedAt))
	c.Add("used_by", (*engine.Ref)(&i.UsedBy))
	c.Add("role", &i.Role, Added)
	c.Add("email", &i.Email, engine.Words, Added)
	c.Add("allowance", &i.Allowance, Added)
	c.Add("credits", (*engine.Amount)(&i.Credits), Added)
})

// Webhooks are the webhooks h.
var Webhooks = engine.NewTable("h", func(h *outbox.Webhook, c *engine.Columns) {
	c.Add("id", &h.ID)
	c.Add("user_id", (*engine.Ref)(&h.UserID), Added)
	c.Add("made_by", (*engine.Ref)(&h.MadeBy), Added)
	c.Add("address", &h.Address, engine.Words, Added)
	c.Add("origin", &h.Origin, engine.Words, Added)
	c.Add("types", engine.AsJSON(&h.Events), Added)
	c.Add("standard", &h.Standard, Added)
	c.Add("state", &h.State)
	c.Add("held", &h.Held)
	c.Add("created_at", (*engine.Instant)(&h.CreatedAt), Added)
	c.Add("failures", &h.Failures)
	c.Add("failing_since", (*engine.Instant)(&h.FailingSince))
	c.Add("quiet_until", (*engine.Instant)(&h.QuietUntil))
})

// Deliveries is the table of the events that are sent to webhooks, with the state of each.
var Deliveries = engine.NewTable("deliveries", func(d *outbox.Delivery, c *engine.Columns) {
	c.Add("id", &d.ID)
	c.Add("name", &d.Name)
	c.Add("webhook_id", &d.WebhookID)
	c.Add("type", &d.Event)
	c.Add("task_id", (*engine.Ref)(&d.TaskID))
	c.Add("note_id", (*engine.Ref)(&d.NoteID))
	c.Add("guest_id", (*engine.Ref)(&d.GuestID))
	c.Add("ask_id", (*engine.Ref)(&d.CreditRequestID))
	c.Add("state", &d.State)
	c.Add("outcome", &d.Outcome)
	c.Add("http", &d.HTTP)
	c.Add("problem", &d.Problem, engine.Words)
	c.Add("tries", &d.Tries)
	c.Add("created_at", (*engine.Instant)(&d.CreatedAt))
	c.Add("tried_at", (*engine.Instant)(&d.TriedAt))
	c.Add("next_at", (*engine.Instant)(&d.NextAt))
	c.Add("leased_by", nil)
	c.Add("leased_until", nil)
})
