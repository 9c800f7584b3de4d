package watch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/review"
	"dailies/views/record"
)

// errUntold is the error of a delivery that may no longer be sent: see outbox.Webhook.MayTell.
// errUnsaid is that of one about a note, or an answer, that its author has deleted.
var (
	errUntold = errors.New("the webhook may not be told of the video")
	errUnsaid = errors.New("what the webhook was to be told of was deleted")
)

// body returns the body of the delivery.
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
	data, err := n.data(ctx, base, task, d)
	if err != nil {
		return nil, err
	}
	return json.Marshal(message{d.Event, record.Time(d.CreatedAt), data})
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
