package schema

import (
	"dailies/db"
	"dailies/db/audit"
	"dailies/db/outbox"
	"dailies/db/program"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/spending"
	"dailies/db/store/engine"
	"dailies/db/team"
)

// Services are the video services.
var Services = engine.NewTable("services", func(s *db.Service, c *engine.Columns) {
	c.Add("id", &s.ID).Add("address", &s.Address).Add("practice", &s.Practice).Add("current", &s.Current).Add("held", &s.Held)
	c.Time("used_at", &s.UsedAt)
})

// Users are the accounts u.
var Users = engine.NewTable("u", func(u *db.User, c *engine.Columns) {
	c.Add("id", &u.ID).Name("name", &u.Name, Words, Exported, Added).Add("email", &u.Email, Words, Exported, Added)
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

// Mails are the mails m, with the people u that they are for.
var Mails = engine.NewTable("m", func(m *outbox.Mail, c *engine.Columns) {
	c.Add("id", &m.ID).Add("name", &m.Name, Added).Add("kind", &m.Kind, Added).Ref("user_id", &m.UserID, Added)
	c.Add("address", nil, Words).Add("address_key", nil, Words).Computed("coalesce(u.email, m.address)", &m.Address)
	c.Computed("coalesce(u.name, '')", &m.Person).Add("topic", &m.Topic, Words, Added)
	c.Add("details", engine.AsJSON(&m.Details), Words, Added).Add("sealed", &m.Sealed).Add("changes", &m.Changes)
	c.Add("tries", &m.Tries).Add("problem", &m.Problem, Words).Time("created_at", &m.CreatedAt, Added)
	c.Time("until", &m.Until, Added).Time("tried_at", &m.TriedAt).Time("next_at", &m.NextAt, Added).Time("sent_at", &m.SentAt)
	c.Add("leased_by", nil).Add("leased_until", nil)
})

// Programs are the tokens p of people's programs, with their owners, users u, and what each
// has spent in the month $1.
var Programs = engine.NewTable("p", func(t *program.Token, c *engine.Columns) {
	c.Add("id", &t.ID).Add("user_id", &t.UserID, Added).Computed("u.name", (*engine.Named)(&t.UserName))
	c.Name("name", &t.Name, Words, Added).Add("start", &t.Start, Added).Add("token", (*engine.Digest)(&t.Hash), Added)
	c.Add("may", &t.May, Added).Add("cap", nil).Add("uncapped", nil)
	c.Computed("CASE WHEN p.uncapped = 0 THEN p.cap END", (*engine.Credits)(&t.Cap)).Time("created_at", &t.CreatedAt, Added)
	c.Time("ends_at", &t.EndsAt, Added).Time("ended_at", &t.EndedAt).Time("used_at", &t.UsedAt).Add("used_from", &t.UsedFrom, Words)
	c.Time("stopped_at", &t.StoppedAt).Computed("u.refused_at", (*engine.Instant)(&t.RefusedAt))
	c.Computed(ProgramSpent, (*engine.Amount)(&t.Spent))
})

// ProgramSpent sums up what counts against the cap of program p in month $1.
const ProgramSpent = `(SELECT CAST(coalesce(sum(t.counted), 0) AS BIGINT)
	FROM program_tasks o JOIN tasks t ON t.id = o.task_id WHERE o.program_id = p.id AND o.month = $1 AND t.` + Counted + `)`

// ProgramRequests are the requests of programs that make videos.
var ProgramRequests = engine.NewTable("program_requests", func(r *program.Request, c *engine.Columns) {
	c.Add("user_id", &r.UserID, Added).Add("key", &r.Key, Added).Add("body", (*engine.Digest)(&r.Body), Added)
	c.Add("task_id", &r.TaskID, Added).Add("count", &r.Count, Added).Time("created_at", &r.CreatedAt, Added)
	c.Add("status", &r.Status).Add("answer", &r.Answer, Words)
})

// CreditRequests are the requests a to spend more, with those who ask, users u, and the
// admins who answered, users b.
var CreditRequests = engine.NewTable("a", func(a *spending.CreditRequest, c *engine.Columns) {
	c.Add("id", &a.ID).Add("user_id", &a.UserID, Added).Add("service_id", nil).Computed("u.name", (*engine.Named)(&a.UserName))
	c.Computed("u.email", &a.UserEmail).Add("month", &a.Month, Added).Add("credits", (*engine.Amount)(&a.Credits), Added)
	c.Add("unpriced", &a.Unpriced, Added).Add("sentence", &a.Sentence, Words, Added).Time("created_at", &a.At, Added)
	c.Add("answer", &a.Answer).Add("reason", &a.Reason, Words).Add("answered_by", nil)
	c.Computed("coalesce(b.name, '')", &a.AnsweredBy).Time("answered_at", &a.AnsweredAt).Time("used_at", &a.UsedAt)
	c.Add("task_id", nil).Add("ended_at", nil).Time("told_at", &a.ToldAt)
})

// sealedKey adds the columns that a key has, whoever's it is.
func sealedKey(k *secrets.Key, c *engine.Columns) {
	c.Add("service_id", &k.ServiceID, Added).Add("sealed", &k.Sealed, Added, Changed).Add("last_four", &k.LastFour, Added, Changed)
	c.Add("fingerprint", &k.Fingerprint, Added, Changed).Time("created_at", &k.CreatedAt, Added, Changed)
	c.Time("checked_at", &k.CheckedAt, Added, Changed).Add("accepted", &k.Accepted, Added, Changed)
}

// Keys are people's own keys for video services, TeamKeys those of the team, and KeysInUse
// those with which people's next videos are sent.
var (
	Keys = engine.NewTable("keys", func(k *secrets.Key, c *engine.Columns) {
		c.Add("user_id", &k.UserID, Added).Add("kept_for", nil)
		sealedKey(k, c)
	})
	TeamKeys = engine.NewTable("team_keys", func(k *team.Key, c *engine.Columns) {
		c.Add("id", &k.TeamKeyID).Name("name", &k.Name, Words, Exported, Added).Add("standard", &k.Standard, Added)
		sealedKey(&k.Key, c)
		c.Time("deleted_at", &k.DeletedAt)
	})
	KeysInUse = engine.NewTable("keys_in_use", func(k *secrets.Key, c *engine.Columns) {
		c.Add("user_id", &k.UserID).Add("team_key_id", &k.TeamKeyID)
		sealedKey(k, c)
	})
)

// Sessions are the sessions s.
var Sessions = engine.NewTable("s", func(s *signin.Session, c *engine.Columns) {
	c.Add("id", &s.ID).Add("user_id", &s.UserID, Added).Add("token", (*engine.Digest)(&s.Token), Added)
	c.Add("agent", &s.Agent, Words, Added).Time("created_at", &s.CreatedAt, Added).Time("seen_at", &s.SeenAt, Added)
	c.Time("expires_at", &s.ExpiresAt, Added).Add("for_host", &s.ForHost, Added).Add("method", &s.Method, Added)
})

// Passkeys are the passkeys.
var Passkeys = engine.NewTable("passkeys", func(k *signin.Passkey, c *engine.Columns) {
	c.Add("id", &k.ID).Add("user_id", &k.UserID, Added).Add("handle", &k.Handle, Added).Add("credential", &k.Credential, Added)
	c.Add("record", &k.Record, Added).Name("name", &k.Name, Words, Added).Time("created_at", &k.CreatedAt, Added)
	c.Time("used_at", &k.UsedAt)
})

// Identities are the accounts at providers with which people sign in.
var Identities = engine.NewTable("identities", func(i *signin.Identity, c *engine.Columns) {
	c.Add("id", &i.ID).Add("user_id", &i.UserID, Added).Add("issuer", &i.Issuer, Added).Add("subject", &i.Subject, Words, Added)
	c.Add("email", &i.Email, Words, Added).Time("created_at", &i.CreatedAt, Added).Time("used_at", &i.UsedAt, Added)
})

// Audit is the table of what people have done, with the accounts as they are now.
var Audit = engine.NewTable("audit", func(e *audit.Entry, c *engine.Columns) {
	c.Add("id", &e.ID).Time("at", &e.At).Add("actor_id", &e.Actor.UserID).Add("actor", &e.Actor.Name, Words, Exported)
	c.Add("action", &e.Action).Add("user_id", &e.UserID).Add("user_name", &e.User, Words, Exported).Add("what", &e.What, Words, Exported)
	c.Add("before", &e.Before, Words, Exported).Add("after", &e.After, Words, Exported).Add("address", &e.Actor.Address, Words, Exported)
	c.Computed(ofAccount("name", "actor_id"), &e.ActorNow.Name).Computed(ofAccount("email", "actor_id"), &e.ActorNow.Email)
	c.Computed(ofAccount("name", "user_id"), &e.UserNow.Name).Computed(ofAccount("email", "user_id"), &e.UserNow.Email)
})

// ofAccount is an expression for a column of the account whose ID an entry of the audit has.
func ofAccount(column, id string) string {
	return `coalesce((SELECT ` + column + ` FROM users WHERE users.id = audit.` + id + `), '')`
}
