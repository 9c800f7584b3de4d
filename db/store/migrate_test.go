package store_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/option"
	"dailies/db/outbox"
	"dailies/db/secrets"
	"dailies/db/spending"
	"dailies/db/store"
	"dailies/db/store/suite"
	"dailies/db/team"
)

func TestADatabaseOfTheFirstReleaseGoesOn(t *testing.T) {
	s := suite.OpenAt(t, suite.FirstRelease(t, 60))
	for query, want := range map[string][]int64{
		"风筝": {60, 40, 20}, "飛ぶ": {41, 21, 1}, "kite 33": {33}, "flies": nil,
	} {
		tasks, err := s.Search.Tasks(t.Context(), gallery.Filter{Viewer: 2, Query: query, Ratios: []string{"9:16"}, Limit: 100})
		must(t, err)
		if !slices.Equal(suite.IDs(tasks), want) {
			t.Errorf("%q: %v, want %v", query, suite.IDs(tasks), want)
		}
	}
	every := gallery.Filter{Viewer: 1, States: []db.State{gallery.AnyState}}
	states, err := s.Search.CountFacet(t.Context(), every, gallery.ByState)
	must(t, err)
	suite.Same(t, states, map[string]int{"success": 60, "pending": 1})
	makers, err := s.Search.CountFacet(t.Context(), every, gallery.ByMaker)
	must(t, err)
	suite.Same(t, makers, map[string]int{"1": 31, "2": 30})
	task, err := s.Tasks.Task(t.Context(), 20)
	must(t, err)
	if _, kept := task.Video(); !kept || task.Prompt != "红色的风筝 20" || task.Starred || task.Private || task.ParentID != 0 {
		t.Errorf("%+v", task)
	}
	users, err := s.Accounts.Users(t.Context())
	must(t, err)
	_, err = s.Tasks.StarTasks(t.Context(), users[0], []int64{20}, true)
	must(t, err)
	_, err = s.Tags.TagTasks(t.Context(), users[0], []int64{20, 61}, []string{"old"}, nil, suite.Day)
	must(t, err)
	tasks, err := s.Search.Tasks(t.Context(), gallery.Filter{Viewer: 2, Starred: true, Tags: []string{"old"}, Limit: 100})
	must(t, err)
	suite.Same(t, suite.IDs(tasks), []int64{20})
	if damage, err := s.Damage(t.Context()); len(damage) > 0 || err != nil {
		t.Errorf("%q, %v", damage, err)
	}
}

// The keys, totals and addresses of a database in which nothing says to which video service
// it belongs are those of the first service.
func TestADatabaseFromBeforeTheServicesGoesOn(t *testing.T) {
	path, raw := suite.Migrated(t, "037_services.sql")
	month := db.DayOf(suite.Day, time.UTC)
	for _, statement := range []string{
		`INSERT INTO users (name, email, email_key, email_norm, password, role, last_scene, created_at)
			VALUES ('Ann', 'a@example.com', 'a@example.com', 'a@example.com', 'hash', 'admin', '', 0), ('Bo', 'b@example.com', 'b@example.com', 'b@example.com', 'hash', 'member', '', 0)`,
		`INSERT INTO team_keys (name, sealed, fingerprint, last_four, standard, created_at, accepted) VALUES ('Team', x'01', x'0102', 'team', 1, 0, 1)`,
		`INSERT INTO keys (user_id, sealed, last_four, fingerprint, created_at, accepted) VALUES (1, x'02', 'anns', x'6f776e', 0, 1)`,
		fmt.Sprintf(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90)
			INSERT INTO tasks (user_id, form_token, scene, model, state, provider, created_at, sent_at, done_at, options, pictures, prompt, charged, returned, day, key_id, held)
			SELECT 1 + i %% 2, 'form ' || i, 'text-to-video', 'veo' || (i %% 3), CASE i %% 5 WHEN 0 THEN 'failed' WHEN 1 THEN 'processing' ELSE 'success' END, '',
				0, 0, 1000, '{"duration":5}', '[]', 'a kite', CASE i %% 5 WHEN 1 THEN NULL ELSE 30000 + i END, CASE i %% 5 WHEN 0 THEN 30000 END, %d - i, i %% 2, 7000 FROM n`, month),
		`INSERT INTO pictures (user_id, hash, type, size, width, height, name, created_at) VALUES (1, 'h', 'image/png', 1, 1, 1, 'x.png', 0)`,
		`INSERT INTO picture_tokens (token, sealed, picture_id) VALUES (x'` +
			fmt.Sprintf("%x", secrets.HashToken("a token")) + `', x'05', 1)`,
		`INSERT INTO asks (user_id, month, credits, sentence, created_at, answer) VALUES (2, 202611, 50000, 'Please.', 0, 'month')`,
		`INSERT INTO purses (user_id, allowance, credits) VALUES (2, 'own', 10000)`,
	} {
		_, err := raw.Exec(statement)
		must(t, err)
	}
	totals := func(service string) (rows []string) {
		t.Helper()
		for _, query := range []string{
			`SELECT 'day ' || user_id || ' ' || day || model || outcome || key_id` + service +
				` || ' ' || tasks || ' ' || paid || ' ' || refunded FROM usage ORDER BY 1`,
			`SELECT 'month ' || user_id || ' ' || month || model || outcome || key_id` + service +
				` || ' ' || tasks || ' ' || paid || ' ' || refunded FROM usage_months ORDER BY 1`,
			`SELECT 'spent ' || user_id || ' ' || month` + service + ` || ' ' || counted FROM spent ORDER BY 1`,
		} {
			all, err := raw.Query(query)
			must(t, err)
			for all.Next() {
				var row string
				must(t, all.Scan(&row))
				rows = append(rows, row)
			}
			must(t, all.Err())
		}
		return rows
	}
	before := totals(` || 1`)
	if len(before) < 90 {
		t.Fatalf("%d totals", len(before))
	}
	s := suite.OpenAt(t, path)
	suite.Same(t, totals(` || service_id`), before)
	for _, wrong := range []func(context.Context) ([]string, error){s.Usage.WrongUsage, s.Usage.WrongTotals} {
		says, err := wrong(t.Context())
		must(t, err)
		suite.Same(t, len(says), 0)
	}
	const first = "https://service.example"
	suite.StartService(t, s, first, first)
	suite.Same(t, totals(` || service_id`), before)
	suite.UsesKey(t, s, 1, "own")
	suite.UsesKey(t, s, 2, "\x01\x02")
	e, err := s.Tasks.Estimate(t.Context(), db.Task{
		Request: db.Request{Scene: "text-to-video", Model: "veo1", Options: db.Options{Duration: 5}},
	})
	must(t, err)
	suite.Same(t, e.Count, 5)
	budget, err := s.Limits.Budget(t.Context(), 2, suite.Day)
	must(t, err)
	suite.Same(t, budget.Limit, db.CreditsOf(60))
	if budget.Spent == 0 {
		t.Error("nothing counts against the limit")
	}
	here, err := s.Pictures.IsTokenOfService(t.Context(), "a token")
	must(t, err)
	suite.Same(t, here, true)
	_, err = raw.Exec(`UPDATE tasks SET state = 'success', charged = 41000 WHERE state = 'processing'`)
	must(t, err)
	_, err = raw.Exec(`DELETE FROM tasks WHERE id % 4 = 0`)
	must(t, err)
	says, err := s.Usage.WrongUsage(t.Context())
	must(t, err)
	suite.Same(t, len(says), 0)
}

func TestCreditsBecomeThousandths(t *testing.T) {
	path, raw := suite.Migrated(t, "015_credits.sql")
	for _, statement := range []string{
		`INSERT INTO users (name, email, email_key, password, role, last_scene, created_at)
			VALUES ('Ann', 'a@example.com', 'a@example.com', 'hash', 'admin', '', 0)`,
		`INSERT INTO tasks (user_id, form_token, scene, model, state, provider, created_at, options, pictures, prompt, quoted, charged, returned)
			VALUES (1, 'a', 'text-to-video', 'veo3', 'success', '', 0, '{}', '[]', 'a', 24, 24.1, NULL),
			(1, 'b', 'text-to-video', 'veo3', 'failed', '', 0, '{}', '[]', 'b', 0.1, 0.2, 0.2),
			(1, 'c', 'text-to-video', 'veo3', 'success', '', 0, '{}', '[]', 'c', NULL, 1e300, NULL),
			(1, 'd', 'text-to-video', 'veo3', 'queued', '', 0, '{}', '[]', 'd', 0, NULL, NULL)`,
		`INSERT INTO recipes (name, note, scene, model, prompt, provider, pictures, options, ceiling, created_by, created_at, changed_at)
			VALUES ('r', '', 'text-to-video', 'veo3', '', '', '[]', '{}', 90.5, 1, 0, 0), ('s', '', 'text-to-video', 'veo3', '', '', '[]', '{}', NULL, 1, 0, 0)`,
	} {
		_, err := raw.Exec(statement)
		must(t, err)
	}
	s := suite.OpenAt(t, path)
	type money struct{ quoted, charged, returned db.Credits }
	none, some := db.Credits{}, db.CreditsOf
	for id, want := range map[int64]money{
		1: {some(24), some(24.1), none}, 2: {some(.1), some(.2), some(.2)}, 3: {none, some(1e12), none}, 4: {some(0), none, none},
	} {
		task, err := s.Tasks.Task(t.Context(), id)
		must(t, err)
		if got := (money{task.Quoted, task.Charged, task.Returned}); got != want {
			t.Errorf("task %d: %v, want %v", id, got, want)
		}
	}
	for id, want := range map[int64]db.Credits{1: some(90.5), 2: none} {
		recipe, err := s.Recipes.Recipe(t.Context(), id)
		must(t, err)
		if recipe.Ceiling != want {
			t.Errorf("recipe %d: %v, want %v", id, recipe.Ceiling, want)
		}
	}
	wrong, err := s.Usage.WrongUsage(t.Context())
	must(t, err)
	suite.Same(t, wrong, nil)
	usage, err := s.Usage.Spending(t.Context(), spending.Filter{}, spending.ByPerson)
	must(t, err)
	if len(usage) != 1 || usage[0].Paid != 1e12+24.3 || usage[0].Refunded != .2 || usage[0].Tasks != 4 {
		t.Errorf("usage %+v", usage)
	}
}

// BenchmarkUpgrade100k opens a database of the first release with 100,000 videos.
func BenchmarkUpgrade100k(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		path := suite.FirstRelease(b, 100_000)
		b.StartTimer()
		start := time.Now()
		s, err := store.Open(b.Context(), path)
		must(b, err)
		b.ReportMetric(time.Since(start).Seconds(), "s")
		must(b, s.Close())
	}
}

// What counts against the limits initially is what was paid before there were
// limits, and the quoted prices of running videos.
func TestSpendingFromBeforeTheLimitsCounts(t *testing.T) {
	path, raw := suite.Migrated(t, "018_team.sql")
	october, november := time.Date(2026, 10, 31, 23, 0, 0, 0, time.UTC), suite.Day
	for _, statement := range []string{
		`INSERT INTO users (name, email, email_key, email_norm, password, role, last_scene, created_at)
			VALUES ('Ann', 'a@example.com', 'a@example.com', 'a@example.com', 'hash', 'admin', '', 0)`,
		`INSERT INTO tasks (user_id, form_token, scene, model, state, provider, created_at, options, pictures, prompt, quoted, charged, returned, day)
			VALUES (1, 'a', 'text-to-video', 'veo3', 'success', '', 0, '{}', '[]', 'a', 24000, 24100, NULL, $1),
			(1, 'b', 'text-to-video', 'veo3', 'failed', '', 0, '{}', '[]', 'b', 100, 200, 200, $2),
			(1, 'c', 'text-to-video', 'veo3', 'success', '', 0, '{}', '[]', 'c', NULL, 7000, NULL, $2),
			(1, 'd', 'text-to-video', 'veo3', 'queued', '', 0, '{}', '[]', 'd', 30000, NULL, NULL, $2),
			(1, 'e', 'text-to-video', 'veo3', 'rejected', '', 0, '{}', '[]', 'e', 30000, NULL, NULL, $2)`,
	} {
		_, err := raw.Exec(statement, db.DayOf(october, time.UTC), db.DayOf(november, time.UTC))
		must(t, err)
	}
	s := suite.OpenAt(t, path)
	for at, want := range map[time.Time]float64{october: 24.1, november: 37} {
		budget, err := s.Limits.Budget(t.Context(), 1, at)
		must(t, err)
		if budget.Spent != want || budget.TeamHas != want {
			t.Errorf("%g count in %d, want %g", budget.Spent, budget.Month, want)
		}
	}
	wrong, err := s.Usage.WrongUsage(t.Context())
	must(t, err)
	suite.Same(t, wrong, nil)
}

// The webhooks of a database in which each person has one keep their address and their
// secret. As they have the format from before the standard one, they are off, nothing waits
// for them any more, and their owners are told, once. With the standard format they are on.
func TestWebhooksFromBeforeTheStandardFormatAreOff(t *testing.T) {
	path, raw := suite.Migrated(t, "048_webhooks.sql")
	vault := vaultOf(t, "before")
	for _, statement := range []string{
		`INSERT INTO users (name, email, email_key, email_norm, password, role, last_scene, created_at)
			VALUES ('Ann', 'a@example.com', 'a@example.com', 'a@example.com', 'hash', 'admin', '', 0), ('Bo', 'b@example.com', 'b@example.com', 'b@example.com', 'hash', 'member', '', 0)`,
		`INSERT INTO tasks (user_id, form_token, scene, model, state, provider, created_at, options, pictures, prompt)
			VALUES (1, 'a', 'text-to-video', 'veo3', 'success', '', 0, '{}', '[]', 'a kite'), (2, 'b', 'text-to-video', 'veo3', 'pending', '', 0, '{}', '[]', 'a boat')`,
		`INSERT INTO webhooks (user_id, address, origin, sealed, created_at, notes) VALUES
			(2, 'https://bo.example.com/hook', 'http://house:8080', x'` + fmt.Sprintf("%x", vault.Seal(2, "whsec_BO")) + `', 7000, 0),
			(1, 'https://ann.example.com/hook', 'http://house:8080', x'` + fmt.Sprintf("%x", vault.Seal(1, "whsec_ANN")) + `', 9000, 1)`,
		`INSERT INTO deliveries (name, user_id, task_id, state, outcome, http, problem, tries, created_at, tried_at, next_at) VALUES
			('one', 1, 1, 'success', 'delivered', 204, '', 1, 1000, 1000, NULL), ('two', 1, 1, 'rejected', '', 500, 'no', 2, 2000, 2000, 3000), ('three', 2, NULL, '', 'gave up', 0, 'no', 1, 1000, 1000, NULL)`,
	} {
		_, err := raw.Exec(statement)
		must(t, err)
	}
	s, ctx := suite.OpenAt(t, path), t.Context()
	videos := []outbox.Event{outbox.VideoReady, outbox.VideoFailed, outbox.VideoCanceled, outbox.VideoUnconfirmed}
	for userID, want := range map[int64]outbox.Webhook{
		1: {
			ID: 2, UserID: 1, MadeBy: 1, Address: "https://ann.example.com/hook", Origin: "http://house:8080",
			Events: append(slices.Clone(videos), outbox.NoteCreated, outbox.VerdictGiven), State: outbox.Off,
			CreatedAt: time.UnixMilli(9000).UTC(), SentAt: time.UnixMilli(1000).UTC(),
		},
		2: {
			ID: 1, UserID: 2, MadeBy: 2, Address: "https://bo.example.com/hook", Origin: "http://house:8080", Events: videos,
			State: outbox.Off, CreatedAt: time.UnixMilli(7000).UTC(),
		},
	} {
		hooks, err := s.Webhooks.Of(ctx, userID)
		must(t, err)
		suite.Same(t, hooks, []outbox.Webhook{want})
		sealed, err := s.Webhooks.Secrets(ctx, want.ID, suite.Day)
		must(t, err)
		secret, err := vault.Open(userID, sealed[0])
		if len(sealed) != 1 || err != nil || secret != map[int64]string{1: "whsec_ANN", 2: "whsec_BO"}[userID] {
			t.Errorf("%d secrets, %v", len(sealed), err)
		}
	}
	_, err := raw.Exec(`UPDATE tasks SET state = 'canceled' WHERE id = 2`)
	must(t, err)
	due, err := s.Webhooks.ClaimDeliveries(ctx, "a", suite.Day, suite.Day.Add(time.Minute), 9)
	must(t, err)
	anns, err := s.Webhooks.Deliveries(ctx, 2, 9)
	must(t, err)
	bos, err := s.Webhooks.Deliveries(ctx, 1, 9)
	must(t, err)
	if len(due) != 0 || len(anns) != 2 || anns[0].Outcome != outbox.GaveUp || anns[0].Problem == "" || len(bos) != 1 {
		t.Errorf("due %+v, Ann's %+v, Bo's %+v", due, anns, bos)
	}
	for range 2 {
		must(t, s.Webhooks.TellTurnedOff(ctx, suite.Day))
	}
	mails := suite.ClaimMails(t, s, "a", suite.Day)
	if len(mails) != 2 || mails[0].Kind != outbox.MailFormat || mails[0].UserID != 2 ||
		mails[0].Details.Host != "https://bo.example.com" || mails[1].UserID != 1 || mails[1].Details.Webhook != 2 {
		t.Errorf("told with %+v", mails)
	}
	suite.Wants(t, s.Webhooks.TurnOn(ctx, 2, 1, suite.Day), outbox.ErrEarlier)
	suite.Wants(t, s.Webhooks.Renew(ctx, 2, []byte("y"), 1, suite.Day), outbox.ErrEarlier)
	id, err := s.Webhooks.Earlier(ctx, 1)
	must(t, err)
	suite.Wants(t, s.Webhooks.Standardise(ctx, id, []byte("y"), 2), db.ErrNotFound)
	must(t, s.Webhooks.Standardise(ctx, id, []byte("y"), 1))
	suite.Wants(t, s.Webhooks.Standardise(ctx, id, []byte("z"), 1), db.ErrConflict)
	h, err := s.Webhooks.Webhook(ctx, 2)
	must(t, err)
	sealed, err := s.Webhooks.Secrets(ctx, 2, suite.Day)
	must(t, err)
	if left, err := s.Webhooks.Earlier(ctx, 1); id != 2 || left != 0 || err != nil || h.State != outbox.On ||
		!h.Standard || len(sealed) != 1 || string(sealed[0]) != "y" {
		t.Errorf("%d, then %d, %v: %+v with %q", id, left, err, h, sealed)
	}
}

// A webhook of the team of the last version belongs to who has added it, as far as the audit
// tells. Tokens and standard webhooks go on.
func TestADatabaseFromBeforeWebhooksHadAMakerGoesOn(t *testing.T) {
	path, raw := suite.Migrated(t, "049_guest_sources.sql")
	for _, statement := range []string{
		`INSERT INTO users (name, email, email_key, email_norm, password, role, last_scene, created_at)
			VALUES ('Ann', 'a@example.com', 'a@example.com', 'a@example.com', 'hash', 'admin', '', 0), ('Bo', 'b@example.com', 'b@example.com', 'b@example.com', 'hash', 'admin', '', 0)`,
		`INSERT INTO webhooks (user_id, address, origin, types, standard, created_at) VALUES
			(NULL, 'https://one.example.com/hook', '', '["video.ready"]', 1, 100000), (NULL, 'https://two.example.com/hook', '', '["video.ready"]', 1, 900000), (2, 'https://three.example.com/', '', '["video.ready"]', 1, 0)`,
		`INSERT INTO audit (at, actor_id, actor, action, user_id, user_name, what, before, after, address) VALUES
			(100002, 2, 'Bo', 'webhook.save', 0, '', 'of the team', '', 'https://one.example.com', ''), (100001, 1, 'Ann', 'webhook.save', 0, '', 'of the team', '', 'https://other.example.com', '')`,
		`INSERT INTO programs (user_id, name, start, token, may, cap, created_at, ends_at, used_from) VALUES (2, 'Importer', 'dly_', x'` + fmt.Sprintf("%x", secrets.HashToken("token")) + `', 'make', 0, 0, 99999999999999, '')`,
	} {
		_, err := raw.Exec(statement)
		must(t, err)
	}
	s, ctx := suite.OpenAt(t, path), t.Context()
	teams, err := s.Webhooks.Of(ctx, 0)
	must(t, err)
	if len(teams) != 2 || teams[0].MadeBy != 2 || teams[0].Maker != "Bo" || teams[0].Left || teams[1].MadeBy != 0 || teams[1].Maker != "" {
		t.Errorf("%+v", teams)
	}
	bos, err := s.Webhooks.Of(ctx, 2)
	must(t, err)
	if len(bos) != 1 || bos[0].MadeBy != 2 || bos[0].State != outbox.On || bos[0].Held {
		t.Errorf("%+v", bos)
	}
	if _, _, err := s.Programs.Find(ctx, secrets.HashToken("token"), suite.Day); err != nil {
		t.Errorf("the token: %v", err)
	}
	must(t, s.Webhooks.TellTurnedOff(ctx, suite.Day))
	_, err = s.Leave(ctx, team.Leaving{UserID: 2, At: suite.Day})
	must(t, err)
	mails := suite.ClaimMails(t, s, "a", suite.Day)
	if len(mails) != 1 || mails[0].Kind != outbox.MailMaker || mails[0].UserID != 1 || mails[0].Details.By != "Bo" ||
		mails[0].Details.Host != "https://one.example.com" {
		t.Errorf("the admins are told with %+v", mails)
	}
	teams, err = s.Webhooks.Of(ctx, 0)
	must(t, err)
	if len(teams) != 2 || !teams[0].Left || teams[0].State != outbox.On {
		t.Errorf("%+v", teams)
	}
}

// The videos of each day that an earlier version has made are counted, and so are those that a
// process of the previous version goes on to make, change and remove.
func TestTheVideosOfEachDayAreCountedBesideThePreviousVersion(t *testing.T) {
	if !suite.OnServer() || suite.BehindPooler() {
		t.Skip("SQLite files belong to one process, and a pooler shares its connections")
	}
	address, raw := suite.ServerBefore(t, "045_day_counts.sql")
	exec := func(statement string, args ...any) {
		t.Helper()
		_, err := raw.Exec(statement, args...)
		must(t, err)
	}
	exec(
		`INSERT INTO users (name, email, email_key, email_norm, password, role, last_scene, created_at) VALUES ('Ann', 'a@example.com', 'a@example.com', 'a@example.com', 'hash', 'admin', '', 0)`,
	)
	add := func(at time.Time, private int) {
		t.Helper()
		exec(`INSERT INTO tasks (state, status, user_id, form_token, scene, model, provider, prompt, created_at, options, pictures, held, day, private)
			VALUES ('success', 'success', 1, $1, 'text-to-video', 'veo3', '', 'a kite', $2, '{}', '[]', 0, $3, $4)`, secrets.NewToken(),
			at.UnixMilli(), db.DayOf(at, time.UTC), private)
	}
	for hour := range 40 {
		add(suite.Day.Add(time.Duration(hour)*time.Hour), hour%5/4)
	}
	s := suite.OpenNamed(t, address)
	days := []gallery.Span{
		{From: suite.Day.Add(3 * time.Hour), Until: suite.Day.Add(30 * time.Hour)}, {From: suite.Day.Add(7 * time.Hour)}, {},
	}
	counted := func(want ...int) {
		t.Helper()
		got, err := s.Search.CountSpans(t.Context(), gallery.Filter{Viewer: 2}, days)
		must(t, err)
		suite.Same(t, got, want)
		suite.CheckTotals(t, s)
	}
	counted(21, 26, 32)
	add(suite.Day.Add(29*time.Hour), 0)
	exec(`UPDATE tasks SET private = 1 WHERE id <= 10`)
	exec(`UPDATE tasks SET private = 0 WHERE id = 5`)
	counted(18, 25, 26)
	exec(`UPDATE tasks SET created_at = $1 WHERE id = 5`, suite.Day.Add(100*time.Hour).UnixMilli())
	exec(`DELETE FROM tasks WHERE id = 12`)
	counted(16, 25, 25)
}

// Processes of the previous version go on while the column counted is made anew, with the
// statements that the server has prepared for them and with the triggers that it has compiled.
func TestThePreviousVersionGoesOnWhileUnnamedChargesCount(t *testing.T) {
	if !suite.OnServer() || suite.BehindPooler() {
		t.Skip("SQLite files belong to one process, and a pooler shares its connections")
	}
	address, raw := suite.ServerBefore(t, "042_kept_charges.sql")
	exec := func(statement string, args ...any) {
		t.Helper()
		_, err := raw.Exec(statement, args...)
		must(t, err)
	}
	exec(
		`INSERT INTO users (name, email, email_key, email_norm, password, role, last_scene, created_at) VALUES ('Ann', 'a@example.com', 'a@example.com', 'a@example.com', 'hash', 'admin', '', 0)`,
	)
	now := time.Now()
	add := func(state, status string) {
		t.Helper()
		exec(`INSERT INTO tasks (state, status, user_id, form_token, scene, model, provider, prompt, created_at, options, pictures, held, day)
			VALUES ($1, $2, 1, $3, 'text-to-video', 'veo3', '', 'a kite', $4, '{}', '[]', 10000, $5)`, state, status, secrets.NewToken(),
			now.UnixMilli(), db.DayOf(now, time.UTC))
	}
	counted := func() (tasks, spent int64) {
		t.Helper()
		must(t, raw.QueryRow(`SELECT CAST(sum(t.counted) AS BIGINT) FROM tasks t WHERE t.user_id = $1`, 1).Scan(&tasks))
		must(t, raw.QueryRow(`SELECT CAST(sum(counted) AS BIGINT) FROM spent WHERE user_id = $1`, 1).Scan(&spent))
		return tasks, spent
	}
	change := func(id int64, state, status string) {
		t.Helper()
		exec(`UPDATE tasks SET state = $1, status = $2 WHERE id = $3`, state, status, id)
	}
	add("canceled", "canceled")
	add("pending", "")
	add("pending", "")
	change(2, "failed", "failed")
	for range 6 { // the server makes a plan for all arguments then
		if tasks, spent := counted(); tasks != 10000 || spent != 10000 {
			t.Fatalf("%d count, %d in the total", tasks, spent)
		}
	}
	suite.OpenNamed(t, address)
	if tasks, spent := counted(); tasks != 20000 || spent != 20000 {
		t.Errorf("%d count, %d in the total", tasks, spent)
	}
	change(3, "failed", "success")
	add("pending", "")
	change(4, "canceled", "canceled")
	change(1, "failed", "failed")
	if tasks, spent := counted(); tasks != 20000 || spent != 20000 {
		t.Errorf("%d count, %d in the total", tasks, spent)
	}
}

// Processes of the previous version write the options of a video without what its shape follows,
// on Postgres, while an upgrade rolls.
func TestThePreviousVersionKeepsWhatAShapeFollows(t *testing.T) {
	if !suite.OnServer() {
		t.Skip("SQLite files belong to one process")
	}
	s, raw := suite.OpenRaw(t)
	ann := suite.AddUser(t, s, "Ann")
	task := suite.AddTask(t, s, ann.ID, "a boat")
	for options, want := range map[string]option.Shape{
		`{"duration":5,"aspect_ratio":"9:16"}`:  option.LikePicture,
		`{"duration":10,"aspect_ratio":"9:16"}`: option.ChosenShape, // another choice
	} {
		_, err := raw.Exec(`UPDATE tasks SET options = $1 WHERE id = $2`, `{"duration":5,"aspect_ratio":"9:16","shape":"picture"}`, task.ID)
		must(t, err)
		_, err = raw.Exec(`UPDATE tasks SET title = 'Boat', options = $1 WHERE id = $2`, options, task.ID)
		must(t, err)
		got, err := s.Tasks.Task(t.Context(), task.ID)
		must(t, err)
		if got.Options.Shape != want || got.Title != "Boat" {
			t.Errorf("%s: %+v", options, got.Options)
		}
	}
}
