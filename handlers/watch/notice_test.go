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
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/outbox"
	"dailies/db/review"
	"dailies/db/secrets"
	"dailies/db/spending"
	"dailies/db/store"
	"dailies/db/store/sampletest"
	"dailies/handlers/watch"
	"dailies/views/record"
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
		UserID: 1, FormToken: secrets.NewToken(), Request: db.Request{Scene: "text-to-video", Model: "veo3", Prompt: "a “boat”"},
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

// delivered is a body in the format of Standard Webhooks.
type delivered struct {
	Type, Timestamp string
	Data            map[string]any
}

// got returns the body of the delivery, once its headers are those of Standard Webhooks, with
// a signature by each of the secrets.
func (n *notifierTest) body(t *testing.T, i int, secrets ...string) (d delivered) {
	t.Helper()
	r, body := n.got[i], n.bodies[i]
	seconds, err := strconv.ParseInt(r.Header.Get("webhook-timestamp"), 10, 64)
	must(t, err)
	at := time.Unix(seconds, 0)
	var want []string
	for _, secret := range secrets {
		signature, _ := outbox.Signature(secret, r.Header.Get("webhook-id"), at, []byte(body))
		want = append(want, signature)
	}
	if got := r.Header.Get("webhook-signature"); got != strings.Join(want, " ") || !strings.HasPrefix(got, "v1,") {
		t.Errorf("signed %q, want %q", got, want)
	}
	if r.Method != "POST" || r.Header.Get("Content-Type") != "application/json" ||
		r.Header.Get("Dailies-Signature")+r.Header.Get("Dailies-Delivery") != "" {
		t.Errorf("%s with %v", r.Method, r.Header)
	}
	must(t, json.Unmarshal([]byte(body), &d))
	return d
}

// What a program is told of a video is what the API answers.
func TestADeliveryIsThatOfStandardWebhooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNotifierTest(t)
		id := n.end(t, "failed")
		n.round(t)
		n.round(t)
		if len(n.got) != 1 || n.got[0].Header.Get("webhook-id") != n.last(t).Name {
			t.Fatalf("told %d times", len(n.got))
		}
		d := n.body(t, 0, hookSecret)
		if at := n.got[0].Header.Get("webhook-timestamp"); at != strconv.FormatInt(time.Now().Unix(), 10) {
			t.Errorf("signed at %s", at)
		}
		if d.Type != "video.failed" || d.Timestamp != n.last(t).CreatedAt.UTC().Format(time.RFC3339) {
			t.Errorf("%+v", d)
		}
		task, err := n.store.Tasks.Task(t.Context(), id)
		must(t, err)
		want, err := json.Marshal(record.VideoOf("https://dailies.example.com", task))
		must(t, err)
		if got, err := json.Marshal(d.Data); err != nil || !sameJSON(t, got, want) {
			t.Errorf("told %s, want %s", got, want)
		}
		if d := n.last(t); d.Outcome != outbox.Delivered || d.HTTP != 204 || d.Tries != 1 {
			t.Errorf("%+v", d)
		}
	})
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var one, two any
	must(t, errors.Join(json.Unmarshal(a, &one), json.Unmarshal(b, &two)))
	return reflect.DeepEqual(one, two)
}

// For a day after a new secret there are two signatures, and one afterwards.
func TestTwoSecretsSignForADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNotifierTest(t)
		second := outbox.NewWebhookSecret()
		must(t, n.store.Webhooks.Renew(t.Context(), n.ID, n.vault.Seal(1, second), 1, db.Now()))
		n.end(t, "failed")
		n.round(t)
		time.Sleep(outbox.SecretLife)
		n.end(t, "failed")
		n.round(t)
		n.body(t, 0, second, hookSecret)
		n.body(t, 1, second)
	})
}

func TestARetryAfterIsFollowedAndGoneIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNotifierTest(t)
		n.answers, n.wait = []int{503, 410}, "120"
		n.end(t, "failed")
		n.end(t, "failed")
		n.round(t)
		time.Sleep(2*time.Minute - time.Second)
		n.round(t)
		if len(n.got) != 1 {
			t.Fatalf("called %d times within two minutes", len(n.got))
		}
		time.Sleep(time.Second)
		n.round(t)
		n.end(t, "failed")
		time.Sleep(time.Hour)
		n.round(t)
		h, err := n.store.Webhooks.Webhook(t.Context(), n.ID)
		must(t, err)
		if len(n.got) != 2 || h.State != outbox.Off || h.Waiting != 0 {
			t.Errorf("called %d times, %+v", len(n.got), h)
		}
	})
}

// The team's programs learn nothing of a video that became private before they were told.
func TestTheTeamIsNotToldOfWhatBecamePrivate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNotifierTest(t)
		n.hook(t, "https://hooks.example.com/", hookSecret, outbox.Webhook{Standard: true, State: teams})
		open, private := n.end(t, "failed"), n.end(t, "failed")
		_, err := n.store.Tasks.PrivateTasks(t.Context(), db.User{ID: 1, Role: db.Admin}, []int64{private}, true)
		must(t, err)
		n.round(t)
		n.round(t)
		h, err := n.store.Webhooks.Webhook(t.Context(), n.ID)
		must(t, err)
		if len(n.got) != 1 || n.body(t, 0, hookSecret).Data["id"] != float64(open) || h.Failures != 0 ||
			n.last(t).Outcome != outbox.GaveUp || n.last(t).Problem == "" {
			t.Errorf("told %q, then %+v, %+v", n.bodies, n.last(t), h)
		}
	})
}

func TestAProgramIsToldOfNotesDecisionsAndRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNotifierTest(t)
		video, say := n.discussed(t)
		say()
		must(t, n.store.Limits.AddCreditRequest(t.Context(), &spending.CreditRequest{
			UserID: 1, Credits: 70, Sentence: "Please.", At: db.Now(),
		}))
		time.Sleep(3 * time.Minute)
		for range 4 {
			n.round(t)
		}
		types := map[string]map[string]any{}
		for i := range n.got {
			d := n.body(t, i, hookSecret)
			types[d.Type] = d.Data
		}
		note, verdict, ask := types["note.created"], types["verdict.given"], types["limit.asked"]
		if len(n.got) != 4 || len(types) != 4 {
			t.Fatalf("told %q", n.bodies)
		}
		said := note["note"].(map[string]any)
		if said["body"] != "a “larger” sail" || said["at"] != 2400.0 ||
			fmt.Sprint(said["author"]) != "map[guest:true name:Mara]" || note["video"].(map[string]any)["id"] != float64(video.ID) {
			t.Errorf("told %v", note)
		}
		if given := verdict["verdict"].(map[string]any); given["verdict"] != "changes" || given["body"] != "the sail" ||
			verdict["video"].(map[string]any)["state"] != "success" {
			t.Errorf("told %v", verdict)
		}
		if asked := ask["ask"].(map[string]any); asked["credits"] != 70.0 || asked["sentence"] != "Please." ||
			fmt.Sprint(asked["by"]) != "map[id:1 name:Kim]" {
			t.Errorf("told %v", ask)
		}
	})
}

// discussed adds a video that is kept, with a link, and returns what a guest says on it.
func (n *notifierTest) discussed(t *testing.T) (video db.Task, say func()) {
	t.Helper()
	video = keptVideo(t, n.store, 1)
	link := gallery.Share{
		Token: secrets.NewToken(), TaskID: video.ID, CreatedBy: 1, CreatedAt: db.Now(), ExpiresAt: db.Now().Add(time.Hour),
		May: gallery.Decide,
	}
	must(t, n.store.Links.AddShare(t.Context(), &link))
	mara := review.Guest{ShareID: link.ID, Token: secrets.NewToken(), Name: "Mara", CreatedAt: db.Now()}
	must(t, n.store.Guests.AddGuest(t.Context(), &mara))
	answer := review.Verdict{TaskID: video.ID, ShareID: link.ID, Guest: mara, Answer: review.Changes, Body: "the sail"}
	return video, func() {
		must(t, n.store.Notes.AddNote(
			t.Context(),
			&review.Note{
				TaskID: video.ID, ShareID: link.ID, Author: mara.Author(), Position: review.Position{At: 2400},
				Body: "a “larger” sail", CreatedAt: db.Now(),
			},
			nil,
		))
		answer.ChangedAt = db.Now()
		must(t, n.store.Guests.Decide(t.Context(), answer))
		answer.Body += "!" // the same once more would be no news
	}
}
