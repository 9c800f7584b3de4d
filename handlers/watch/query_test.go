package watch_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/team"
	"dailies/views/part"
)

// listen counts the calls to the path by the key in their header.
func (b *bench) listen(path string) (keys func() map[string]int) {
	var mu sync.Mutex
	seen := map[string]int{}
	b.line.setAlways(func(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
		if r.URL.Path == path {
			mu.Lock()
			seen[r.Header.Get("Authorization")]++
			mu.Unlock()
		}
		return through()
	})
	return func() map[string]int {
		mu.Lock()
		defer mu.Unlock()
		copied := map[string]int{}
		for k, n := range seen {
			copied[k] = n
		}
		return copied
	}
}

func TestVideoIsFollowedToItsEndWithTheKeyItWasSentWith(t *testing.T) {
	for name, change := range map[string]func(b *bench, t *testing.T){
		"the key is deleted":  func(b *bench, t *testing.T) { must(t, b.store.Keys.DeleteKey(t.Context(), 1)) },
		"the key is replaced": func(b *bench, t *testing.T) { b.giveKey(t, b.otherKey(t)) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			keys := b.listen(ask)
			b.fail(ask, says(200, `{"code":0,"data":{"status":"processing"}}`), says(200, `{"code":0,"data":{"status":"processing"}}`))
			stop := b.start(t)
			id := b.add(t, "a boat #slow")
			b.until(t, id, "taken", func(t db.Task) bool { return t.RemoteID != "" })
			stop()
			change(b, t)
			// The links have expired too; the fresh ones are requested with the same
			// key.
			b.fail("/files/", expired, expired)
			b.start(t)
			task := b.until(t, id, "kept", kept)
			if seen := keys(); len(seen) != 1 || seen["Bearer "+b.key] == 0 {
				t.Errorf("asked with %d keys", len(seen))
			}
			if task.RefreshedAt.IsZero() {
				t.Error("no fresh link was asked for")
			}
			if _, err := b.store.Calls.TaskKey(t.Context(), id); !errors.Is(err, db.ErrNotFound) {
				t.Errorf("its key is kept beyond its end: %v", err)
			}
		})
	}
}

func (b *bench) otherKey(t *testing.T) string {
	t.Helper()
	key, err := b.box.NewKey(t.Context(), "somebody else", 1000)
	must(t, err)
	return key
}

// A running video whose key was revoked at the service, or knows nothing of it there, is
// queried with its user's new key, which may belong to the same account there. If the
// service cannot say how the video stands, that is no fault of the key.
func TestARunningVideoIsQueriedWithTheNewKeyIfTheOldOneIsRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		answer fault
		kept   bool
	}{
		"refused":       {says(401, `{"code":-1,"message":"no auth, please sign in"}`), true},
		"no permission": {says(200, `{"code":-1,"message":"no permission"}`), true},
		"unknown":       {says(200, `{"code":-1,"message":"task not found"}`), true},
		"busy":          {says(429, html), false},
		"out of order":  {says(200, `{"code":-1,"message":"fetch failed"}`), false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				old := b.key
				b.line.setAlways(func(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
					if r.URL.Path == ask && r.Header.Get("Authorization") == "Bearer "+old {
						return tt.answer(r, through)
					}
					if r.Header.Get("Authorization") == "Bearer sk-new" { // a key of the same account
						r.Header.Set("Authorization", "Bearer "+old)
					}
					return through()
				})
				defer b.start(t)()
				id := b.add(t, "a boat")
				time.Sleep(time.Minute)
				b.giveKey(t, "sk-new")
				time.Sleep(10 * time.Minute)
				if task, _ := b.store.Tasks.Task(t.Context(), id); kept(task) != tt.kept || task.Attempts > 0 == tt.kept {
					t.Errorf("it is %+v", task)
				}
			})
		})
	}
}

func TestAVideoOfSomebodyWithoutAKeyIsRefused(t *testing.T) {
	b := newBench(t)
	b.addBo(t)
	b.start(t)
	task := b.until(t, b.addFor(t, 2, "a boat"), "rejected", in(db.Rejected))
	if task.ErrorKind != db.KeyError || task.Message == "" || b.line.count(create) != 0 {
		t.Errorf("its error is %q, %q, after %d creates", task.ErrorKind, task.Message, b.line.count(create))
	}
}

func TestTheServicesAnswerAboutTheTaskIsShown(t *testing.T) {
	for answer, want := range map[string]struct {
		kind    db.ErrorKind
		message string
	}{
		`{"code":-1,"message":"no permission"}`:  {db.TaskError, "The video service says that this video belongs to another key."},
		`{"code":-1,"message":"task not found"}`: {db.TaskError, "The video service doesn’t know this video."},
		`{"code":-1,"message":"fetch failed"}`:   {db.ServiceError, "The video service couldn’t say how it’s going. It said: fetch failed"},
	} {
		b := newBench(t)
		b.line.setAlways(func(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
			if r.URL.Path == ask {
				return says(200, answer)(r, through)
			}
			return through()
		})
		b.start(t)
		id := b.add(t, "a boat")
		task := b.until(t, id, "asked", func(t db.Task) bool { return t.Attempts > 0 })
		if task.ErrorKind != want.kind || task.Message != want.message || !task.State.Running() {
			t.Errorf("%s: %s, %q, %q", answer, task.State, task.ErrorKind, task.Message)
		}
	}
}

func TestAddressThatComesWithALaterAnswerIsFound(t *testing.T) {
	b := newBench(t)
	nowhere := says(200, `{"code":0,"data":{"status":"success","costCredits":30,"taskInfo":"{\"coverUrl\":\"`+base+`/files/c.jpg\"}"}}`)
	b.fail(ask, nowhere, nowhere, reset, nowhere)
	stop := b.start(t)
	id := b.add(t, "a boat")
	b.until(t, id, "made", func(t db.Task) bool { return t.State == db.Success })
	task := b.until(t, id, "kept", kept)
	stop()
	if _, ok := task.Video(); !ok || task.Message != "" || task.Attempts != 0 {
		t.Errorf("got %+v", task)
	}
}

// The service is busy when it is asked for the address of a finished video.
func TestAnAddressIsAskedForNoSoonerThanTheServiceAllows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.fail(ask, says(200, `{"code":0,"data":{"status":"success"}}`), says(429, html, "Retry-After", "600"))
		defer b.start(t)()
		id := b.add(t, "a boat")
		time.Sleep(9 * time.Minute)
		if task, _ := b.store.Tasks.Task(t.Context(), id); task.State != db.Success || task.Keeping != db.Saving || b.line.count(ask) != 2 {
			t.Errorf("after 9 minutes it is %s, %q, and was asked about %d times", task.State, task.Keeping, b.line.count(ask))
		}
		time.Sleep(3 * time.Minute)
		if task, _ := b.store.Tasks.Task(t.Context(), id); task.Keeping != db.Kept {
			t.Errorf("after 12 minutes it is %q", task.Keeping)
		}
	})
}

// giveTeamKey adds the key as the team's standard key, which users without their own
// key use.
func (b *bench) giveTeamKey(t *testing.T, key string) team.Key {
	t.Helper()
	k := team.Key{Name: "Marketing", Standard: true, Key: secrets.Key{Fingerprint: b.vault.Fingerprint(key), CreatedAt: db.Now()}}
	must(t, b.store.Keys.AddTeamKey(t.Context(), &k, func(o secrets.KeyOwner) []byte { return b.vault.SealFor(o, key) }))
	return k
}

// Kim and Bo use the same team key: their create calls never overlap, and no other
// key is used.
func TestCreatesWithAKeyOfTheTeamNeverOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.addBo(t)
		must(t, b.store.Keys.DeleteKey(t.Context(), 1))
		k := b.giveTeamKey(t, b.key)
		var under, calls, overlaps atomic.Int32
		b.line.setAlways(func(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
			if r.Header.Get("Authorization") != "" && r.Header.Get("Authorization") != "Bearer "+b.key {
				t.Error("another key is seen")
			}
			if r.URL.Path != create {
				return through()
			}
			calls.Add(1)
			if under.Add(1) > 1 {
				overlaps.Add(1)
			}
			defer under.Add(-1)
			time.Sleep(time.Second) // so that calls could overlap
			return through()
		})
		var ids []int64
		for range 4 {
			ids = append(ids, b.addFor(t, 1, "a boat"), b.addFor(t, 2, "a kite"))
		}
		b.start(t)
		for _, id := range ids {
			task := b.until(t, id, "taken", func(t db.Task) bool { return t.RemoteID != "" })
			if task.KeyID != k.TeamKeyID {
				t.Errorf("task %d was sent with key %d", id, task.KeyID)
			}
		}
		if calls.Load() != 8 || overlaps.Load() != 0 {
			t.Errorf("%d of %d creates overlapped", overlaps.Load(), calls.Load())
		}
	})
}

// A running video is queried with the key that it was sent with, whoever owns the
// video now and whatever happened to the key.
func TestAVideoThatChangesHandsIsFollowedWithItsKey(t *testing.T) {
	for name, change := range map[string]func(b *bench, t *testing.T, k team.Key){
		"the team's, which is deleted": func(b *bench, t *testing.T, k team.Key) {
			must(t, b.store.Keys.DeleteTeamKey(t.Context(), k.TeamKeyID, db.Now(), true))
		},
		"its maker's own": func(b *bench, t *testing.T, _ team.Key) { must(t, b.store.Keys.DeleteKey(t.Context(), 1)) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.addBo(t)
			k := b.giveTeamKey(t, b.otherKey(t))
			if name != "its maker's own" {
				must(t, b.store.Keys.DeleteKey(t.Context(), 1))
				must(t, b.store.Keys.ReplaceTeamKey(
					t.Context(),
					secrets.Key{
						TeamKeyID: k.TeamKeyID, Sealed: b.vault.SealFor(k.Owner(), b.key),
						Fingerprint: b.vault.Fingerprint(b.key), CreatedAt: db.Now(),
					},
					false,
				))
			}
			keys := b.listen(ask)
			b.fail(ask, says(200, `{"code":0,"data":{"status":"processing"}}`), says(200, `{"code":0,"data":{"status":"processing"}}`))
			stop := b.start(t)
			id := b.add(t, "a boat #slow")
			b.until(t, id, "taken", func(t db.Task) bool { return t.RemoteID != "" })
			stop()
			b.sql(t, `UPDATE tasks SET user_id = 2, payer_id = 1`)
			change(b, t, k)
			bos := b.otherKey(t)
			must(t, b.store.Keys.PutKey(t.Context(), secrets.Key{
				UserID: 2, Sealed: b.vault.Seal(2, bos), Fingerprint: b.vault.Fingerprint(bos), CreatedAt: db.Now(),
			}))
			b.start(t)
			b.until(t, id, "kept", kept)
			if seen := keys(); len(seen) != 1 || seen["Bearer "+b.key] == 0 {
				t.Errorf("asked with %d keys", len(seen))
			}
		})
	}
}

// answeredAs returns a fault that answers to a query with the status, and with the text as the
// task's taskResult. The record repeats the prompt.
func answeredAs(status, result, prompt string) fault {
	return func(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
		var asked struct {
			TaskID string `json:"taskId"`
		}
		body, _ := io.ReadAll(r.Body)
		if json.Unmarshal(body, &asked) != nil || r.URL.Path != ask {
			r.Body = io.NopCloser(bytes.NewReader(body))
			return through()
		}
		answer, _ := json.Marshal(map[string]any{"code": 0, "message": "ok", "data": map[string]any{
			"id": asked.TaskID, "status": status, "costCredits": 12, "taskResult": result, "prompt": prompt,
			"metadata": map[string]string{"text": prompt},
		}})
		return says(200, string(answer))(r, through)
	}
}

const likeAReason = "A guard is not allowed to leave. The machine failed, and he cannot stop it."

func TestAVideoThatAFilterKeepsBackIsAskedAboutOnceMoreAndEnds(t *testing.T) {
	const why = "We encountered an issue with the audio for your prompt, which means we could not create your video."
	filtered := answeredAs(
		"success", `{"generateVideoResponse":{"raiMediaFilteredCount":1,"raiMediaFilteredReasons":["`+why+`"]}}`, likeAReason,
	)
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.line.always = filtered
		stop := b.start(t)
		id := b.add(t, likeAReason)
		b.until(t, id, "it is filtered", func(t db.Task) bool { return t.Status == "success" })
		stop() // another process goes on
		defer b.start(t)()
		task := b.until(t, id, "it has ended", in(db.Failed))
		asked := b.line.count(ask)
		time.Sleep(time.Hour)
		if n := b.line.count(ask); asked != 2 || n != asked {
			t.Errorf("it is asked about %d times, and later %d times", asked, n)
		}
		if !task.Filtered() || task.Message != why || !task.Charged.Known || task.Returned.Known || task.Cause() != db.BlockedSound {
			t.Errorf("it is %+v", task)
		}
	})
}

func TestALinkThatComesAfterAFilterWasNamedIsTaken(t *testing.T) {
	b := newBench(t)
	b.line.faults[ask] = []fault{answeredAs("success", `{"moderation":{"flagged":true}}`, "a boat")}
	defer b.start(t)()
	if task := b.until(t, b.add(t, "a boat"), "it is kept", kept); task.State != db.Success || task.Message != "" {
		t.Errorf("it is %+v", task)
	}
}

func TestTheReasonOfAFailureIsWhatTheServiceSaysAndNotWhatWasSent(t *testing.T) {
	b := newBench(t)
	b.line.always = answeredAs(
		"failed",
		`{"data":"{\"error\":{\"code\":\"OutputAudioSensitiveContentDetected\",\"text\":\"The request failed because the output audio may contain sensitive information.\"}}"}`,
		likeAReason,
	)
	defer b.start(t)()
	task := b.until(t, b.add(t, likeAReason), "it has failed", in(db.Failed))
	if want := "The request failed because the output audio may contain sensitive information. (OutputAudioSensitiveContentDetected)"; task.Message != want || !task.Returned.Known {
		t.Errorf("it is %+v", task)
	}
}

func TestARefusalThatIsJSONOrHTMLIsReadLikeAReason(t *testing.T) {
	for body, want := range map[string]string{
		`{"code":-1,"message":"{\"error\":{\"message\":\"The picture is too wide for this model.\"},\"prompt\":\"` +
			likeAReason + `\"}"}`: "The picture is too wide for this model.",
		`{"code":-1,"message":{"detail":[{"loc":["body","prompt"],"msg":"The text is longer than we take.","input":"` +
			likeAReason + `"}]}}`: "The text is longer than we take.",
		`{"code":-1,"message":"null","error":{"msg":"Nobody is there to make it."}}`:                    "Nobody is there to make it.",
		`{"code":-1,"message":"<html><head><title>413 Request Entity Too Large</title></head></html>"}`: "413 Request Entity Too Large",
		`{"code":-1,"message":"invalid params"}`:                                                        "invalid params",
	} {
		t.Run(want, func(t *testing.T) {
			b := newBench(t)
			b.line.faults[create] = []fault{says(200, body)}
			defer b.start(t)()
			task := b.until(t, b.add(t, likeAReason), "it is refused", in(db.Rejected))
			if why := part.FailureReason(task); !strings.Contains(task.Message, want) ||
				strings.ContainsAny(why, "{<") || strings.Contains(why, "guard") {
				t.Errorf("it says %q, and the page %q", task.Message, why)
			}
		})
	}
}

func TestAnAnswerThatIsTooLongToReadEndsTheVideoWithASentence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.line.always = func(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
			if r.URL.Path != ask {
				return through()
			}
			return says(200, `{"code":0,"data":{"list":[`+strings.Repeat("12345,", 300_000)+`6],"status":"success"}}`)(r, through)
		}
		defer b.start(t)()
		task := b.until(t, b.add(t, "a boat"), "it has ended", in(db.Failed))
		if !strings.Contains(part.FailureReason(task), "too long to read") || task.Returned.Known || !task.RefundMissing() {
			t.Errorf("%s: %+v", part.FailureReason(task), task)
		}
	})
}

func TestAVeryLongAnswerIsReadWhereItMatters(t *testing.T) {
	b := newBench(t)
	b.line.always = func(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
		resp, err := through()
		if err != nil || r.URL.Path != ask {
			return resp, err
		}
		body, _ := io.ReadAll(resp.Body)
		long := bytes.Replace(body, []byte(`"data":{`), fmt.Appendf(nil, `"data":{"frame":"%s",`, strings.Repeat("QUJD", 500_000)), 1)
		return says(200, string(long))(r, through)
	}
	defer b.start(t)()
	b.until(t, b.add(t, "a boat"), "it is kept", kept)
}
