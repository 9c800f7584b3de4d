package watch

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"
	"time"

	"dailies/db"
	"dailies/db/outbox"
)

// notice is the JSON body that a webhook receives. Unknown values are null.
type notice struct {
	Delivery  string       `json:"delivery"` // the same for every attempt
	Test      bool         `json:"test"`
	ID        int64        `json:"id"`
	State     string       `json:"state"` // success, failed, canceled, rejected or unconfirmed
	Scene     string       `json:"scene"`
	Model     string       `json:"model"`
	Prompt    string       `json:"prompt"`
	Message   string       `json:"message"` // why there is no video, in the service's words
	Credits   noticeAmount `json:"credits"`
	Page      string       `json:"page"`   // URL; requires sign-in
	Media     *string      `json:"media"`  // URL of the copy kept here; requires sign-in
	Source    *string      `json:"source"` // URL at the service, valid for about a day
	CreatedAt time.Time    `json:"created_at"`
	DoneAt    time.Time    `json:"done_at"`
}

// remark is the JSON body about a note, or about the answer of a guest. The name of a guest is
// what they typed.
type remark struct {
	Delivery  string    `json:"delivery"`
	Test      bool      `json:"test"`
	Event     string    `json:"event"` // note or answer
	ID        int64     `json:"id"`    // of the video
	Author    string    `json:"author"`
	Guest     bool      `json:"guest"`
	Body      string    `json:"body"`
	At        *float64  `json:"at"`     // seconds from the beginning of the video; null for an answer
	Answer    *string   `json:"answer"` // approved or changes; null for a note
	Page      string    `json:"page"`   // URL; requires sign-in
	CreatedAt time.Time `json:"created_at"`
}

type noticeAmount struct {
	Quoted   *float64 `json:"quoted"`
	Charged  *float64 `json:"charged"`
	Returned *float64 `json:"returned"`
}

// body returns the notice of the delivery. It describes the task as it is now, but
// with the state that the delivery reports.
func (n *Notifier) body(ctx context.Context, hook outbox.Webhook, d outbox.Delivery) ([]byte, error) {
	base := cmp.Or(n.publicURL, hook.Origin)
	if d.TaskID == 0 {
		return json.Marshal(testNotice(base, d))
	}
	if d.NoteID != 0 || d.GuestID != 0 {
		said, err := n.remark(ctx, d)
		said.Delivery, said.ID, said.Page = d.Name, d.TaskID, base+"/tasks/"+strconv.FormatInt(d.TaskID, 10)+"/notes"
		if err != nil {
			return nil, err
		}
		return json.Marshal(said)
	}
	t, err := n.store.Tasks.Task(ctx, d.TaskID)
	if err != nil {
		return nil, err
	}
	return json.Marshal(noticeOf(t, d, base))
}

// remark returns what the delivery tells of a note or an answer, as it is now.
func (n *Notifier) remark(ctx context.Context, d outbox.Delivery) (remark, error) {
	if d.NoteID != 0 {
		note, err := n.store.Notes.Note(ctx, d.NoteID)
		at := float64(note.At) / 1000
		return remark{Event: "note", Author: note.Author.Name, Guest: note.Author.IsGuest(), Body: note.Body, At: &at, CreatedAt: note.CreatedAt}, err
	}
	given, err := n.store.Guests.VerdictsBy(ctx, d.GuestID)
	v := given[d.TaskID]
	answer := string(v.Answer)
	return remark{Event: "answer", Author: v.Guest.Name, Guest: true, Body: v.Body, Answer: &answer, CreatedAt: v.ChangedAt}, err
}

func noticeOf(t db.Task, d outbox.Delivery, base string) notice {
	body := notice{
		Delivery: d.Name, ID: t.ID, State: string(d.State), Scene: t.Scene, Model: t.Model, Prompt: t.Prompt,
		Credits:   noticeAmount{known(t.Quoted), known(t.Charged), known(t.Returned)},
		Page:      base + "/tasks/" + strconv.FormatInt(t.ID, 10),
		CreatedAt: t.CreatedAt, DoneAt: d.CreatedAt,
	}
	if d.State != db.Success {
		body.Message = t.Message
		return body
	}
	if video, ok := t.Video(); ok {
		address := base + "/media/" + strconv.FormatInt(video.ID, 10)
		body.Media = &address
	}
	for _, r := range t.Results {
		if r.Kind == db.Video {
			body.Source = &r.URL
			break
		}
	}
	return body
}

// testNotice returns a notice that looks like one of a finished video.
func testNotice(base string, d outbox.Delivery) notice {
	return notice{
		Delivery: d.Name, Test: true, State: string(db.Success), Scene: "text-to-video", Model: "seedance-2.0",
		Prompt: testPrompt, Page: base + "/settings#webhook", CreatedAt: d.CreatedAt, DoneAt: d.CreatedAt,
	}
}

func known(c db.Credits) *float64 {
	if !c.Known {
		return nil
	}
	return &c.Amount
}
