package watch_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/outbox"
	"dailies/db/review"
	"dailies/db/secrets"
	"dailies/db/spending"
	"dailies/views/record"
)

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
	if r.Method != "POST" || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Dailies-Signature")+r.Header.Get("Dailies-Delivery") != "" {
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
		if len(n.got) != 1 || n.body(t, 0, hookSecret).Data["id"] != float64(open) || h.Failures != 0 || n.last(t).Outcome != outbox.GaveUp || n.last(t).Problem == "" {
			t.Errorf("told %q, then %+v, %+v", n.bodies, n.last(t), h)
		}
	})
}

func TestAProgramIsToldOfNotesDecisionsAndRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNotifierTest(t)
		video, say := n.discussed(t)
		say()
		must(t, n.store.Limits.AddAsk(t.Context(), &spending.Ask{UserID: 1, Credits: 70, Sentence: "Please.", At: db.Now()}))
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
		if said["body"] != "a “larger” sail" || said["at"] != 2400.0 || fmt.Sprint(said["author"]) != "map[guest:true name:Mara]" || note["video"].(map[string]any)["id"] != float64(video.ID) {
			t.Errorf("told %v", note)
		}
		if given := verdict["verdict"].(map[string]any); given["verdict"] != "changes" || given["body"] != "the sail" || verdict["video"].(map[string]any)["state"] != "success" {
			t.Errorf("told %v", verdict)
		}
		if asked := ask["ask"].(map[string]any); asked["credits"] != 70.0 || asked["sentence"] != "Please." || fmt.Sprint(asked["by"]) != "map[id:1 name:Kim]" {
			t.Errorf("told %v", ask)
		}
	})
}

// discussed adds a video that is kept, with a link, and returns what a guest says on it.
func (n *notifierTest) discussed(t *testing.T) (video db.Task, say func()) {
	t.Helper()
	video = keptVideo(t, n.store, 1)
	link := gallery.Share{Token: secrets.NewToken(), TaskID: video.ID, CreatedBy: 1, CreatedAt: db.Now(), ExpiresAt: db.Now().Add(time.Hour), May: gallery.Decide}
	must(t, n.store.Links.AddShare(t.Context(), &link))
	mara := review.Guest{ShareID: link.ID, Token: secrets.NewToken(), Name: "Mara", CreatedAt: db.Now()}
	must(t, n.store.Guests.AddGuest(t.Context(), &mara))
	answer := review.Verdict{TaskID: video.ID, ShareID: link.ID, Guest: mara, Answer: review.Changes, Body: "the sail"}
	return video, func() {
		must(t, n.store.Notes.AddNote(t.Context(), &review.Note{TaskID: video.ID, ShareID: link.ID, Author: mara.Author(), Position: review.Position{At: 2400}, Body: "a “larger” sail", CreatedAt: db.Now()}, nil))
		answer.ChangedAt = db.Now()
		must(t, n.store.Guests.Decide(t.Context(), answer))
		answer.Body += "!" // the same once more would be no news
	}
}
