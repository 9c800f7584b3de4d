package schema

import (
	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/signin"
	"dailies/db/store/engine"
)

// Services are the video services.
var Services = engine.NewTable("services", func(s *db.Service, c *engine.Columns) {
	c.Add("id", &s.ID).Add("address", &s.Address).Add("practice", &s.Practice).Add("current", &s.Current).Add("held", &s.Held)
	c.Time("used_at", &s.UsedAt)
})

// Users are the accounts u.
var Users = engine.NewTable("u", func(u *db.User, c *engine.Columns) {
	c.Add("id", &u.ID).Name("name", &u.Name, Words, Told, Added).Add("email", &u.Email, Words, Told, Added)
	c.Add("email_key", nil, Words).Add("email_norm", nil, Words).Add("password", &u.Password, Added).Add("role", &u.Role, Added)
	c.Add("last_scene", &u.LastScene, Added).Time("created_at", &u.CreatedAt, Added).Time("seen_at", &u.SeenAt)
	c.Time("deactivated_at", &u.DeactivatedAt).Add("refused_at", nil).Ref("team_key_id", &u.TeamKeyID)
	c.Add("closed_announcement", &u.ClosedAnnouncement).Add("still", &u.Still)
})

// Invites are the links with which people join.
var Invites = engine.NewTable("invites", func(i *signin.Invite, c *engine.Columns) {
	c.Add("id", &i.ID).Add("token", (*engine.Digest)(&i.Token), Added).Add("created_by", &i.CreatedBy, Added)
	c.Time("created_at", &i.CreatedAt, Added).Time("expires_at", &i.ExpiresAt, Added).Time("used_at", &i.UsedAt)
	c.Ref("used_by", &i.UsedBy).Add("role", &i.Role, Added).Add("email", &i.Email, Words, Added)
	c.Add("allowance", &i.Allowance, Added).Add("credits", (*engine.Amount)(&i.Credits), Added)
})

// Webhooks are the webhooks h.
var Webhooks = engine.NewTable("h", func(h *outbox.Webhook, c *engine.Columns) {
	c.Add("id", &h.ID).Ref("user_id", &h.UserID, Added).Ref("made_by", &h.MadeBy, Added)
	c.Add("address", &h.Address, Words, Added).Add("origin", &h.Origin, Words, Added)
	c.Add("types", engine.AsJSON(&h.Events), Added).Add("standard", &h.Standard, Added).Add("state", &h.State)
	c.Add("held", &h.Held).Time("created_at", &h.CreatedAt, Added).Add("failures", &h.Failures)
	c.Time("failing_since", &h.FailingSince).Time("quiet_until", &h.QuietUntil)
})

// Deliveries is the table of the events that are sent to webhooks, with the state of each.
var Deliveries = engine.NewTable("deliveries", func(d *outbox.Delivery, c *engine.Columns) {
	c.Add("id", &d.ID).Add("name", &d.Name).Add("webhook_id", &d.WebhookID).Add("type", &d.Event).Ref("task_id", &d.TaskID)
	c.Ref("note_id", &d.NoteID).Ref("guest_id", &d.GuestID).Ref("ask_id", &d.CreditRequestID).Add("state", &d.State)
	c.Add("outcome", &d.Outcome).Add("http", &d.HTTP).Add("problem", &d.Problem, Words).Add("tries", &d.Tries)
	c.Time("created_at", &d.CreatedAt).Time("tried_at", &d.TriedAt).Time("next_at", &d.NextAt).Add("leased_by", nil)
	c.Add("leased_until", nil)
})
