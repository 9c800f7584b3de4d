// Package documenttest checks, sentence by sentence, that something answers like the
// service of API.md: the sandbox, and the app to programs that were written for the
// service.
package documenttest

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"dailies/web/videoapi"
)

// A Subject is what is checked.
type Subject struct {
	Base   string
	Client *http.Client
	Key    string        // of an account with plenty of credits
	Poor   func() string // returns the key of an account with 2 credits
	Model  string        // offers every scene, and makes the quick video if no options are given
	Cost   float64       // of that
	Wide   string        // addresses of two pictures
	Tall   string

	Balance  func() float64             // the credits of the account
	Refunded func(videoapi.Record)      // reports an error unless the newest change of the balance returned the credits of the task
	HasSound func(videoapi.Record) bool // whether sound was asked for
	Pause    func()                     // from here on, no videos are made
	// Exact is set if all messages are compared, and not only the words for which programs
	// look. API.md shows none.
	Exact bool
}

// Paths of the two calls.
const (
	Generate = "/api/ai/generate"
	Query    = "/api/ai/query"
)

// A Wire is an envelope whose record is not decoded, for checks of its raw fields.
type Wire struct {
	HTTP    int                        `json:"-"`
	Code    *int                       `json:"code"`
	Message string                     `json:"message"`
	Data    map[string]json.RawMessage `json:"data"`
}

// Text returns a field of the record that must be a JSON string, or missing.
func (a Wire) Text(t testing.TB, name string) (s string) {
	t.Helper()
	if raw, ok := a.Data[name]; ok {
		if err := json.Unmarshal(raw, &s); err != nil {
			t.Errorf("%s is %s, want a string", name, raw)
		}
	}
	return s
}

// Is compares the raw JSON of a field of the record with want.
func (a Wire) Is(t testing.TB, name, want string) {
	t.Helper()
	if got := string(a.Data[name]); got != want {
		t.Errorf("%s is %s, want %s", name, got, want)
	}
}

// a check is a Subject in one test.
type check struct {
	*Subject
	testing.TB
	client *videoapi.Client
	key    string
}

// post sends a body with the key.
func (c check) post(path, body string) Wire {
	c.Helper()
	var a Wire
	a.HTTP = c.send(http.MethodPost, path, body, &a)
	return a
}

// send sends a request, whose answer is decoded if into is not nil, and returns its status.
func (c check) send(method, path, body string, into *Wire) (status int) {
	c.Helper()
	r, err := http.NewRequestWithContext(c.Context(), method, c.Base+path, strings.NewReader(body))
	if err != nil {
		c.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+c.key)
	r.Header.Set("Content-Type", "application/json")
	resp, err := c.Client.Do(r)
	if err != nil {
		c.Fatal(err)
	}
	defer resp.Body.Close()
	if into == nil {
		return resp.StatusCode
	}
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		c.Fatalf("%s %s: %v", method, path, err)
	}
	if into.Code == nil {
		c.Fatalf("%s %s: no code", method, path)
	}
	return resp.StatusCode
}

// refused checks that a call is answered with code -1, without data and with a message that
// contains the words for which programs look. The whole message is compared if it is exact.
func (c check) refused(a Wire, words, exact string) {
	c.Helper()
	if c.Exact {
		words = exact
	}
	if *a.Code != -1 || a.Message == "" || !strings.Contains(a.Message, words) || a.Data != nil {
		c.Errorf("got code %d, message %q, data %v; want -1, %q and none", *a.Code, a.Message, a.Data, words)
	}
}

// accepts returns a check that a create call with the options is accepted.
func accepts(scene videoapi.Scene, model, options string) func(check) {
	return func(c check) {
		c.Helper()
		if a := c.post(Generate, c.body(scene, model, options)); *a.Code != 0 {
			c.Errorf("refused: %s", a.Message)
		}
	}
}

// body returns the body of a create call with the scene, the model and the options. Empty
// arguments mean text to video, the Subject's model, and no options.
func (c check) body(scene videoapi.Scene, model, options string) string {
	return `{"mediaType":"video","scene":"` + string(cmp.Or(scene, videoapi.TextToVideo)) +
		`","model":"` + cmp.Or(model, c.Model) + `","prompt":"A quiet sea","options":` + cmp.Or(options, "{}") + `}`
}

// create makes a video that must be accepted.
func (c check) create(prompt string) videoapi.Record {
	c.Helper()
	return c.createWith(prompt, videoapi.Options{})
}

func (c check) createWith(prompt string, o videoapi.Options) videoapi.Record {
	c.Helper()
	a, err := c.client.Create(c.Context(), c.key, videoapi.Request{
		MediaType: videoapi.MediaType, Scene: videoapi.TextToVideo, Model: c.Model, Prompt: prompt, Options: o,
	})
	if err != nil {
		c.Fatal(err)
	}
	return a.Record
}

// end queries the task until it has ended.
func (c check) end(id string) videoapi.Record {
	c.Helper()
	ctx, stop := context.WithTimeout(c.Context(), 30*time.Second)
	defer stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		a, err := c.client.Query(ctx, c.key, id)
		if err != nil {
			c.Fatal(err)
		}
		switch a.Record.Status {
		case videoapi.Success, videoapi.Failed, videoapi.Canceled:
			return a.Record
		}
		<-tick.C
	}
}
