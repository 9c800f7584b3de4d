package watch_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

const (
	hookSecret    = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	earlierSecret = "whsec_of-the-tests"
)

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

// earlier adds a webhook as people had it before the standard format.
func (n *notifierTest) earlier(t *testing.T) {
	t.Helper()
	n.hook(t, "https://hooks.example.com/secret-path", earlierSecret, outbox.Webhook{Events: []outbox.Event{outbox.VideoReady, outbox.VideoFailed, outbox.VideoCanceled, outbox.VideoUnconfirmed}})
}

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

func TestAnEarlierWebhookKeepsItsFormat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNotifierTest(t)
		n.earlier(t)
		id := n.end(t, "failed")
		n.round(t)
		n.round(t)
		if len(n.got) != 1 {
			t.Fatalf("told %d times", len(n.got))
		}
		r, body := n.got[0], n.bodies[0]
		when, _, _ := strings.Cut(strings.TrimPrefix(r.Header.Get("Dailies-Signature"), "t="), ",")
		seconds, err := json.Number(when).Int64()
		must(t, err)
		if want := outbox.Sign(earlierSecret, time.Unix(seconds, 0), []byte(body)); r.Header.Get("Dailies-Signature") != want {
			t.Errorf("signed %q, want %q", r.Header.Get("Dailies-Signature"), want)
		}
		if age := time.Since(time.Unix(seconds, 0)); age < 0 || age > time.Minute {
			t.Errorf("signed %s ago", age)
		}
		if r.Method != "POST" || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Dailies-Delivery") != n.last(t).Name || r.Header.Get("webhook-signature") != "" {
			t.Errorf("%s with %v", r.Method, r.Header)
		}
		var notice map[string]any
		must(t, json.Unmarshal([]byte(body), &notice))
		for name, want := range map[string]any{
			"id": float64(id), "state": "failed", "prompt": "a “boat”", "model": "veo3", "scene": "text-to-video", "message": "too dark",
			"page": "https://dailies.example.com/tasks/1", "media": nil, "test": false, "delivery": n.last(t).Name,
		} {
			if notice[name] != want {
				t.Errorf("%s is %v, want %v", name, notice[name], want)
			}
		}
		if c := notice["credits"].(map[string]any); c["quoted"] != 30.0 || c["charged"] != 30.0 || c["returned"] != 30.0 {
			t.Errorf("credits are %v", c)
		}
		if d := n.last(t); d.Outcome != outbox.Delivered || d.HTTP != 204 || d.Tries != 1 {
			t.Errorf("%+v", d)
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

// A program is told of notes and answers only if its person chose so.
func TestAnEarlierWebhookIsToldOfNotesAndAnswersIfChosen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNotifierTest(t)
		n.earlier(t)
		video, say := n.discussed(t)
		say()
		time.Sleep(3 * time.Minute)
		n.round(t)
		before := len(n.bodies) // the video has ended
		n.Events = append(n.Events, outbox.NoteCreated, outbox.VerdictGiven)
		must(t, n.store.Webhooks.Change(t.Context(), n.Webhook, 1))
		say()
		n.round(t)
		n.round(t)
		got := n.bodies[before:]
		if before != 1 || len(got) != 2 || !strings.Contains(got[0], `"event":"note"`) || !strings.Contains(got[0], `"body":"a “larger” sail","at":2.4,"answer":null`) || !strings.Contains(got[0], `"author":"Mara","guest":true`) ||
			!strings.Contains(got[1], `"event":"answer"`) || !strings.Contains(got[1], `"at":null,"answer":"changes"`) || !strings.Contains(got[1], fmt.Sprintf(`"page":"https://dailies.example.com/tasks/%d/notes"`, video.ID)) {
			t.Errorf("told %d times before: %q", before, got)
		}
	})
}
