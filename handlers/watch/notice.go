package watch

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/review"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/views/record"
	"dailies/web/fetch"
)

// A Notifier posts deliveries to webhooks. It retries each with growing pauses until it
// arrives or is given up. Deliveries that wait are in the database.
type Notifier struct {
	store     *store.Store
	vault     *secrets.Vault
	client    *http.Client
	publicURL string
	log       *slog.Logger
	owner     string // of the leases
}

// NewNotifier returns a Notifier that posts with the client, which should refuse
// private addresses and trust no host. publicURL is the URL at which others reach the
// app; empty means unknown.
func NewNotifier(s *store.Store, vault *secrets.Vault, client *http.Client, publicURL string, log *slog.Logger) *Notifier {
	posts := *client
	// Do not follow redirects: a delivery goes only to the URL that the user gave, and
	// a redirect counts as a failure.
	posts.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Notifier{s, vault, &posts, publicURL, log, s.Process()}
}

const (
	maxPosts = 16 // limit of simultaneous posts, each to a different webhook

	// noticeTimeout limits the receiver's answer. It is shorter than the lease.
	noticeTimeout = 10 * time.Second
	noticeLease   = 30 * time.Second
)

// Run works until ctx ends. A post that is interrupted is repeated after the next
// start.
func (n *Notifier) Run(ctx context.Context) error {
	if err := n.store.Webhooks.TellTurnedOff(ctx, n.store.Now()); err != nil && ctx.Err() == nil {
		n.log.Error("owners of webhooks that are off are not told", "err", err)
	}
	var working sync.WaitGroup
	defer working.Wait()
	slots := make(chan struct{}, maxPosts)
	look := time.NewTicker(idle)
	defer look.Stop()
	for {
		due, err := n.claim(ctx, maxPosts-len(slots))
		if err != nil && ctx.Err() == nil {
			n.log.Error("cannot read which deliveries are due", "err", err)
		}
		for _, d := range due {
			slots <- struct{}{}
			working.Go(func() {
				defer func() { <-slots }()
				n.deliver(ctx, d)
			})
		}
		select {
		case <-ctx.Done():
			return nil
		case <-look.C:
		}
	}
}

func (n *Notifier) claim(ctx context.Context, limit int) ([]outbox.Delivery, error) {
	if limit <= 0 {
		return nil, nil
	}
	now := n.store.Now()
	return n.store.Webhooks.ClaimDeliveries(ctx, n.owner, now, now.Add(noticeLease), limit)
}

// deliver makes one attempt and records the result.
func (n *Notifier) deliver(ctx context.Context, d outbox.Delivery) {
	a, err := n.try(ctx, d)
	if ctx.Err() != nil {
		return // the program is stopping; this is no failure of the receiver
	}
	if err == nil {
		a.At = n.store.Now()
		var hook outbox.Webhook
		var paused bool
		hook, paused, err = n.store.Webhooks.SettleDelivery(context.WithoutCancel(ctx), n.owner, d, a)
		switch {
		case paused:
			n.log.Warn("a webhook is paused, because nothing has arrived for more than an hour", "webhook", d.WebhookID)
		case err == nil && hook.State == outbox.Off && a.HTTP == http.StatusGone:
			n.log.Warn("a webhook is turned off, because its receiver has answered that it is gone (410)",
				"webhook", d.WebhookID, "host", hook.Host())
		}
	}
	if err != nil && !errors.Is(err, db.ErrConflict) && !errors.Is(err, db.ErrNotFound) { // it was deleted meanwhile
		n.log.Error("a delivery could not be handled; it will be tried again", "delivery", d.Name, "err", err)
	}
}

// try posts the delivery. The error is a failure on our side.
func (n *Notifier) try(ctx context.Context, d outbox.Delivery) (outbox.Attempt, error) {
	hook, err := n.store.Webhooks.Webhook(ctx, d.WebhookID)
	if err != nil {
		return outbox.Attempt{}, err
	}
	sealed, err := n.store.Webhooks.Secrets(ctx, hook.ID, n.store.Now())
	if err != nil {
		return outbox.Attempt{}, err
	}
	secrets := n.open(hook, sealed)
	if len(secrets) == 0 {
		return outbox.Attempt{Problem: secretUnread}, nil
	}
	body, err := n.body(ctx, hook, d)
	switch {
	case errors.Is(err, errUntold):
		return outbox.Attempt{Problem: notTold, Final: true}, nil
	case errors.Is(err, errUnsaid):
		return outbox.Attempt{Problem: notSaid, Final: true}, nil
	}
	if err != nil {
		return outbox.Attempt{}, err
	}
	return n.post(ctx, hook, sign(secrets, d.Name, body), body), nil
}

// open opens the secrets of the webhook, the present one first: none if that does not open.
func (n *Notifier) open(hook outbox.Webhook, sealed [][]byte) (opened []string) {
	for i, s := range sealed {
		secret, err := n.vault.Open(hook.UserID, s)
		if err != nil && i == 0 {
			return nil
		}
		if err == nil {
			opened = append(opened, secret)
		}
	}
	return opened
}

// sign returns the headers of a post, those of Standard Webhooks, with a signature for each
// of the secrets.
func sign(secrets []string, name string, body []byte) http.Header {
	h, now := http.Header{}, db.Now()
	var signatures []string
	for _, secret := range secrets {
		if s, ok := outbox.Signature(secret, name, now, body); ok {
			signatures = append(signatures, s)
		}
	}
	h.Set("Webhook-Id", name)
	h.Set("Webhook-Timestamp", strconv.FormatInt(now.Unix(), 10))
	h.Set("Webhook-Signature", strings.Join(signatures, " "))
	return h
}

func (n *Notifier) post(ctx context.Context, hook outbox.Webhook, signed http.Header, body []byte) outbox.Attempt {
	ctx, cancel := context.WithTimeout(ctx, noticeTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, hook.Address, bytes.NewReader(body))
	if err != nil {
		return outbox.Attempt{Problem: addressOdd}
	}
	r.Header = signed
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Dailies")
	answer, err := n.client.Do(r)
	switch {
	case fetch.Refused(err):
		return outbox.Attempt{Problem: addressPrivate}
	case errors.Is(err, context.DeadlineExceeded):
		return outbox.Attempt{Problem: addressSilent}
	case err != nil:
		return outbox.Attempt{Problem: addressAway} // the text of err contains the URL
	}
	defer answer.Body.Close()
	_, _ = io.CopyN(io.Discard, answer.Body, 64<<10) // lets the connection be reused
	a := outbox.Attempt{HTTP: answer.StatusCode}
	if answer.StatusCode/100 != 2 {
		a.Problem, a.Wait = answeredWith(answer.StatusCode), fetch.RetryAfter(answer.Header, db.Now(), outbox.LongestQuiet)
	}
	return a
}

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
		request, err := n.store.Limits.CreditRequest(ctx, d.CreditRequestID)
		return map[string]any{"ask": record.CreditRequestOf(request)}, err
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
