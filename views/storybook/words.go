package storybook

import (
	"time"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/schedule"
	"dailies/db/secrets"
	"dailies/views/account"
	"dailies/views/create"
	"dailies/views/input"
	"dailies/views/library"
	"dailies/views/part"
)

func pillStories() []story {
	var stories []story
	for _, s := range []db.State{
		db.Queued, db.Sending, db.Pending, db.Processing, db.Success, db.Failed, db.Canceled, db.Rejected, db.Unconfirmed,
	} {
		stories = append(stories, story{string(s), part.State(Card(Task(1, s), func(t *db.Task) {
			if s == db.Success {
				*t = Kept(1)
			}
		}))})
	}
	return append(stories,
		story{"Made, without a link", part.State(Card(Task(1, db.Success)))},
		story{"Kept", part.Keeping(Card(Kept(1)))},
		story{"Being saved", part.Keeping(Card(Kept(1), keptAs(db.Saving)))},
		story{"Can’t be saved", part.Keeping(Card(Kept(1), keptAs(db.Saving), failedBy(db.SpaceError, "")))},
		story{"A receipt with credits not back yet", part.RefundMissing()},
		story{"A key that isn’t tested", part.KeyState(secrets.Key{})},
		story{"A key that works", part.KeyState(secrets.Key{CheckedAt: Now, Accepted: true})},
		story{"A key that’s refused", part.KeyState(secrets.Key{CheckedAt: Now})},
		story{"A delivery that waits", account.DeliveryState(outbox.Delivery{})},
		story{"A delivery that arrived", account.DeliveryState(outbox.Delivery{Outcome: outbox.Delivered})},
		story{"A delivery that was given up", account.DeliveryState(outbox.Delivery{Outcome: outbox.GaveUp})},
		story{"Plain", element("span", "pill", "Draft")},
		story{"A person", storyAvatar()},
	)
}

func noteStories() []story {
	return []story{
		{"What just happened", part.Framed(part.Frame{Flash: "Saved."}, part.Flash())},
		{"Typed before signing in again", part.Framed(part.Frame{Back: true}, part.TypedNote())},
		{"With a way back", part.Framed(part.Frame{
			Flash: library.Deleted(3, nil, db.User{ID: 1}), Undo: &part.Undo{IDs: []string{"1", "2", "3"}},
		}, part.Flash())},
		{"Too many to be named", part.Framed(part.Frame{
			Flash: library.Deleted(212, []db.Task{Kept(1)}, db.User{ID: 2}), Undo: &part.Undo{},
		}, part.Flash())},
		{"A note", element("p", "say", "The length is 5 s now, because this model makes 5 or 10 s.")},
		{"For admins, on every page", element("p", "say bad", part.SpaceNotice(schedule.Space{Free: 3 << 30}))},
		{"One mistake", part.ErrorSummary(input.Errors{"prompt": "Write what should happen."})},
		{"Several mistakes", part.ErrorSummary(input.Errors{
			"prompt": "Write what should happen.", "duration": "This model makes 4 to 15 seconds.",
		})},
		{"A refusal", part.ErrorSummary(input.Errors{"": "Not enough credits."})},
		{"No key, in practice mode", part.Framed(part.Frame{Sandbox: true}, create.KeyNote(part.LacksOwnKey, true))},
		{"No key", part.Framed(part.Frame{}, create.KeyNote(part.LacksOwnKey, true))},
		{"No key of the team", part.Framed(part.Frame{}, create.KeyNote(part.LacksTeamKey, true))},
		{"No key of the team, for an admin", part.Framed(part.Frame{}, create.KeyNote(part.LacksAnyKey, true))},
		{"Practice mode", part.Framed(part.Frame{}, part.SandboxNote(""))},
		{"Practice mode, with letters that it lacks", part.Framed(part.Frame{}, part.SandboxNote("紙の舟が港を出る"))},
	}
}

func tableStories() []story {
	return []story{
		{"Months of a team", account.Months(Usage())},
		{"A month, day by day", account.UsageChart(Usage())},
		{"What the bars are divided by", account.Shares(Usage())},
		{"What is drawn, with filters", account.UsageChoices(Usage())},
		{"Newest receipts", part.Framed(part.Frame{Now: Now}, account.Receipts(account.UsagePage{Recent: []db.Task{
			Kept(20), Task(19, db.Failed), Task(18, db.Rejected), Task(17, db.Unconfirmed),
		}}))},
		{"Deliveries", account.Deliveries([]outbox.Delivery{
			{State: db.Success, TaskID: 20, CreatedAt: Now},
			{
				State: db.Failed, TaskID: 19, CreatedAt: Now.Add(-time.Hour), Tries: 3, NextAt: Now.Add(90 * time.Second),
				Problem: "It answered with HTTP 500.",
			},
			{CreatedAt: Now.Add(-90 * time.Hour), Tries: 1, Outcome: outbox.Delivered},
		}, Now)},
	}
}
