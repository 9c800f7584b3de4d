package storybook

import (
	"time"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/review"
	"dailies/views/create"
	"dailies/views/library"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// The people of the stories about notes.
var (
	ana  = review.Author{UserID: 1, Name: "Ana Mendes"}
	mara = review.Author{GuestID: 1, Name: "Mara", Number: 1}
	twin = review.Author{GuestID: 2, Name: "Mara", Number: 2}
)

// someNotes are notes in every state.
func someNotes() []review.Note {
	mark, _ := review.ParseMark(`{"kind":"rect","points":[[0.1,0.2],[0.5,0.8]]}`)
	return []review.Note{
		{
			ID: 1, Author: mara, Position: review.Position{At: 800, Frame: 19},
			Body: "This red is perfect. Could the sail be a touch larger?", Mark: mark, CreatedAt: Now.Add(-time.Hour),
		},
		{
			ID: 2, ParentID: 1, Author: ana, Position: review.Position{At: 800, Frame: 19},
			Body: "@Jonas Berg can you have a look?", CreatedAt: Now.Add(-time.Minute),
		},
		{
			ID: 3, Author: twin, Position: review.Position{At: 1200, Until: 2900, Frame: 29},
			Body:      "Slower here, all the way until the boat leaves the picture.\nIt’s over too soon.",
			CreatedAt: Now.Add(-3 * time.Hour),
		},
		{
			ID: 4, Author: ana, Position: review.Position{At: 2400, Frame: 57}, Internal: true, Body: "We have said so twice.",
			CreatedAt: Now.Add(-2 * time.Minute),
		},
		{
			ID: 5, Author: mara, Position: review.Position{At: 3000, Frame: 72}, Body: "No fog.",
			CreatedAt: Now.Add(-48 * time.Hour), DoneAt: Now.Add(-time.Hour),
		},
		{
			ID: 6, Position: review.Position{At: 3500, Frame: 84},
			Body:      "From a guest who was removed, with aVeryLongWordThatDoesNotFitIntoTheWidthOfAListOfNotes",
			CreatedAt: Now.Add(-72 * time.Hour),
		},
	}
}

// guestTalk is what a guest sees.
func guestTalk(change func(*part.Discussion)) templ.Component {
	t := part.Discussion{
		TaskID: 1, Path: "/share/X/notes", One: "/share/X/notes/", NamePath: "/share/X/name", Writes: true, Length: 5000,
		Now: Now, Form: new(part.NoteForm),
	}
	change(&t)
	return part.ShowDiscussion(t)
}

// teamTalk is what Ana sees.
func teamTalk(change func(*part.Discussion)) templ.Component {
	me := db.User{ID: 1, Name: ana.Name, Role: db.Admin}
	t := part.Discussion{
		TaskID: 1, Path: "/tasks/1/notes", One: "/notes/", Me: ana, Team: &me, Writes: true, Length: 5000, Now: Now,
		People: []db.User{me, {ID: 2, Name: "Jonas Berg"}}, Form: new(part.NoteForm),
	}
	change(&t)
	return part.ShowDiscussion(t)
}

// talkStories shows the notes beside a video.
func talkStories() []story {
	return []story{
		{"A guest’s first visit", guestTalk(func(*part.Discussion) {})},
		{"Who may give an address", guestTalk(func(t *part.Discussion) { t.Mail.Offered = true })},
		{"A guest’s notes", guestTalk(func(t *part.Discussion) {
			t.Me, t.Notes = mara, someNotes()[:3]
			t.Answered = map[int64][]part.TakeRef{1: {{Number: 2, Path: "/share/X", Ready: true}}}
		})},
		{"No name, and a mistake", guestTalk(func(t *part.Discussion) {
			form := part.NewNoteForm()
			t.Form = &form
			fill(&t.Form.Body, "Larger", "The video ends at 0:05.")
			fill(&t.Form.Name, "", "Your name, so that Ana knows who wrote.")
			t.Form.At.Value = "0:09"
		})},
		{"Only to watch", guestTalk(func(t *part.Discussion) { t.Writes, t.Notes = false, someNotes()[2:3] })},
		{"The team’s notes", teamTalk(func(t *part.Discussion) {
			t.Notes, t.NextTake = someNotes(), 3
			t.Answered = map[int64][]part.TakeRef{3: {{Number: 2, Path: "/tasks/2"}}}
		})},
		{"A reply", teamTalk(func(t *part.Discussion) { t.Notes, t.Form = someNotes()[:1], &part.NoteForm{ReplyTo: 1} })},
		{"Other words for a note", teamTalk(func(t *part.Discussion) {
			t.Notes, t.Form = someNotes()[3:4], &part.NoteForm{Change: 4}
			t.Form.Body.Value = "We have said so."
		})},
	}
}

// approvalStories shows what guests decided.
func approvalStories() []story {
	guest := func(a review.Author) review.Guest {
		return review.Guest{ID: a.GuestID, Name: a.Name, Number: a.Number, Link: "For the harbour fair"}
	}
	said := func(a review.Author, answer review.Answer, body string) review.Verdict {
		return review.Verdict{TaskID: 1, Guest: guest(a), Answer: answer, Body: body, ChangedAt: Now.Add(-time.Hour)}
	}
	approval := func(s review.Approval) templ.Component { return opened("", part.Answers(s, Now)) }
	return []story{
		{"Nobody has opened the link", approval(review.Approval{Asked: true})},
		{"One hasn’t answered", approval(review.Approval{Asked: true, Silent: []review.Guest{guest(mara)}})},
		{"Approved", approval(review.Approval{Asked: true, Verdicts: []review.Verdict{said(mara, review.Approved, "")}})},
		{"Approved by one of two", approval(review.Approval{
			Asked: true, Verdicts: []review.Verdict{said(mara, review.Approved, "Lovely!")},
			Silent: []review.Guest{guest(twin)},
		})},
		{"Changes win", approval(review.Approval{
			Asked:    true,
			Verdicts: []review.Verdict{said(twin, review.Approved, ""), said(mara, review.Changes, "The sail a touch larger.")},
		})},
	}
}

// takeStories shows takes, and the form of the next one.
func takeStories() []story {
	stacked := Card(Kept(3))
	stacked.Stacked, stacked.Expandable = 3, true
	page := library.TaskPage{Card: Card(Kept(3))}
	page.Takes.Cards = []part.Card{Card(Kept(1)), Card(Kept(3))}
	form := Form(videoapi.TextToVideo, "seedance-2.0")
	form.Origin = &create.Origin{Card: Card(Kept(1)), Use: db.Answered}
	form.AnsweredNotes = []create.AnsweredNote{
		{ID: 1, Author: "Mara", Body: "This red is perfect. Could the sail be a touch larger?", At: "0:00.8", Millis: 800},
		{
			ID: 3, Author: "Mara 2", Body: "Slower here, all the way until the boat leaves the picture.", At: "0:01.2",
			Millis: 1200, In: true,
		},
	}
	visited := library.SharePart{Path: "/tasks/1", Able: true, Form: library.NewShareForm()}
	visited.Links = []part.ShareLink{{
		Share: gallery.Share{
			ID: 1, TaskID: 1, Title: "For the harbour fair", May: gallery.Decide, CreatedAt: Now.Add(-time.Hour),
			ExpiresAt: Now.Add(48 * time.Hour),
		},
		Address: "https://dailies.example.com/share/ABC", Mine: true, Able: true,
		Visitors: []review.Visitor{
			{
				Guest: review.Guest{ID: 1, Name: "Mara", Number: 1}, Notes: 3,
				Verdicts: []review.Verdict{{TaskID: 1, Answer: review.Changes}},
			},
			{Guest: review.Guest{ID: 2, Name: "Mara", Number: 2}},
		},
	}}
	return []story{
		{"In the gallery", wall(library.Tile(stacked, "", false))},
		{"Opened there", library.TileTakes(stacked, []db.Task{Kept(1), Card(Kept(2), withoutCover).Task, Kept(3)})},
		{"Into another stack", library.StackPart(page)},
		{"What was asked", create.ShowAnsweredNotes(form)},
		{"The guests of a link", library.ShareBox(visited, Now)},
	}
}
