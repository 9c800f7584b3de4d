package store_test

import (
	"database/sql"
	"slices"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/gallery"
	"dailies/db/ordering"
	"dailies/db/outbox"
	"dailies/db/program"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store"
	"dailies/db/store/people"
	"dailies/db/store/sampletest"
	"dailies/db/store/schema"
	"dailies/db/store/suite"
	"dailies/db/team"
)

// Whoever adds a table decides whether its rows give access and, if they do, what ends it.
func TestEveryTableGivesAccessOrNone(t *testing.T) {
	_, raw := suite.OpenRaw(t)
	for name := range columnsOf(t, raw) {
		gives := slices.ContainsFunc(schema.Accesses, func(a schema.Access) bool { return a.Table == name })
		_, gives2 := schema.NoAccess[name]
		if gives == gives2 {
			t.Errorf("does %s give access? db/store/schema/access.go has to say it, once", name)
		}
	}
	for _, a := range schema.Accesses {
		for e, how := range a.Rests {
			if slices.Contains(a.Ends, e) || how == "" {
				t.Errorf("after a %s, does %s rest or end?", e, a.Table)
			}
		}
		for e := range a.EndedBy {
			if !slices.Contains(a.Ends, e) {
				t.Errorf("%s does not end after a %s, but how it does is described", a.Table, e)
			}
		}
		for _, e := range a.Ends {
			at := slices.IndexFunc(schema.Tables, func(s schema.Table) bool { return s.Name == a.Table })
			switch {
			case a.Close == "" && a.EndedBy[e] == "":
				t.Errorf("how does %s end after a %s?", a.Table, e)
			case e == schema.Deactivation && a.EndedBy[e] == "" && schema.Tables[at].Leaves != schema.Ends:
				t.Errorf("%s does not end when a person leaves", a.Table)
			}
		}
	}
}

// access is everything that lets in Pat, who is an admin, or others for Pat. Each kind is
// probed for whether it still opens something.
type access struct {
	s            *store.Store
	raw          *sql.DB
	ending       schema.Ending
	ann, pat     db.User
	browser      signin.Session // signed in with a password
	visit        signin.Session // signed in by the company's provider
	present      signin.Session // the browser in which Pat changes something
	hook, teams  outbox.Webhook
	token        program.Token
	share        gallery.Share
	picture      ordering.Picture
	passkey      signin.Passkey
	running      []db.Task // to be finished, so that webhooks are told
	step         int64     // of the next code
	recovery     []string  // codes that are not used yet
	reset, other string    // links for new passwords: Pat's, and one that Pat has made for somebody else
	grouped      bool      // the provider gives Pat a role
}

// grant adds it all.
func grant(t *testing.T, e schema.Ending) *access {
	t.Helper()
	s, raw := suite.OpenRaw(t)
	a := &access{s: s, raw: raw, ending: e, ann: suite.AddUser(t, s, "Ann"), pat: suite.AddUser(t, s, "Pat"), step: secrets.LastCodeStep(suite.Day), grouped: true}
	for _, u := range []*db.User{&a.ann, &a.pat} {
		must(t, s.Members.SetRole(t.Context(), u.ID, db.Admin, suite.Day))
		u.Role = db.Admin
	}
	lee := suite.AddUser(t, s, "Lee")
	ctx := t.Context()
	asPat := audit.Acting(ctx, audit.Actor{UserID: a.pat.ID, Name: "Pat"})
	a.present = suite.AddSession(t, s, a.pat.ID, suite.Day)
	a.passkey = signin.Passkey{UserID: a.pat.ID, Handle: []byte("pat"), Credential: []byte("1"), Record: `{"n":1}`, Name: "Phone", CreatedAt: suite.Day}
	must(t, s.SecondSteps.AddPasskey(ctx, &a.passkey, a.present.ID))
	var hashes []secrets.TokenHash
	for _, code := range []string{"a", "b", "c"} {
		a.recovery = append(a.recovery, code)
		hashes = append(hashes, secrets.RecoveryHash(a.pat.ID, code))
	}
	must(t, s.SecondSteps.SetCodes(ctx, a.pat.ID, a.present.ID, []byte("sealed"), 100, hashes, suite.Day))
	claims := suite.ClaimsOf("pat", a.pat.Email, "crew")
	if e == schema.Connection { // for which the account is not connected at the provider
		claims.Issuer = "https://earlier.example.com"
	}
	must(t, s.SignOn.Link(ctx, a.pat.ID, claims, suite.Day))
	a.browser = *suite.NewSession(a.pat.ID)
	a.browser.Method = signin.ByCode
	must(t, sampletest.AddSession(t, s, &a.browser))
	a.visit = signin.NewSession(0, secrets.HashToken(secrets.NewToken()), "Firefox", suite.Day)
	_, _, err := s.SignOn.SignInByProvider(ctx, claims, &a.visit)
	must(t, err)
	must(t, s.SignOn.KeepTokens(ctx, a.visit.ID, []byte("sealed"), suite.Day))
	own, token := signin.NewReset(a.pat.ID, suite.Day)
	a.reset = token
	must(t, s.Sessions.AddReset(ctx, own))
	forLee, token := signin.NewReset(lee.ID, suite.Day)
	a.other = token
	must(t, s.Members.AddResetFor(asPat, forLee))
	must(t, s.Invites.AddInvites(ctx, []*signin.Invite{{Token: secrets.HashToken("invite"), Email: "new@example.com", CreatedBy: a.pat.ID, CreatedAt: suite.Day, ExpiresAt: suite.Day.AddDate(0, 0, 7)}},
		map[string]outbox.Mail{"new@example.com": outbox.NewMail(outbox.MailInvite, 0, suite.Day)}))
	video := suite.Bring(t, s, suite.AddTask(t, s, a.pat.ID, "a kite").ID, db.Success, suite.Day)
	_, err = s.Tasks.UpdateTask(ctx, video.ID, func(t *db.Task) error {
		return t.Keep([]db.Media{{Kind: db.Video, Hash: "h", CreatedAt: suite.Day}}, true)
	})
	must(t, err)
	a.share = gallery.Share{Token: "share", TaskID: video.ID, CreatedBy: a.pat.ID, CreatedAt: suite.Day, ExpiresAt: suite.Day.AddDate(0, 0, 7)}
	must(t, s.Links.AddShare(ctx, &a.share))
	suite.AddGuest(t, s, a.share.ID, "Mara")
	a.token = suite.AddToken(t, s, a.pat.ID)
	a.picture = ordering.Picture{UserID: a.pat.ID, Hash: "h", Type: "image/png", Size: 1, Token: "picture", CreatedAt: suite.Day}
	must(t, s.Pictures.AddPicture(ctx, &a.picture))
	must(t, s.Settings.AddTyped(ctx, secrets.HashToken("typed"), ordering.Typist{}, ordering.Typed{At: suite.Day}))
	a.hook = suite.AddWebhook(t, s, a.pat.ID, a.pat.ID, outbox.VideoReady)
	a.teams = suite.AddWebhook(t, s, 0, a.pat.ID, outbox.VideoReady)
	suite.Bring(t, s, suite.AddTask(t, s, a.pat.ID, "a delivery that waits").ID, db.Success, suite.Day)
	for range 6 {
		a.running = append(a.running, suite.Bring(t, s, suite.AddTask(t, s, a.pat.ID, "it runs").ID, db.Processing, suite.Day))
	}
	return a
}

// end is what the person, an admin or the operator does.
func (a *access) end(t *testing.T) {
	t.Helper()
	s, ctx := a.s, audit.Acting(t.Context(), audit.Actor{UserID: a.ann.ID, Name: "Ann"})
	asPat := audit.Acting(t.Context(), audit.Actor{UserID: a.pat.ID, Name: "Pat"})
	another := secrets.HashToken(secrets.NewToken())
	switch a.ending {
	case schema.Deactivation:
		had, err := s.Leave(ctx, team.Leaving{UserID: a.pat.ID, At: suite.Day})
		must(t, err)
		if had.Tokens != 1 || had.Webhooks != 1 || had.TeamHooks != 1 {
			t.Errorf("who leaves had %+v", had)
		}
	case schema.SignOutEverywhere:
		ended, err := s.Sessions.SignOutEverywhere(ctx, a.pat.ID, 0, suite.Day)
		must(t, err)
		suite.Same(t, ended, signin.Ended{Sessions: 3, Tokens: 1, Webhooks: 1})
	case schema.SignOutOthers:
		must(t, s.Sessions.EndOtherSessions(asPat, a.pat.ID, a.present.ID))
	case schema.NewPassword, schema.OnlyNewPassword:
		ended, err := s.Sessions.ChangePassword(asPat, a.pat.ID, "hash", "another", a.present.ID, another, a.ending == schema.NewPassword, suite.Day)
		must(t, err)
		want := signin.Ended{Sessions: 2}
		if a.ending == schema.NewPassword {
			want.Tokens, want.Webhooks = 1, 1
		}
		suite.Same(t, ended, want)
	case schema.PasswordReset:
		ended, err := s.Sessions.UseReset(t.Context(), secrets.HashToken(a.reset), "another", suite.Day)
		must(t, err)
		suite.Same(t, ended, signin.Ended{Sessions: 3, Tokens: 1, Webhooks: 1})
	case schema.Connection:
		must(t, s.SignOn.SetRules(ctx, signin.Rules{LinkByEmail: true}, ""))
		_, _, err := s.SignOn.SignInByProvider(t.Context(), suite.ClaimsOf("pat", a.pat.Email), suite.NewSession(0))
		must(t, err)
	case schema.LostSecondStep:
		must(t, s.SecondSteps.DropSecondStep(ctx, a.pat.ID, 0))
	case schema.Demotion:
		must(t, s.Members.SetRole(ctx, a.pat.ID, db.Member, suite.Day))
	case schema.LostGroups:
		must(t, s.SignOn.SetRules(ctx, signin.Rules{RoleClaim: "groups", Members: []string{"crew"}}, ""))
		a.grouped = false
		suite.Wants(t, s.SignOn.RecheckClaims(t.Context(), a.pat.ID, suite.ClaimsOf("pat", a.pat.Email), suite.Day), signin.RefusedRole)
	case schema.Restore:
		closed, err := s.Accounts.CloseAccess(t.Context(), "a backup", suite.Day)
		must(t, err)
		suite.Same(t, closed, signin.Closed{
			Sessions: 3, Invites: 1, Resets: 2, Shares: 1, Recovery: 3, Identities: 1, Tokens: 1, Webhooks: 2, Deliveries: 2,
			Passkeys: 1, Open: 3, Admins: []string{"Ann", "Pat"},
		})
	default:
		t.Fatalf("nobody has tried a %s", a.ending)
	}
}

// revive is what lets work again what rests. It reports whether there is something.
func (a *access) revive(t *testing.T) {
	t.Helper()
	ctx := audit.Acting(t.Context(), audit.Actor{UserID: a.ann.ID, Name: "Ann"})
	switch a.ending {
	case schema.Deactivation:
		must(t, a.s.Members.Activate(ctx, a.pat.ID, suite.Day))
	case schema.LostGroups:
		a.grouped = true
		_, _, err := a.s.SignOn.SignInByProvider(t.Context(), suite.ClaimsOf("pat", a.pat.Email, "crew"), suite.NewSession(0))
		must(t, err)
	case schema.Restore:
		n, err := a.s.Webhooks.Confirm(ctx)
		must(t, err)
		if n != 2 {
			t.Errorf("%d webhooks were confirmed", n)
		}
		list, err := a.s.SecondSteps.Passkeys(t.Context(), a.pat.ID)
		must(t, err)
		must(t, a.s.SecondSteps.SignInWithPasskey(t.Context(), suite.NewSession(0), list[0], list[0].Record, true))
		a.step++
	}
}

// opens reports whether the access of the table still opens something.
func (a *access) opens(t *testing.T, table string) bool {
	t.Helper()
	s, ctx := a.s, t.Context()
	u, err := s.Accounts.User(ctx, a.pat.ID)
	must(t, err)
	switch table {
	case "users":
		return u.IsActive() && u.Password == "hash"
	case "sessions":
		session := a.browser
		if a.ending == schema.LostGroups {
			session = a.visit
		}
		_, _, err = s.Sessions.Session(ctx, session.Token, suite.Day)
	case "provider_sessions":
		_, err = s.SignOn.Tokens(ctx, a.visit.ID)
	case "resets":
		token := a.reset
		if a.ending == schema.Demotion {
			token = a.other
		}
		_, err = s.Sessions.Reset(ctx, secrets.HashToken(token), suite.Day)
	case "identities":
		claims := suite.ClaimsOf("pat", a.pat.Email)
		if a.ending == schema.Connection {
			claims.Issuer = "https://earlier.example.com"
		}
		if a.grouped {
			claims.Values = []string{"crew"}
		}
		id, findErr := s.SignOn.ConnectedUser(ctx, claims.Issuer, claims.Subject)
		must(t, findErr)
		if id != a.pat.ID {
			return false
		}
		_, _, err = s.SignOn.SignInByProvider(ctx, claims, suite.NewSession(0))
	case "passkeys":
		list, listErr := s.SecondSteps.Passkeys(ctx, a.pat.ID)
		must(t, listErr)
		if len(list) == 0 {
			return false
		}
		err = s.SecondSteps.SignInWithPasskey(ctx, suite.NewSession(0), list[0], list[0].Record, false)
	case "codes":
		if err = s.SecondSteps.SignInWithCode(ctx, suite.NewSession(a.pat.ID), u.Password, people.Proof{Step: a.step}); err == nil {
			a.step++
		}
	case "recovery_codes":
		code := secrets.RecoveryHash(a.pat.ID, a.recovery[0])
		if err = s.SecondSteps.SignInWithCode(ctx, suite.NewSession(a.pat.ID), u.Password, people.Proof{Recovery: code}); err == nil {
			a.recovery = a.recovery[1:]
		}
	case "invites":
		_, err = s.Invites.Invite(ctx, secrets.HashToken("invite"))
	case "shares", "guests", "guest_mails", "unsealed_shares":
		_, _, err = s.Links.OpenShare(ctx, "share", gallery.Opening{}, suite.Day)
	case "programs":
		_, _, err = s.Programs.Find(ctx, a.token.Hash, suite.Day)
		if _, _, byID := s.Programs.FindByID(ctx, a.token.ID, suite.Day); (err == nil) != (byID == nil) {
			t.Errorf("the token opens: %v; the files that it has got: %v", err, byID)
		}
		_, ordering := suite.Order(t, s, a.token, "")
		if err != nil && ordering == nil {
			t.Error("the token opens nothing, but it pays for a video")
		}
	case "webhooks", "webhook_secrets":
		return a.tells(t, a.hook)
	case "deliveries":
		return a.count(t, `SELECT count(*) FROM deliveries d JOIN webhooks h ON h.id = d.webhook_id WHERE d.outcome = '' AND h.held = 0 AND d.task_id = 2 AND h.id = $1
			AND NOT EXISTS (SELECT 1 FROM users u WHERE u.id = h.user_id AND u.refused_at IS NOT NULL)`, a.hook.ID) > 0
	case "mails":
		return a.count(t, `SELECT count(*) FROM mails WHERE kind = 'invite' AND next_at IS NOT NULL`) > 0
	case "picture_tokens", "unsealed_pictures":
		_, err = s.Pictures.Picture(ctx, "picture")
	case "typed":
		return a.count(t, `SELECT count(*) FROM typed WHERE at = $1`, suite.Day.UnixMilli()) > 0
	default:
		t.Fatalf("nobody has tried what a row of %s opens", table)
	}
	return err == nil
}

func (a *access) count(t *testing.T, query string, args ...any) (n int) {
	t.Helper()
	must(t, a.raw.QueryRow(query, args...).Scan(&n))
	return n
}

// tells ends a video, and reports whether the webhook is told of it.
func (a *access) tells(t *testing.T, h outbox.Webhook) (told bool) {
	t.Helper()
	task := a.running[0]
	a.running = a.running[1:]
	_, err := a.s.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error {
		return t.Report(db.Report{RemoteID: t.RemoteID, Status: "success"}, suite.Day, suite.Day.Add(time.Hour))
	})
	must(t, err)
	for range 20 { // one of each webhook at a time
		due, err := a.s.Webhooks.ClaimDeliveries(t.Context(), "a", suite.Day.Add(time.Hour), suite.Day.Add(2*time.Hour), 9)
		must(t, err)
		for _, d := range due {
			_, _, err := a.s.Webhooks.SettleDelivery(t.Context(), "a", d, outbox.Attempt{HTTP: 204, At: suite.Day.Add(time.Hour)})
			must(t, err)
			told = told || d.WebhookID == h.ID && d.TaskID == task.ID
		}
		if told || len(due) == 0 {
			break
		}
	}
	return told
}

// Each kind of access is tried after each ending, and after what ends its rest.
func TestAccessEndsAsTheTableSays(t *testing.T) {
	for _, e := range schema.Endings {
		t.Run(string(e), func(t *testing.T) {
			a := grant(t, e)
			// What waits for a webhook is sent when the webhook is tried, so it is tried first.
			all := slices.Clone(schema.Accesses)
			at := slices.IndexFunc(all, func(x schema.Access) bool { return x.Table == "deliveries" })
			all = slices.Concat(all[at:at+1], all[:at], all[at+1:])
			for _, of := range all {
				if !a.opens(t, of.Table) {
					t.Fatalf("%s opens nothing before", of.Table)
				}
			}
			a = grant(t, e)
			a.end(t)
			var resting []string
			for _, of := range all {
				ends, rests := of.After(e)
				if opens := a.opens(t, of.Table); opens == (ends || rests != "") {
					t.Errorf("%s opens something: %t", of.Table, opens)
				}
				if rests != "" && of.Table != "deliveries" {
					resting = append(resting, of.Table)
				}
			}
			if told := a.tells(t, a.teams); told == (e == schema.Restore) {
				t.Errorf("the team's webhook is told: %t", told)
			}
			if len(resting) == 0 {
				return
			}
			a.revive(t)
			for _, table := range resting {
				if !a.opens(t, table) {
					t.Errorf("%s opens nothing afterwards", table)
				}
			}
			if !a.tells(t, a.teams) {
				t.Error("the team's webhook is told nothing afterwards")
			}
		})
	}
}
