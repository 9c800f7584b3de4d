package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"dailies/db"
	"dailies/db/store"
	"dailies/web/fetch"
)

// A Notifier tells people's own programs how their videos ended: it posts what
// waits for their webhooks, again and again with growing pauses until it
// arrives or is given up. What waits is in the database.
type Notifier struct {
	store     *store.Store
	vault     *db.Vault
	client    *http.Client
	publicURL string
	log       *slog.Logger
	owner     string // of the leases
}

// NewNotifier returns a notifier that posts with the client, which should be
// guarded and trust no host. publicURL is the address at which others reach the
// app, or empty where nobody has said.
func NewNotifier(s *store.Store, vault *db.Vault, client *http.Client, publicURL string, log *slog.Logger) *Notifier {
	posts := *client
	// Only the address that the person named is told: an answer that points
	// elsewhere is a failure.
	posts.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Notifier{s, vault, &posts, publicURL, log, s.Process()}
}

const (
	atOnceNotices = 16 // at most, each to another person

	// A receiver must answer within this time. The lease outlasts it.
	noticeTimeout = 10 * time.Second
	noticeLease   = 30 * time.Second
)

// Run works until ctx ends. A post that the end cuts off is made again after
// the next start.
func (n *Notifier) Run(ctx context.Context) error {
	var working sync.WaitGroup
	defer working.Wait()
	slots := make(chan struct{}, atOnceNotices)
	look := time.NewTicker(idle)
	defer look.Stop()
	for {
		due, err := n.claim(ctx, atOnceNotices-len(slots))
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

func (n *Notifier) claim(ctx context.Context, limit int) ([]db.Delivery, error) {
	if limit <= 0 {
		return nil, nil
	}
	now := n.store.Now()
	return n.store.ClaimDeliveries(ctx, n.owner, now, now.Add(noticeLease), limit)
}

// deliver makes one try and writes down what became of it.
func (n *Notifier) deliver(ctx context.Context, d db.Delivery) {
	status, problem, err := n.try(ctx, d)
	if ctx.Err() != nil {
		return // the program stops; the receiver is not to blame
	}
	if err == nil {
		d.Deliver(status, problem, n.store.Now())
		err = n.store.SettleDelivery(context.WithoutCancel(ctx), n.owner, d)
	}
	if err != nil && !errors.Is(err, db.ErrConflict) { // deleted meanwhile: nothing to write down
		n.log.Error("a notice could not be handled; it will be tried again", "delivery", d.Name, "err", err)
	}
}

// try posts the notice. The status is 0 where no answer came; problem is for
// the person, empty if the receiver has it; err is trouble of our own.
func (n *Notifier) try(ctx context.Context, d db.Delivery) (status int, problem string, err error) {
	hook, err := n.store.Webhook(ctx, d.UserID)
	if errors.Is(err, db.ErrNotFound) {
		return 0, "There is no webhook.", nil
	}
	if err != nil {
		return 0, "", err
	}
	secret, err := n.vault.Open(hook.UserID, hook.Sealed)
	if err != nil {
		return 0, "The signing secret does not open. Please make a new one.", nil
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
		return 0, "Its address cannot be used."
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Dailies")
	r.Header.Set("Dailies-Delivery", name)
	r.Header.Set("Dailies-Signature", db.Sign(secret, db.Now(), body))
	answer, err := n.client.Do(r)
	switch {
	case fetch.Refused(err):
		return 0, "Its address is private, and this server does not call private addresses."
	case errors.Is(err, context.DeadlineExceeded):
		return 0, "It did not answer within 10 seconds."
	case err != nil:
		return 0, "It could not be reached." // the error would name the address
	}
	defer answer.Body.Close()
	_, _ = io.CopyN(io.Discard, answer.Body, 64<<10) // lets the connection be used again
	if answer.StatusCode/100 != 2 {
		return answer.StatusCode, fmt.Sprintf("It answered with HTTP %d.", answer.StatusCode)
	}
	return answer.StatusCode, ""
}
