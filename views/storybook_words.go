package views

import (
	"time"

	"dailies/db"
)

func pillStories() []story {
	var stories []story
	for _, s := range []db.State{db.Queued, db.Sending, db.Pending, db.Processing, db.Success, db.Failed, db.Canceled, db.Rejected, db.Unconfirmed} {
		stories = append(stories, story{string(s), state(storyCard(storyTask(1, s), func(t *db.Task) {
			if s == db.Success {
				*t = storyKept(1)
			}
		}))})
	}
	return append(stories,
		story{"Made, and nowhere", state(storyCard(storyTask(1, db.Success)))},
		story{"Kept", keeping(storyCard(storyKept(1)))},
		story{"Being saved", keeping(storyCard(storyKept(1), keptAs(db.Saving)))},
		story{"Cannot be saved", keeping(storyCard(storyKept(1), keptAs(db.Saving), blamed(db.BlameSpace, "")))},
		story{"A receipt with a hole", refundMissing()},
		story{"A key that nobody tested", keyState(db.Key{})},
		story{"A key that works", keyState(db.Key{CheckedAt: storyNow, Accepted: true})},
		story{"A key that does not", keyState(db.Key{CheckedAt: storyNow})},
		story{"A notice that waits", deliveryState(db.Delivery{})},
		story{"A notice that arrived", deliveryState(db.Delivery{Outcome: db.Delivered})},
		story{"A notice that was given up", deliveryState(db.Delivery{Outcome: db.GaveUp})},
		story{"Plain", storyPill("pill", "Sandbox")},
		story{"Somebody", storyAvatar()},
	)
}

func noteStories() []story {
	return []story{
		{"What just happened", flash(Frame{Flash: "Your name is saved."})},
		{"What was typed before the person signed in again", typedNote(Frame{Back: true})},
		{"With a way back", flash(Frame{Flash: Deleted(3, nil, db.User{ID: 1}), Undo: &Undo{IDs: []string{"1", "2", "3"}}})},
		{"Too many to be named", flash(Frame{Flash: Deleted(212, []db.Task{storyKept(1)}, db.User{ID: 2}), Undo: &Undo{}})},
		{"A note", storyNote("note", "The length is 5 s now, because this model makes 5 or 10 s.")},
		{"For admins, on every page", storyNote("note bad", SpaceNotice(db.Space{Free: 3 << 30}))},
		{"One mistake", summary(Errors{"prompt": "Please say what happens."})},
		{"Several mistakes", summary(Errors{"prompt": "Please say what happens.", "duration": "This model makes 4 to 15 seconds."})},
		{"A refusal", summary(Errors{"": "There are not enough credits for it."})},
		{"No key, in the sandbox", keyNote(true)},
		{"No key", keyNote(false)},
		{"The sandbox", sandboxNote()},
	}
}

func tableStories() []story {
	return []story{
		{"Months of a team", months(UsagePage{Everyone: true, Rows: []db.Usage{
			{Month: "2026-11", UserName: "Mara Ellison", Videos: 41, Tasks: 47, Charged: 1410, Returned: 120},
			{Month: "2026-10", UserName: "Jon Okafor", Videos: 12, Tasks: 12, Charged: 372.5},
		}})},
		{"Newest receipts", receipts(Frame{Now: storyNow}, UsagePage{Recent: []db.Task{
			storyKept(20), storyTask(19, db.Failed), storyTask(18, db.Rejected), storyTask(17, db.Unconfirmed),
		}})},
		{"Notices that were sent", deliveries([]db.Delivery{
			{State: db.Success, TaskID: 20, CreatedAt: storyNow},
			{State: db.Failed, TaskID: 19, CreatedAt: storyNow.Add(-time.Hour), Tries: 3, NextAt: storyNow.Add(90 * time.Second), Problem: "It answered with HTTP 500."},
			{CreatedAt: storyNow.Add(-90 * time.Hour), Tries: 1, Outcome: db.Delivered},
		}, storyNow)},
	}
}
