package videoapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"dailies/db/option"
	"dailies/web/videoapi"
)

const key = "sk-secret"

// answering returns a client of a service that always gives the same answer.
func answering(t *testing.T, status int, body string, headers ...string) *videoapi.Client {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return videoapi.NewClient(s.URL, s.Client())
}

func TestCreateSendsTheDocumentedRequest(t *testing.T) {
	yes, seed := true, int64(-1)
	var got map[string]any
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != "/api/ai/generate" || r.Header.Get("Authorization") != "Bearer "+key || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
		}
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(w, `{"code":0,"message":"ok","data":{"id":"a","mediaType":"video","scene":"frames-to-video","model":"m","status":"pending","taskId":"up","costCredits":30}}`)
	}))
	defer s.Close()
	a, err := videoapi.NewClient(s.URL+"/", s.Client()).Create(t.Context(), key, videoapi.Request{
		MediaType: videoapi.MediaType, Scene: videoapi.FramesToVideo, Model: "m", Prompt: "p",
		Options: videoapi.Options{Mode: "frames-to-video", Values: option.Values{Duration: 5, Seed: &seed, Audio: &yes}, ImageInput: []string{"https://a", "https://b"}, FixedLens: &yes, HasAudio: &yes},
	})
	if err != nil {
		t.Fatal(err)
	}
	if r := a.Record; r.ID != "a" || r.TaskID != "up" || r.Status != videoapi.Pending || r.Cost != 30 || !r.HasCost {
		t.Errorf("record %+v", r)
	}
	want := `{"mediaType":"video","model":"m","options":{"duration":5,"fixed_lens":true,"generate_audio":true,"has_audio":true,"image_input":["https://a","https://b"],"mode":"frames-to-video","seed":-1},"prompt":"p","scene":"frames-to-video"}`
	if b, _ := json.Marshal(got); string(b) != want {
		t.Errorf("sent %s", b)
	}
}

func TestRecordsAreReadInEveryEncoding(t *testing.T) {
	for name, tt := range map[string]struct{ body, status string }{
		"plain":               {`{"code":0,"message":"ok","data":{"id":"1","status":"success","costCredits":6}}`, "success"},
		"numbers as text":     {`{"code":"0","data":{"id":"1","status":"SUCCESS ","costCredits":"6"}}`, "success"},
		"text as numbers":     {`{"code":0,"message":7,"data":{"id":1,"status":"pending","costCredits":6.0}}`, "pending"},
		"record as text":      {`{"code":0,"data":"{\"id\":\"1\",\"status\":\"failed\",\"costCredits\":6}"}`, "failed"},
		"object for the info": {`{"code":0,"data":{"id":"1","status":"success","costCredits":6,"taskInfo":{"videos":[]},"taskResult":null}}`, "success"},
		"unknown status":      {`{"code":0,"data":{"id":"1","status":"moderation","costCredits":6,"more":{"x":[1]}}}`, "moderation"},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := answering(t, 200, tt.body).Query(t.Context(), key, "1")
			if err != nil {
				t.Fatal(err)
			}
			if r := a.Record; string(r.Status) != tt.status || r.Cost != 6 || r.ID != "1" || string(a.Body) != tt.body {
				t.Errorf("got %+v", r)
			}
		})
	}
}

func TestErrorsAreClassified(t *testing.T) {
	const html = "<html><body>502 Bad Gateway</body></html>"
	for name, tt := range map[string]struct {
		status int
		body   string
		want   videoapi.Kind
	}{
		"bad key":              {200, `{"code":-1,"message":"no auth, please sign in"}`, videoapi.KeyRefused},
		"bad key by status":    {401, html, videoapi.KeyRefused},
		"no credits":           {200, `{"code":-1,"message":"Insufficient credits, 2 < 6"}`, videoapi.NoCredits},
		"unknown task":         {200, `{"code":-1,"message":"task not found"}`, videoapi.UnknownTask},
		"somebody else's":      {200, `{"code":-1,"message":"no permission"}`, videoapi.NoPermission},
		"refused":              {200, `{"code":-1,"message":"invalid params"}`, videoapi.Refused},
		"refused as 400":       {400, `{"code":-7,"message":"invalid scene"}`, videoapi.Refused},
		"fails there":          {500, `{"code":-1,"message":"generate video failed: x"}`, videoapi.Refused},
		"busy":                 {429, html, videoapi.Busy},
		"busy in JSON":         {429, `{"code":-1,"message":"slow down"}`, videoapi.Busy},
		"busy with code 0":     {429, `{"code":0,"message":"ok","data":{}}`, videoapi.Busy},
		"no credits by status": {402, html, videoapi.NoCredits},
		"gave up waiting":      {408, html, videoapi.Transport},
		"gateway in JSON":      {504, `{"code":504,"message":"Gateway Timeout"}`, videoapi.Transport},
		"gateway":              {502, html, videoapi.Transport},
		"page with 200":        {200, html, videoapi.Transport},
		"cut":                  {200, `{"code":0,"message":"ok","data":{"id":"1","sta`, videoapi.Transport},
		"empty":                {200, ``, videoapi.Transport},
		"null":                 {200, `null`, videoapi.Transport},
		"list":                 {200, `[]`, videoapi.Transport},
		"no code":              {200, `{"data":{"id":"1","status":"success"}}`, videoapi.Transport},
		"no data":              {200, `{"code":0,"message":"ok"}`, videoapi.Transport},
		"data null":            {200, `{"code":0,"message":"ok","data":null}`, videoapi.Transport},
		"another task":         {200, `{"code":0,"data":{"id":"2","status":"success"}}`, videoapi.Transport},
		"no status":            {200, `{"code":0,"data":{"id":"1"}}`, videoapi.Transport},
		"too long":             {200, `{"code":0,"data":{"id":"1","x":[` + strings.Repeat("123,", 1<<20) + `4],"status":"success"}}`, videoapi.TooLong},
		"a long page":          {200, html + strings.Repeat("x", 2<<20), videoapi.Transport},
		"a long error":         {200, `{"code":-1,"x":"` + strings.Repeat("x", 2<<20) + `","message":"task not found"}`, videoapi.UnknownTask},
		"deep":                 {200, strings.Repeat("[", 100_000), videoapi.Transport},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := answering(t, tt.status, tt.body).Query(t.Context(), key, "1")
			var e *videoapi.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v", err)
			}
			if e.Kind != tt.want || e.HTTP != tt.status || len(e.Body) > videoapi.MaxBody || e.Unsent {
				t.Errorf("got %v (%v), want %v", e.Kind, e, tt.want)
			}
			if strings.Contains(e.Error(), key) {
				t.Error("the error tells the key")
			}
		})
	}
}

func TestMessagesAreBounded(t *testing.T) {
	_, err := answering(t, 200, `{"code":-1,"message":"`+strings.Repeat("é\\n", 5000)+`"}`).Query(t.Context(), key, "1")
	var e *videoapi.Error
	if !errors.As(err, &e) || len(e.Message) > videoapi.MaxMessage || strings.Contains(e.Message, "\n") {
		t.Errorf("got %v", err)
	}
}

func TestRetryAfterIsReadInBothForms(t *testing.T) {
	for header, want := range map[string]time.Duration{"7": 7 * time.Second, "-3": 0, "soon": 0, "99999999999999999999": time.Hour, "99999999": time.Hour, "Wed, 21 Oct 2015 07:28:00 GMT": 0, "Wed, 21 Oct 2099 07:28:00 GMT": time.Hour} {
		_, err := answering(t, 429, "", "Retry-After", header).Query(t.Context(), key, "1")
		var e *videoapi.Error
		if !errors.As(err, &e) || e.RetryAfter != want {
			t.Errorf("%q: got %v, want %v", header, e.RetryAfter, want)
		}
	}
	soon := time.Now().Add(20 * time.Minute).UTC().Format(http.TimeFormat)
	_, err := answering(t, 429, "", "Retry-After", soon).Query(t.Context(), key, "1")
	var e *videoapi.Error
	if !errors.As(err, &e) || e.RetryAfter < 19*time.Minute || e.RetryAfter > 20*time.Minute {
		t.Errorf("in 20 minutes: got %v", e.RetryAfter)
	}
}

func TestCreateKnowsWhetherItWasSent(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Read(make([]byte, 100))
			c.Close() // the request was received, but is never answered
		}
	}()
	client := videoapi.NewClient("http://"+l.Addr().String(), &http.Client{Transport: &http.Transport{}})
	var e *videoapi.Error
	if _, err := client.Create(t.Context(), key, videoapi.Request{}); !errors.As(err, &e) || e.Kind != videoapi.Transport || e.Unsent {
		t.Errorf("cut off: got %+v", e)
	}
	l.Close()
	if _, err := client.Create(t.Context(), key, videoapi.Request{}); !errors.As(err, &e) || !e.Unsent {
		t.Errorf("nobody there: got %+v", e)
	}
}

func TestCreateIsNeverRepeated(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		var calls atomic.Int32
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			calls.Add(1)
			if r.URL.Path == "/api/ai/generate" {
				http.Redirect(w, r, "/elsewhere", status)
			}
		}))
		_, err := videoapi.NewClient(s.URL, s.Client()).Create(t.Context(), key, videoapi.Request{})
		s.Close()
		if err == nil || calls.Load() != 1 {
			t.Errorf("%d: %d calls, %v", status, calls.Load(), err)
		}
	}
}

// A process was suspended for two minutes between the beginning of the call and the moment
// at which it is sent. Others may have taken it for dead meanwhile.
func TestACallThatBeginsTooLateIsNotSent(t *testing.T) {
	var bodies atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err == nil {
			bodies.Add(1)
		}
	}))
	defer s.Close()
	client := videoapi.NewClient(s.URL, s.Client())
	for ago, sent := range map[time.Duration]int32{30 * time.Second: 1, 2 * time.Minute: 0} {
		bodies.Store(0)
		ctx, stop := context.WithTimeout(t.Context(), videoapi.LongestCreate-ago)
		_, err := client.Create(ctx, key, videoapi.Request{Prompt: "p"})
		stop()
		var e *videoapi.Error
		if !errors.As(err, &e) || e.Unsent != (sent == 0) || bodies.Load() != sent {
			t.Errorf("after %v it is sent %d times: %v", ago, bodies.Load(), err)
		}
	}
}

func TestCreateNeedsAnID(t *testing.T) {
	_, err := answering(t, 200, `{"code":0,"data":{"status":"pending","costCredits":30}}`).Create(t.Context(), key, videoapi.Request{})
	var e *videoapi.Error
	if !errors.As(err, &e) || e.Kind != videoapi.Transport || e.Unsent || len(e.Body) == 0 {
		t.Errorf("got %v", err)
	}
}

// At most MaxBody bytes of an answer are read.
func TestEndlessAnswersAreCutOff(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		chunk := make([]byte, 64<<10)
		for r.Context().Err() == nil {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}))
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	_, err := videoapi.NewClient(s.URL, s.Client()).Query(ctx, key, "1")
	var e *videoapi.Error
	if !errors.As(err, &e) || e.Kind != videoapi.Transport || len(e.Body) != videoapi.MaxBody || ctx.Err() != nil {
		t.Errorf("got %v, %v", err, ctx.Err())
	}
}

func TestAnAnswerOfTheGreatestLengthIsRead(t *testing.T) {
	answer := `{"code":0,"data":{"status":"processing"}}`
	for _, more := range []int{0, 1, 1 << 20} {
		got, err := answering(t, 200, answer+strings.Repeat(" ", videoapi.MaxBody-len(answer)+more)).Query(t.Context(), key, "1")
		if err != nil || got.Record.Status != videoapi.Processing {
			t.Errorf("with %d bytes more: %v", more, err)
		}
	}
}

// stalled is a transport that never answers.
type stalled struct{}

func (stalled) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestCallsTimeOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := videoapi.NewClient("http://service.invalid", &http.Client{Transport: stalled{}})
		began := time.Now()
		if _, err := client.Query(context.Background(), key, "1"); err == nil || time.Since(began) != 30*time.Second {
			t.Errorf("a question took %v, %v", time.Since(began), err)
		}
		began = time.Now()
		if _, err := client.Create(context.Background(), key, videoapi.Request{}); err == nil || time.Since(began) != 10*time.Minute {
			t.Errorf("a create took %v, %v", time.Since(began), err)
		}
	})
}

func TestKeyIsChecked(t *testing.T) {
	for body, ok := range map[string]bool{
		`{"code":-1,"message":"task not found"}`:          true,
		`{"code":-1,"message":"no permission"}`:           true,
		`{"code":-1,"message":"recordInfo is null"}`:      true,
		`{"code":-1,"message":"Invalid taskId"}`:          true,
		`{"code":-1,"message":"invalid params"}`:          false,
		`{"code":-1,"message":"fetch failed"}`:            false,
		`{"code":-1,"message":"no auth, please sign in"}`: false,
		`<html>`: false,
	} {
		if err := answering(t, 200, body).CheckKey(t.Context(), key); (err == nil) != ok {
			t.Errorf("%s: got %v", body, err)
		}
	}
	if err := answering(t, 200, `{"code":-1,"message":"fetch failed"}`).CheckKey(t.Context(), key); !errors.Is(err, videoapi.ErrUnsaid) {
		t.Errorf("a service that does not say it: got %v", err)
	}
	if err := answering(t, 404, "<html>").CheckKey(t.Context(), key); err == nil {
		t.Error("a page that is not there accepted the key")
	}
}

// Implausible numbers in an answer are ignored or clamped.
func TestNumbersOfTheServiceAreBounded(t *testing.T) {
	for cost, want := range map[string]float64{"30": 30, `"4.5"`: 4.5, "0": 0, "-5": -1, "1e300": -1, `"1e300"`: -1, "1e10": -1, `"NaN"`: -1, `"Inf"`: -1, `"-Inf"`: -1, "null": -1} {
		a, err := answering(t, 200, `{"code":0,"data":{"id":"1","status":"pending","costCredits":`+cost+`}}`).Query(t.Context(), key, "1")
		if got := a.Record; err != nil || got.HasCost != (want >= 0) || got.HasCost && got.Cost != want {
			t.Errorf("%s credits: got %v, %v, %v", cost, got.Cost, got.HasCost, err)
		}
	}
	for progress, want := range map[string]float64{"0.5": 0.5, "1": 1, "2": 0.02, "50": 0.5, `"50%"`: 0.5, "-3": 0, "1e300": 1, `"Inf"`: 0, `"-Infinity"`: 0, `"NaN"`: 0} {
		a, err := answering(t, 200, `{"code":0,"data":{"id":"1","status":"pending","progress":`+progress+`}}`).Query(t.Context(), key, "1")
		if got := a.Record.Progress; err != nil || got != want {
			t.Errorf("progress %s: got %v, %v", progress, got, err)
		}
	}
	a, err := answering(t, 200, `{"code":0,"data":{"id":"1","status":"`+strings.Repeat("é", 100_000)+`"}}`).Query(t.Context(), key, "1")
	if len(a.Record.Status) > 64 || a.Record.Status == "" || err != nil {
		t.Errorf("a status of %d bytes, %v", len(a.Record.Status), err)
	}
	if _, err := answering(t, 200, `{"code":1e300,"message":"no"}`).Query(t.Context(), key, "1"); err == nil {
		t.Error("an impossible code is no error")
	}
}

func FuzzEnvelope(f *testing.F) {
	f.Add(200, []byte(`{"code":0,"message":"ok","data":{"id":"1","status":"success","costCredits":"3","progress":"42%"}}`))
	f.Add(200, []byte(`{"code":0,"data":{"id":"1","status":"pending","costCredits":1e300,"progress":"-Inf"}}`))
	f.Add(429, []byte(`{"code":"-1","message":{"a":[]}}`))
	f.Add(502, []byte("<html>"))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if status < 200 || status > 599 {
			return
		}
		client := videoapi.NewClient("http://service.invalid", &http.Client{Transport: fixed{status, body}})
		a, err := client.Query(t.Context(), key, "1")
		var e *videoapi.Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("an error of another type: %v", err)
		}
		r := a.Record
		if r.Cost < 0 || r.Cost > 1e9 || len(r.Status) > 64 || math.Signbit(r.Progress) || math.IsNaN(r.Progress) || e != nil && (e.RetryAfter < 0 || e.RetryAfter > time.Hour) {
			t.Fatalf("out of bounds: %+v, %v", r, err)
		}
		if err == nil && (a.Record.Status == "" || a.Record.Progress < 0 || a.Record.Progress > 1) {
			t.Fatalf("accepted %+v", a.Record)
		}
	})
}

// fixed is a transport that always gives the same answer, without a network.
type fixed struct {
	status int
	body   []byte
}

func (f fixed) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	w.WriteHeader(f.status)
	_, _ = w.Write(f.body)
	return w.Result(), nil
}

// watched is a transport that passes each request to the function and then fails.
type watched func(*http.Request)

func (w watched) RoundTrip(r *http.Request) (*http.Response, error) {
	w(r)
	return nil, errors.New("nothing is here")
}

// With GetBody set, a transport may resend the body and thereby create a second
// video.
func TestNoTransportCanRepeatTheCreateCall(t *testing.T) {
	var got *http.Request
	c := videoapi.NewClient("https://example.com", &http.Client{Transport: watched(func(r *http.Request) { got = r })})
	_, err := c.Create(t.Context(), key, videoapi.Request{})
	if err == nil || got == nil || got.GetBody != nil {
		t.Errorf("%v, %+v", err, got)
	}
	// A custom transport may have sent the request before it failed, so Unsent
	// must not be set.
	var e *videoapi.Error
	if !errors.As(err, &e) || e.Unsent {
		t.Errorf("got %v", err)
	}
}

func TestStatusIsNormalisedAndBounded(t *testing.T) {
	for _, word := range []string{strings.Repeat("é", 5000), "In\nReview  \x00 now", " PROCESSING "} {
		body, err := json.Marshal(map[string]any{"code": 0, "data": map[string]any{"status": word}})
		if err != nil {
			t.Fatal(err)
		}
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }))
		answer, err := videoapi.NewClient(s.URL, s.Client()).Query(t.Context(), key, "x")
		s.Close()
		got := string(answer.Record.Status)
		if err != nil || len(got) == 0 || len(got) > 60 || !utf8.ValidString(got) || strings.ContainsAny(got, "\n\x00") || got != strings.ToLower(got) {
			t.Errorf("%.20q became %q, %v", word, got, err)
		}
	}
}
