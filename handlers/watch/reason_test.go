package watch_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db"
	"dailies/views/part"
)

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
			"id": asked.TaskID, "status": status, "costCredits": 12, "taskResult": result, "prompt": prompt, "metadata": map[string]string{"text": prompt},
		}})
		return says(200, string(answer))(r, through)
	}
}

const likeAReason = "A guard is not allowed to leave. The machine failed, and he cannot stop it."

func TestAVideoThatAFilterKeepsBackIsAskedAboutOnceMoreAndEnds(t *testing.T) {
	const why = "We encountered an issue with the audio for your prompt, which means we could not create your video."
	filtered := answeredAs("success", `{"generateVideoResponse":{"raiMediaFilteredCount":1,"raiMediaFilteredReasons":["`+why+`"]}}`, likeAReason)
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
	b.line.always = answeredAs("failed", `{"data":"{\"error\":{\"code\":\"OutputAudioSensitiveContentDetected\",\"text\":\"The request failed because the output audio may contain sensitive information.\"}}"}`, likeAReason)
	defer b.start(t)()
	task := b.until(t, b.add(t, likeAReason), "it has failed", in(db.Failed))
	if want := "The request failed because the output audio may contain sensitive information. (OutputAudioSensitiveContentDetected)"; task.Message != want || !task.Returned.Known {
		t.Errorf("it is %+v", task)
	}
}

func TestARefusalThatIsJSONOrHTMLIsReadLikeAReason(t *testing.T) {
	for body, want := range map[string]string{
		`{"code":-1,"message":"{\"error\":{\"message\":\"The picture is too wide for this model.\"},\"prompt\":\"` + likeAReason + `\"}"}`:    "The picture is too wide for this model.",
		`{"code":-1,"message":{"detail":[{"loc":["body","prompt"],"msg":"The text is longer than we take.","input":"` + likeAReason + `"}]}}`: "The text is longer than we take.",
		`{"code":-1,"message":"null","error":{"msg":"Nobody is there to make it."}}`:                                                          "Nobody is there to make it.",
		`{"code":-1,"message":"<html><head><title>413 Request Entity Too Large</title></head></html>"}`:                                       "413 Request Entity Too Large",
		`{"code":-1,"message":"invalid params"}`: "invalid params",
	} {
		t.Run(want, func(t *testing.T) {
			b := newBench(t)
			b.line.faults[create] = []fault{says(200, body)}
			defer b.start(t)()
			task := b.until(t, b.add(t, likeAReason), "it is refused", in(db.Rejected))
			if why := part.Why(task); !strings.Contains(task.Message, want) || strings.ContainsAny(why, "{<") || strings.Contains(why, "guard") {
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
		if !strings.Contains(part.Why(task), "too long to read") || task.Returned.Known || !task.RefundMissing() {
			t.Errorf("%s: %+v", part.Why(task), task)
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
