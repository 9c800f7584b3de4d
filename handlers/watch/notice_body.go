package watch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/review"
	"dailies/views/record"
)

// notice is the JSON body about a video in the earlier format. Unknown values are null.
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

// remark is the JSON body about a note, or about the answer of a guest, in the earlier
// format. The name of a guest is
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

// errUntold is the error of a delivery that may no longer be sent: see outbox.Webhook.MayTell.
// errUnsaid is that of one about a note, or an answer, that its author has deleted.
var (
	errUntold = errors.New("the webhook may not be told of the video")
	errUnsaid = errors.New("what the webhook was to be told of was deleted")
)

// body returns the body of the delivery, in the webhook's format.
func (n *Notifier) body(ctx context.Context, hook outbox.Webhook, d outbox.Delivery) ([]byte, error) {
	base, task := cmp.Or(n.publicURL, hook.Origin), db.Task{}
	if d.TaskID != 0 {
		var err error
		if task, err = n.store.Tasks.Task(ctx, d.TaskID); err != nil {
			return nil, err
		}
		if !hook.MayTell(task) {
			return nil, errUntold
		}
	}
	if hook.Standard {
		data, err := n.data(ctx, base, task, d)
		if err != nil {
			return nil, err
		}
		return json.Marshal(message{d.Event, record.Time(d.CreatedAt), data})
	}
	return n.earlier(ctx, base, task, d)
}

// message is the JSON body of a delivery, as Standard Webhooks has it.
type message struct {
	Type      outbox.Event `json:"type"`
	Timestamp string       `json:"timestamp"`
	Data      any          `json:"data"`
}

// data returns what the message tells. A video is as it is now, but with the state that
// the delivery reports.
func (n *Notifier) data(ctx context.Context, base string, task db.Task, d outbox.Delivery) (any, error) {
	video := record.VideoOf(base, task)
	switch d.Event {
	case outbox.NoteCreated:
		note, err := n.note(ctx, d)
		return map[string]any{"note": record.NoteOf(note), "video": video}, err
	case outbox.VerdictGiven:
		verdict, err := n.verdict(ctx, d)
		return map[string]any{"verdict": record.VerdictOf(verdict), "video": video}, err
	case outbox.LimitAsked:
		ask, err := n.store.Limits.Ask(ctx, d.AskID)
		return map[string]any{"ask": record.AskOf(ask)}, err
	case outbox.TestSent:
		return map[string]any{"message": testPrompt}, nil
	}
	if !task.Filtered() {
		video.State = d.State
	}
	return video, nil
}

// earlier returns the body in the format of webhooks that are not Standard. It describes
// the task as it is now, but with the state that the delivery reports.
func (n *Notifier) earlier(ctx context.Context, base string, task db.Task, d outbox.Delivery) ([]byte, error) {
	switch d.Event {
	case outbox.TestSent:
		return json.Marshal(testNotice(base, d))
	case outbox.NoteCreated, outbox.VerdictGiven:
		said, err := n.remark(ctx, d)
		said.Delivery, said.ID, said.Page = d.Name, d.TaskID, base+"/tasks/"+strconv.FormatInt(d.TaskID, 10)+"/notes"
		if err != nil {
			return nil, err
		}
		return json.Marshal(said)
	}
	return json.Marshal(noticeOf(task, d, base))
}

// note returns the note that the delivery tells of. A note that its author has deleted is not
// told.
func (n *Notifier) note(ctx context.Context, d outbox.Delivery) (review.Note, error) {
	note, err := n.store.Notes.Note(ctx, d.NoteID)
	if err == nil && note.IsGone() {
		err = errUnsaid
	}
	return note, err
}

// verdict returns the answer that the delivery tells of. An answer that was withdrawn is not
// told.
func (n *Notifier) verdict(ctx context.Context, d outbox.Delivery) (review.Verdict, error) {
	given, err := n.store.Guests.VerdictsBy(ctx, d.GuestID)
	verdict, ok := given[d.TaskID]
	if err == nil && !ok {
		err = errUnsaid
	}
	return verdict, err
}

// remark returns what the delivery tells of a note or an answer, as it is now.
func (n *Notifier) remark(ctx context.Context, d outbox.Delivery) (remark, error) {
	if d.NoteID != 0 {
		note, err := n.note(ctx, d)
		at := float64(note.At) / 1000
		return remark{Event: "note", Author: note.Author.Name, Guest: note.Author.IsGuest(), Body: note.Body, At: &at, CreatedAt: note.CreatedAt}, err
	}
	v, err := n.verdict(ctx, d)
	answer := string(v.Answer)
	return remark{Event: "answer", Author: v.Guest.Name, Guest: true, Body: v.Body, Answer: &answer, CreatedAt: v.ChangedAt}, err
}

func noticeOf(t db.Task, d outbox.Delivery, base string) notice {
	body := notice{
		Delivery: d.Name, ID: t.ID, State: string(d.State), Scene: t.Scene, Model: t.Model, Prompt: t.Prompt,
		Credits:   noticeAmount{record.Amount(t.Quoted), record.Amount(t.Charged), record.Amount(t.Returned)},
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
