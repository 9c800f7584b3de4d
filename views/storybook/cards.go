package storybook

import (
	"time"

	"dailies/db"
	"dailies/views/create"
	"dailies/views/library"
	"dailies/views/part"
	"dailies/web/videoapi"
)

func progressStories() []story {
	said := func(t *db.Task) { t.Progress = 0.42 }
	odd := func(t *db.Task) { t.Status = "reticulating" }
	return []story{
		{"Waiting", part.Making(Card(Task(1, db.Queued)))},
		{"Queued behind others", part.Making(Behind(Card(Task(1, db.Queued)), 3))},
		{"Queued behind others, with a pace", part.Making(Paced(Behind(Card(Task(1, db.Queued)), 39), 12*time.Second))},
		{"Waiting for the price of another video", part.Making(awaitingPrice(Card(Task(1, db.Queued))))},
		{"Waiting because a server stopped", part.Making(blocked(Card(Task(2, db.Queued)), Now.Add(2*time.Minute), false))},
		{"Waiting because a server stopped, for an admin", part.Making(blocked(Card(Task(2, db.Queued)), Now.Add(2*time.Minute), true))},
		{"Being sent by a server that stopped", part.Making(blocked(Card(Task(1, db.Sending)), Now.Add(2*time.Minute), true))},
		{"Waiting for the service’s answer", part.Making(blocked(Card(Task(2, db.Queued)), time.Time{}, true))},
		{"Being sent", part.Making(Card(Task(1, db.Sending)))},
		{"In line", part.Making(Usual(Card(Task(1, db.Pending))))},
		{"In line behind another", part.Making(Behind(Usual(Card(Task(1, db.Pending))), 1))},
		{"Not known how far", part.Making(Card(Task(1, db.Processing)))},
		{"The service says how far", part.Making(Card(Task(1, db.Processing), said))},
		{"Others like it say how far", part.Making(Usual(Card(Task(1, db.Processing))))},
		{"Slower than usual", part.Making(Usual(Card(Task(1, db.Processing), begunLongAgo)))},
		{"Slow, and nobody knows what is usual", part.Making(Card(Task(1, db.Processing), begunLongAgo))},
		{"A filter stopped it, as the service says", part.Making(Card(Task(1, db.Processing), func(t *db.Task) { t.Status = "success" }))},
		{"A word that the service made up", part.Making(Card(Task(1, db.Processing), odd))},
		{"The service isn’t answering, nothing sent", part.Making(Card(Task(1, db.Queued), retrying))},
		{"The service isn’t answering", part.Making(Card(Task(1, db.Processing), retrying))},
		{"With another key", part.Making(Card(Task(1, db.Processing), retrying, failedBy(
			db.TaskError, "The video service says that this video belongs to another key.",
		)))},
		{"The key is refused", part.Making(Card(Task(1, db.Processing), retrying, failedBy(db.KeyError, "no auth")))},
	}
}

func latestStories() []story {
	show := func(caption string, c part.Card) story {
		return story{caption, create.LatestPart(create.Latest{Cards: []part.Card{c}, Scene: videoapi.TextToVideo})}
	}
	sandbox := Card(Task(1, db.Rejected), failedBy(db.CreditsError, "insufficient credits"))
	sandbox.Sandbox = true
	draft := Card(Kept(1))
	draft.Final = storyFinal()
	return []story{
		show("Queued", Card(Task(1, db.Queued))),
		show("Sending", Card(Task(1, db.Sending))),
		show("In line", Card(Task(1, db.Pending))),
		show("In progress, as usual", Usual(Card(Task(1, db.Processing)))),
		show("Slow", Usual(Card(Task(1, db.Processing), begunLongAgo))),
		show("Ready, being saved", Card(Kept(1), keptAs(db.Saving))),
		show("Ready, storage is full", Card(Kept(1), keptAs(db.Saving), failedBy(db.SpaceError, ""))),
		show("Ready, storage isn’t answering", Card(Kept(1), keptAs(db.Saving), failedBy(db.StorageError, ""))),
		show("Ready, the link has expired", Card(Kept(1), keptAs(db.Saving), failedBy(db.LinkError, ""))),
		show("Ready and kept", Card(Kept(1))),
		show("Ready, without a cover", Card(Kept(1), withoutCover)),
		show("Ready, upright", Card(Kept(1), upright)),
		show("A draft that can be made final", draft),
		show("Long words", Card(Kept(1), wordy)),
		show("No words", Card(Kept(1), wordless)),
		show("The file is lost", Card(Kept(1), keptAs(db.Lost))),
		show("Ready, without a link", Card(Task(1, db.Success), keptAs(db.Saving))),
		show("Ready, with another key", Card(Task(1, db.Success), keptAs(db.Saving), failedBy(
			db.TaskError, "The video service says that this video belongs to another key.",
		))),
		show("No address was found", Card(Task(1, db.Success), keptAs(db.Lost), failedBy(
			db.ServiceError, "The service says that the video is made, and named no address of it for three days.",
		))),
		show("No address was ever looked for", Card(Task(1, db.Success))),
		show("The kept file is missing", Card(Kept(1), fileGone)),
		show("The file of another person’s video is missing", Card(Kept(1), fileGone, ofSomebodyElse)),
		show("Failed, credits came back", Card(Task(1, db.Failed), failedBy(db.RequestError, "content was blocked by the safety filter"))),
		show("Failed for its sound", Card(Task(1, db.Failed), failedBy(db.RequestError, "audio was blocked by the safety filter"))),
		show("Failed, in words of the service", Card(Task(1, db.Failed), failedBy(
			db.RequestError, "the harmonic residual was out of bounds",
		))),
		show("Failed, nobody knows the price", Card(Task(1, db.Failed), unpriced)),
		show("Filtered", Card(Task(1, db.Failed), filtered)),
		show("Canceled", Card(Task(1, db.Canceled))),
		show("Refused for its key", Card(Task(1, db.Rejected), failedBy(db.KeyError, "no auth"))),
		show("Refused for want of credits", Card(Task(1, db.Rejected), failedBy(db.CreditsError, "insufficient credits"))),
		show("Refused for want of credits in practice mode", sandbox),
		show("Refused by a busy service", Card(Task(1, db.Rejected), failedBy(db.ServiceError, ""))),
		show("Not sure it started", Card(Task(1, db.Unconfirmed))),
		show("Not sure it started, and decided", Card(Task(1, db.Unconfirmed), afterDeciding)),
	}
}

// filtered makes a failed task one that the service made and a filter keeps back.
func filtered(t *db.Task) {
	t.Status, t.ErrorKind, t.Message, t.Returned, t.ReturnedAt = "success", db.RequestError, "content_filter", db.Credits{}, time.Time{}
}

func receiptStories() []story {
	unseen := func(t *db.Task) { t.Returned, t.ReturnedAt = db.Credits{}, time.Time{} }
	return []story{
		{"Not sent yet", library.Receipt(Card(Task(1, db.Queued)))},
		{"Running", library.Receipt(Card(Task(1, db.Processing)))},
		{"Ready", library.Receipt(Card(Kept(1)))},
		{"Ready, like its picture", library.Receipt(Card(Kept(1), likePicture))},
		{"Waits, the size of its picture not known", library.Receipt(Card(Task(1, db.Queued), unseenPicture))},
		{"Ready, nobody knows the price", library.Receipt(Card(Kept(1), unpriced))},
		{"Failed, credits came back", library.Receipt(Card(Task(1, db.Failed)))},
		{"Failed, credits not back yet", library.Receipt(Card(Task(1, db.Failed), unseen))},
		{"Filtered", library.Receipt(Card(Task(1, db.Failed), unseen, filtered))},
		{"Canceled", library.Receipt(Card(Task(1, db.Canceled)))},
		{"Rejected", library.Receipt(Card(Task(1, db.Rejected)))},
		{"Not sure it started, and decided", library.Receipt(Card(Task(1, db.Unconfirmed), afterDeciding))},
	}
}

func taskStories() []story {
	page := func(c part.Card) library.TaskPage { return library.TaskPage{Card: c, MayDelete: true, Uploads: true} }
	tooLong := page(Card(Kept(1)))
	title := library.NewTitle()
	tooLong.Title = &title
	tooLong.Title.Error = "A title has 120 letters at most. This one has 130."
	return []story{
		{"Queued", part.Making(Behind(Card(Task(1, db.Queued)), 2))},
		{"In progress", part.Making(Card(Task(1, db.Processing)))},
		{"Slow", part.Making(Card(
			Task(1, db.Processing), func(t *db.Task) { t.CreatedAt, t.AcceptedAt = Now.Add(-time.Hour), Now.Add(-time.Hour) },
		))},
		{"Being saved", part.Making(Card(Kept(1), keptAs(db.Saving)))},
		{"Failed", part.Making(Card(Task(1, db.Failed)))},
		{"Ready", library.TaskStatus(page(Card(Kept(1))))},
		{"What can be done with it", library.Actions(page(Card(Kept(2), starred)))},
		{"A title", library.TitleField(page(Card(Kept(1), titled)), true)},
		{"A title that’s wrong", library.TitleField(tooLong, false)},
		{"The video ID", library.Follow(Card(Task(1, db.Unconfirmed)))},
		{"A video ID that’s wrong", library.Follow(refusedNumber(Card(Task(1, db.Unconfirmed))))},
		{"About", library.About(page(Card(Kept(1), inFrames, wordy)))},
		{"The panel beside it", library.Side(page(Card(Kept(1))))},
	}
}

// technicalStories shows the service's responses.
func technicalStories() []story {
	return []story{{"Open", library.TechnicalFacts(library.TaskPage{Card: Card(Kept(1)), Answers: []db.Answer{
		{Call: "create", Status: "pending", HTTP: 200, Body: `{"code":0,"data":{"id":"01J9","status":"pending"}}`, At: Now},
		{Call: "query", HTTP: 502, Body: "<html>Bad gateway</html>", At: Now},
	}})}}
}

// organiseStories shows how a video is organised on its page.
func organiseStories() []story {
	show := func(caption string, mayDelete bool, changes ...func(*db.Task)) story {
		return story{caption, library.Organise(library.TaskPage{
			Card: Card(Kept(1), changes...), MayDelete: mayDelete, Tags: []string{"harbour", "夜"},
		})}
	}
	return []story{
		show("Your own", true),
		show("Starred, private and with tags", true, starred, private, labelled(
			"harbour", "everything that is wet and shines at night", "夜",
		)),
		show("Another person’s", false, ofSomebodyElse, labelled("harbour")),
		show("In the bin", true, binned(12*24*time.Hour)),
		show("Another person’s, in the bin", false, ofSomebodyElse, binned(time.Hour)),
	}
}
