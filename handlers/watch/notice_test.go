package watch_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/db/store/sampletest"
	"dailies/handlers/watch"
	"dailies/web/fetch"
)

const hookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// receiver is the user's program that receives webhook notices.
type receiver struct {
	mu      sync.Mutex
	got     []*http.Request
	bodies  []string
	answers []int  // statuses in order; afterwards 204
	wait    string // asks to wait, with every failure
}

func (r *receiver) RoundTrip(q *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	r.ServeHTTP(w, q)
	return w.Result(), nil
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got, r.bodies = append(r.got, q), append(r.bodies, string(body))
	status := http.StatusNoContent
	if len(r.answers) > 0 {
		status, r.answers = r.answers[0], r.answers[1:]
	}
	w.Header().Set("Location", "http://127.0.0.1:1/elsewhere")
	if status/100 != 2 && r.wait != "" {
		w.Header().Set("Retry-After", r.wait)
	}
	w.WriteHeader(status)
}

// notifierTest is a Notifier with one user, who has a webhook.
type notifierTest struct {
	*watch.Notifier
	*receiver
	outbox.Webhook
	store *store.Store
	vault *secrets.Vault
	log   bytes.Buffer
}

func newNotifierTest(t *testing.T) *notifierTest {
	t.Helper()
	return newNotifierTestIn(t.Context(), t, t.TempDir()+"/dailies.db")
}

// newNotifierTestIn is like newNotifierTest, with a context for the database at the path.
func newNotifierTestIn(ctx context.Context, t *testing.T, path string) *notifierTest {
	t.Helper()
	store := sampletest.OpenIn(ctx, t, path)
	vault, err := secrets.NewVault([]byte("tests"))
	must(t, err)
	n := &notifierTest{receiver: &receiver{}, store: store, vault: vault}
	n.post(&http.Client{Transport: n.receiver}, "https://dailies.example.com")
	must(t, sampletest.AddUser(t, store, &db.User{Name: "Kim", Email: "kim@example.com", Role: db.Admin, CreatedAt: db.Now()}))
	n.hook(t, "https://hooks.example.com/secret-path", hookSecret, outbox.Webhook{Standard: true})
	return n
}

// post creates a Notifier that posts with the client.
func (n *notifierTest) post(client *http.Client, publicURL string) {
	n.Notifier = watch.NewNotifier(n.store, n.vault, client, publicURL, slog.New(slog.NewTextHandler(&n.log, nil)))
}

// hook adds a webhook in place of the one that there is.
func (n *notifierTest) hook(t *testing.T, address, secret string, h outbox.Webhook) outbox.Webhook {
	t.Helper()
	if n.ID != 0 {
		must(t, n.store.Webhooks.Delete(t.Context(), n.ID, 1))
	}
	h.Address, h.Origin, h.CreatedAt = address, "http://house:8080", db.Now()
	if h.Events == nil {
		h.Events = outbox.Events()
	}
	if h.UserID = 1; h.State == teams {
		h.UserID = 0
	}
	must(t, n.store.Webhooks.Add(t.Context(), &h, n.vault.Seal(h.UserID, secret), 1))
	n.Webhook = h
	return h
}

// teams marks a webhook that is to be the team's.
const teams outbox.HookState = "the team's"

// end adds a task and takes it to the status.
func (n *notifierTest) end(t *testing.T, status string) int64 {
	t.Helper()
	task := db.Task{
		UserID: 1, FormToken: secrets.NewToken(), Scene: "text-to-video", Model: "veo3", Prompt: "a “boat”",
		Quoted: db.CreditsOf(30), CreatedAt: db.Now(),
	}
	queue(t, n.store, &task)
	_, err := n.store.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error {
		now := db.Now()
		if err := t.Begin(now); err != nil {
			return err
		}
		answer := db.Report{RemoteID: "r", Status: status, Charged: db.CreditsOf(30), Reason: "too dark"}
		return errors.Join(t.Accept(answer, now, now), t.Report(answer, now, now))
	})
	must(t, err)
	return task.ID
}

// round lets the Notifier run until everything due has been posted. It must be called
// inside a synctest bubble.
func (n *notifierTest) round(t *testing.T) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- n.Run(ctx) }()
	synctest.Wait()
	stop()
	must(t, <-ended)
}

func (n *notifierTest) last(t *testing.T) outbox.Delivery {
	t.Helper()
	all, err := n.store.Webhooks.Deliveries(t.Context(), n.ID, 1)
	must(t, err)
	return all[0]
}

// A webhook with the format from before the standard one is told of nothing, not even of a
// test, whatever its state says: a process of an earlier version may have turned it on.
func TestAnEarlierWebhookIsToldOfNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNotifierTest(t)
		n.hook(t, "https://hooks.example.com/secret-path", hookSecret, outbox.Webhook{})
		n.end(t, "failed")
		n.round(t)
		_, err := n.store.Webhooks.AddTest(t.Context(), n.ID, 1, db.Now())
		if !errors.Is(err, outbox.ErrEarlier) {
			t.Errorf("a test: %v", err)
		}
		must(t, n.store.Webhooks.Sweep(t.Context(), db.Now()))
		h, err := n.store.Webhooks.Webhook(t.Context(), n.ID)
		must(t, err)
		if len(n.got) != 0 || h.State != outbox.Off || n.last(t).Outcome != outbox.GaveUp {
			t.Errorf("called %d times, %+v, %+v", len(n.got), h, n.last(t))
		}
		must(t, n.store.Webhooks.Standardise(t.Context(), n.ID, n.vault.Seal(1, hookSecret), 1))
		n.end(t, "failed")
		n.round(t)
		if len(n.got) != 1 || n.body(t, 0, hookSecret).Type != string(outbox.VideoFailed) {
			t.Errorf("then called %d times", len(n.got))
		}
	})
}

func TestLinksLeadToWhereThePersonCameFromUnlessTheServerKnowsBetter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNotifierTest(t)
		n.post(&http.Client{Transport: n.receiver}, "")
		n.end(t, "canceled")
		n.round(t)
		if !strings.Contains(n.bodies[0], `"page":"http://house:8080/tasks/1"`) {
			t.Errorf("told %s", n.bodies[0])
		}
	})
}

// TestANoticeIsTriedForDays advances the clock through all attempts.
func TestANoticeIsTriedForDays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNotifierTest(t)
		n.answers = []int{500, 302, 404, 500, 500, 500, 500, 500, 500, 500, 500, 500}
		n.end(t, "failed")
		began := time.Now()
		n.round(t)
		for d := n.last(t); !d.NextAt.IsZero(); d = n.last(t) {
			time.Sleep(time.Until(d.NextAt) - time.Millisecond)
			n.round(t)
			if early := n.last(t); early.Tries != d.Tries {
				t.Fatalf("try %d came too early", early.Tries)
			}
			time.Sleep(time.Millisecond)
			n.round(t)
		}
		d := n.last(t)
		h, err := n.store.Webhooks.Webhook(t.Context(), n.ID)
		must(t, err)
		if len(n.got) != 10 || d.Tries != 10 || h.State != outbox.Paused || h.Waiting != 1 || d.Problem != "It answered with HTTP 500." {
			t.Errorf("%d tries: %+v, %+v", len(n.got), d, h)
		}
		if took := time.Since(began); took < 24*time.Hour {
			t.Errorf("given up after %s", took)
		}
		for i, r := range n.got {
			if r.URL.Host != "hooks.example.com" {
				t.Errorf("try %d went to %s", i, r.URL.Host)
			}
			if name := r.Header.Get("webhook-id"); name != d.Name || n.bodies[i] != n.bodies[0] {
				t.Errorf("try %d is another notice", i)
			}
			if i > 0 && r.Header.Get("webhook-signature") == n.got[i-1].Header.Get("webhook-signature") {
				t.Errorf("try %d is signed with an old time", i)
			}
		}
	})
}

func TestAnotherNotifierSendsTheNoticesAfterACrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNotifierTest(t)
		n.end(t, "failed")
		due, err := n.store.Webhooks.ClaimDeliveries(t.Context(), "one that died", db.Now(), db.Now().Add(30*time.Second), 9)
		must(t, err)
		n.round(t)
		if len(due) != 1 || len(n.got) != 0 {
			t.Fatalf("%d claimed, %d sent beside the lease", len(due), len(n.got))
		}
		time.Sleep(31 * time.Second)
		n.round(t)
		if len(n.got) != 1 {
			t.Errorf("sent %d times", len(n.got))
		}
	})
}

func TestAPrivateAddressIsNotCalledAndNothingIsLogged(t *testing.T) {
	inside := &receiver{}
	server := httptest.NewServer(inside)
	defer server.Close()
	synctest.Test(t, func(t *testing.T) {
		n := newNotifierTest(t)
		guarded, err := fetch.NewClient(false, fetch.Trust{})
		must(t, err)
		n.post(guarded, "")
		n.hook(t, server.URL+"/secret-path", hookSecret, outbox.Webhook{Standard: true})
		n.end(t, "failed")
		n.round(t)
		if d := n.last(t); len(inside.got)+len(n.got) != 0 || !strings.Contains(d.Problem, "private") || d.NextAt.IsZero() {
			t.Errorf("%d calls, %+v", len(n.got), d)
		}
		if log := n.log.String(); strings.Contains(log, "secret-path") || strings.Contains(log, hookSecret) {
			t.Errorf("the log says %s", log)
		}
	})
}

func TestATestTellsOfNoVideoAndIsTriedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNotifierTest(t)
		n.answers = []int{500}
		_, err := n.store.Webhooks.AddTest(t.Context(), n.ID, 1, db.Now())
		must(t, err)
		n.round(t)
		if d := n.last(t); d.Outcome != outbox.GaveUp || n.body(t, 0, hookSecret).Type != "test" {
			t.Errorf("%+v: %s", d, n.bodies[0])
		}
	})
}
