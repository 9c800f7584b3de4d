package watch

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/web/fetch"
)

// A Notifier posts notices of videos that have ended to the users' webhooks. It retries a
// notice with growing pauses until it arrives or is given up. Waiting notices are in
// the database.
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
	// Do not follow redirects: a notice goes only to the URL that the user gave, and
	// a redirect counts as a failure.
	posts.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Notifier{s, vault, &posts, publicURL, log, s.Process()}
}

const (
	maxPosts = 16 // limit of simultaneous posts, each to a different user

	// noticeTimeout limits the receiver's answer. It is shorter than the lease.
	noticeTimeout = 10 * time.Second
	noticeLease   = 30 * time.Second
)

// Run works until ctx ends. A post that is interrupted is repeated after the next
// start.
func (n *Notifier) Run(ctx context.Context) error {
	var working sync.WaitGroup
	defer working.Wait()
	slots := make(chan struct{}, maxPosts)
	look := time.NewTicker(idle)
	defer look.Stop()
	for {
		due, err := n.claim(ctx, maxPosts-len(slots))
		if err != nil && ctx.Err() == nil {
			n.log.Error("cannot read which notices are due", "err", err)
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
	status, problem, err := n.try(ctx, d)
	if ctx.Err() != nil {
		return // the program is stopping; this is no failure of the receiver
	}
	if err == nil {
		d.Deliver(status, problem, n.store.Now())
		err = n.store.Webhooks.SettleDelivery(context.WithoutCancel(ctx), n.owner, d)
	}
	if err != nil && !errors.Is(err, db.ErrConflict) { // ErrConflict: it was deleted meanwhile
		n.log.Error("a notice could not be handled; it will be tried again", "delivery", d.Name, "err", err)
	}
}

// try posts the notice. The status is 0 if there was no response. The problem is a
// message for the user, empty if the receiver accepted the notice. The error is a
// failure on our side.
func (n *Notifier) try(ctx context.Context, d outbox.Delivery) (status int, problem string, err error) {
	hook, err := n.store.Webhooks.Webhook(ctx, d.UserID)
	if errors.Is(err, db.ErrNotFound) {
		return 0, noWebhook, nil
	}
	if err != nil {
		return 0, "", err
	}
	secret, err := n.vault.Open(hook.UserID, hook.Sealed)
	if err != nil {
		return 0, secretUnread, nil
	}
	body, err := n.body(ctx, hook, d)
	if err != nil {
		return 0, "", err
	}
	status, problem = n.post(ctx, hook.Address, secret, d.Name, body)
	return status, problem, nil
}

func (n *Notifier) post(ctx context.Context, address, secret, name string, body []byte) (status int, problem string) {
	ctx, cancel := context.WithTimeout(ctx, noticeTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(string(body)))
	if err != nil {
		return 0, addressOdd
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Dailies")
	r.Header.Set("Dailies-Delivery", name)
	r.Header.Set("Dailies-Signature", outbox.Sign(secret, db.Now(), body))
	answer, err := n.client.Do(r)
	switch {
	case fetch.Refused(err):
		return 0, addressPrivate
	case errors.Is(err, context.DeadlineExceeded):
		return 0, addressSilent
	case err != nil:
		return 0, addressAway // the text of err contains the URL
	}
	defer answer.Body.Close()
	_, _ = io.CopyN(io.Discard, answer.Body, 64<<10) // lets the connection be reused
	if answer.StatusCode/100 != 2 {
		return answer.StatusCode, answeredWith(answer.StatusCode)
	}
	return answer.StatusCode, ""
}
