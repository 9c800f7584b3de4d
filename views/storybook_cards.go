package views

import (
	"time"

	"dailies/db"
)

func progressStories() []story {
	said := func(t *db.Task) { t.Progress = 0.42 }
	odd := func(t *db.Task) { t.Status = "reticulating" }
	return []story{
		{"Waiting", progress(storyCard(storyTask(1, db.Queued)))},
		{"Being sent", progress(storyCard(storyTask(1, db.Sending)))},
		{"In line", progress(usually(storyCard(storyTask(1, db.Pending))))},
		{"Nobody knows how far", progress(storyCard(storyTask(1, db.Processing)))},
		{"The service says how far", progress(storyCard(storyTask(1, db.Processing), said))},
		{"Others like it say how far", progress(usually(storyCard(storyTask(1, db.Processing))))},
		{"Slower than usual", progress(usually(storyCard(storyTask(1, db.Processing), begunLongAgo)))},
		{"Slow, and nobody knows what is usual", progress(storyCard(storyTask(1, db.Processing), begunLongAgo))},
		{"A word that the service made up", progress(storyCard(storyTask(1, db.Processing), odd))},
		{"The service does not answer, nothing sent", progress(storyCard(storyTask(1, db.Queued), stumbling))},
		{"The service does not answer", progress(storyCard(storyTask(1, db.Processing), stumbling))},
		{"Another key's", progress(storyCard(storyTask(1, db.Processing), stumbling, blamed(db.BlameTask, "The video service says that this video belongs to another key.")))},
		{"The key is refused", progress(storyCard(storyTask(1, db.Processing), stumbling, blamed(db.BlameKey, "no auth")))},
	}
}

func latestStories() []story {
	show := func(caption string, c Card) story { return story{caption, latestCard(c)} }
	sandbox := storyCard(storyTask(1, db.Rejected), blamed(db.BlameCredits, "insufficient credits"))
	sandbox.Sandbox = true
	draft := storyCard(storyKept(1))
	draft.Final = storyFinal()
	return []story{
		show("Queued", storyCard(storyTask(1, db.Queued))),
		show("Sending", storyCard(storyTask(1, db.Sending))),
		show("Pending", storyCard(storyTask(1, db.Pending))),
		show("Processing", usually(storyCard(storyTask(1, db.Processing)))),
		show("Slow", usually(storyCard(storyTask(1, db.Processing), begunLongAgo))),
		show("Ready, being saved", storyCard(storyKept(1), keptAs(db.Saving))),
		show("Ready, no room to save it", storyCard(storyKept(1), keptAs(db.Saving), blamed(db.BlameSpace, ""))),
		show("Ready, the link has expired", storyCard(storyKept(1), keptAs(db.Saving), blamed(db.BlameGone, ""))),
		show("Ready and kept", storyCard(storyKept(1))),
		show("Ready, without a cover", storyCard(storyKept(1), withoutCover)),
		show("Ready, upright", storyCard(storyKept(1), upright)),
		show("A draft that can be made final", draft),
		show("Long words", storyCard(storyKept(1), wordy)),
		show("No words", storyCard(storyKept(1), wordless)),
		show("The file is lost", storyCard(storyKept(1), keptAs(db.Lost))),
		show("Ready, and the service has not said where", storyCard(storyTask(1, db.Success), keptAs(db.Saving))),
		show("Ready, and another key's", storyCard(storyTask(1, db.Success), keptAs(db.Saving), blamed(db.BlameTask, "The video service says that this video belongs to another key."))),
		show("No address was found", storyCard(storyTask(1, db.Success), keptAs(db.Lost), blamed(db.BlameService, "The service says that the video is made, and named no address of it for three days."))),
		show("No address was ever looked for", storyCard(storyTask(1, db.Success))),
		show("The kept file is missing", storyCard(storyKept(1), fileGone)),
		show("The kept file of somebody else's is missing", storyCard(storyKept(1), fileGone, ofSomebodyElse)),
		show("Failed, credits returned", storyCard(storyTask(1, db.Failed), blamed(db.BlameRequest, "content was blocked by the safety filter"))),
		show("Failed for its sound", storyCard(storyTask(1, db.Failed), blamed(db.BlameRequest, "audio was blocked by the safety filter"))),
		show("Failed, in words of the service", storyCard(storyTask(1, db.Failed), blamed(db.BlameRequest, "the harmonic residual was out of bounds"))),
		show("Failed, nobody knows the price", storyCard(storyTask(1, db.Failed), unpriced)),
		show("Canceled", storyCard(storyTask(1, db.Canceled))),
		show("Rejected for its key", storyCard(storyTask(1, db.Rejected), blamed(db.BlameKey, "no auth"))),
		show("Rejected for want of credits", storyCard(storyTask(1, db.Rejected), blamed(db.BlameCredits, "insufficient credits"))),
		show("Rejected for want of credits in the sandbox", sandbox),
		show("Rejected by a busy service", storyCard(storyTask(1, db.Rejected), blamed(db.BlameService, ""))),
		show("Unconfirmed", storyCard(storyTask(1, db.Unconfirmed))),
		show("Unconfirmed, and decided", storyCard(storyTask(1, db.Unconfirmed), afterDeciding)),
	}
}

func receiptStories() []story {
	unseen := func(t *db.Task) { t.Returned, t.ReturnedAt = db.Credits{}, time.Time{} }
	return []story{
		{"Not sent yet", receipt(storyCard(storyTask(1, db.Queued)))},
		{"Running", receipt(storyCard(storyTask(1, db.Processing)))},
		{"Ready", receipt(storyCard(storyKept(1)))},
		{"Ready, nobody knows the price", receipt(storyCard(storyKept(1), unpriced))},
		{"Failed, credits returned", receipt(storyCard(storyTask(1, db.Failed)))},
		{"Failed, refund not seen", receipt(storyCard(storyTask(1, db.Failed), unseen))},
		{"Canceled", receipt(storyCard(storyTask(1, db.Canceled)))},
		{"Rejected", receipt(storyCard(storyTask(1, db.Rejected)))},
		{"Unconfirmed, and decided", receipt(storyCard(storyTask(1, db.Unconfirmed), afterDeciding))},
	}
}

func taskStories() []story {
	pictured := storyCard(storyKept(1), inFrames)
	return []story{
		{"Running", storyHero(storyCard(storyTask(1, db.Processing)))},
		{"Being saved", storyHero(storyCard(storyKept(1), keptAs(db.Saving)))},
		{"Ready", storyHero(storyCard(storyKept(1)))},
		{"The number of an unconfirmed one", follow(storyCard(storyTask(1, db.Unconfirmed)))},
		{"A number that will not do", follow(refusedNumber(storyCard(storyTask(1, db.Unconfirmed))))},
		{"Pictures that it was made from", usedPictures(pictured.Task)},
		{"How it was made", details(TaskPage{Card: pictured})},
		{"What the service answered", answers(TaskPage{Answers: []db.Answer{
			{Call: "create", Status: "pending", HTTP: 200, Body: `{"code":0,"data":{"id":"01J9","status":"pending"}}`, At: storyNow},
			{Call: "query", HTTP: 502, Body: "<html>Bad gateway</html>", At: storyNow},
		}})},
	}
}

// orderStories are where a video is filed, on its page.
func orderStories() []story {
	show := func(caption string, mayDelete bool, changes ...func(*db.Task)) story {
		return story{caption, order(TaskPage{Card: storyCard(storyKept(1), changes...), MayDelete: mayDelete, Tags: []string{"harbour", "夜"}})}
	}
	return []story{
		show("One's own", true),
		show("Starred, private and with tags", true, starred, private, labelled("harbour", "everything that is wet and shines at night", "夜")),
		show("Of somebody else", false, ofSomebodyElse, labelled("harbour")),
		show("In the bin", true, binned(12*24*time.Hour)),
		show("Of somebody else, in the bin", false, ofSomebodyElse, binned(time.Hour)),
	}
}
