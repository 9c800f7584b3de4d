package videoapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"dailies/web/fetch"
)

// A Client calls the service at one base URL. Each call is given its API key,
// because every user has their own.
type Client struct {
	base string
	host string
	http *http.Client
}

// Host returns the name of the service's host, with the port if one is given.
func (c *Client) Host() string { return c.host }

// LongestCreate bounds the duration of a create call. It is very long because
// only the answer, however late, tells whether credits were charged.
const LongestCreate = 10 * time.Minute

// latestSend is how long after the beginning of a create call its request may be sent. A
// process that was suspended for longer in between may have been taken for dead, and the
// task for lost.
const latestSend = time.Minute

const (
	queryPath = "/api/ai/query"

	// noTask is the ID in queries of a task that cannot exist.
	noTask = "dailies-key-check"
)

// queryTimeout bounds a query whose context has no deadline.
const queryTimeout = 30 * time.Second

// NewClient returns a client for the service at base, for example
// "https://example.com". The transport of h may be the sandbox.
func NewClient(base string, h *http.Client) *Client {
	noRedirects := *h
	// Following a redirect could repeat the create call or send the key to
	// another host.
	noRedirects.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c := &Client{base: strings.TrimRight(base, "/"), http: &noRedirects}
	if u, err := url.Parse(base); err == nil {
		c.host = u.Host
	}
	return c
}

// Create asks the service to make a video and returns the task record, whose ID
// is the argument of Query. It never retries a call.
//
// API.md, "Create task": "Credits are checked and deducted during this call."
// Errors are of type *Error. The call begins LongestCreate before the deadline of ctx, or
// now if that is later. If the request cannot be sent within a minute, it is not sent.
func (c *Client) Create(ctx context.Context, key string, r Request) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, LongestCreate)
	defer cancel()
	ends, _ := ctx.Deadline()
	answer, err := c.call(ctx, key, "/api/ai/generate", r, ends.Add(latestSend-LongestCreate))
	if e := new(Error); errors.As(err, &e) && e.Kind == TooLong {
		e.Kind = Transport // whether it was taken is not known
	}
	if err != nil {
		return answer, err
	}
	if answer.Record.ID == "" {
		return answer, &Error{Kind: Transport, HTTP: answer.HTTP, Body: answer.Body, Err: errors.New("the answer carries no task id")}
	}
	return answer, nil
}

// Query returns the current record of the task whose id Create returned.
//
// API.md, "Query task": "data is the same task record with the latest status,
// taskInfo and taskResult." The call takes at most 30 seconds, unless ctx has a
// deadline of its own. Errors are of type *Error.
func (c *Client) Query(ctx context.Context, key, id string) (Answer, error) {
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, queryTimeout)
		defer cancel()
	}
	answer, err := c.call(ctx, key, queryPath, struct {
		TaskID string `json:"taskId"`
	}{id}, time.Time{})
	if err != nil {
		return answer, err
	}
	if got := answer.Record.ID; got != "" && got != id {
		return answer, &Error{Kind: Transport, HTTP: answer.HTTP, Body: answer.Body,
			Err: fmt.Errorf("the answer is about task %q", clip(got))}
	}
	if answer.Record.Status == "" {
		kind := Transport
		if answer.cut {
			kind = TooLong
		}
		return answer, &Error{Kind: kind, HTTP: answer.HTTP, Body: answer.Body, Err: errors.New("the answer carries no status")}
	}
	return answer, nil
}

// ErrUnsaid means that the service answered a check of a key, but did not say whether
// the key is good.
var ErrUnsaid = errors.New("the service does not say whether the key is good")

// CheckKey asks the service whether it accepts the key. This costs nothing,
// because it queries a task that does not exist. A nil error means that the key
// is accepted. A refused key is an *Error of the kind KeyRefused.
func (c *Client) CheckKey(ctx context.Context, key string) error {
	_, err := c.Query(ctx, key, noTask)
	var e *Error
	if errors.As(err, &e) {
		switch {
		case e.Kind == UnknownTask, e.Kind == NoPermission:
			return nil
		case e.Kind == Refused && missesTask(e.Message):
			return nil
		case e.Kind == Refused && e.Message != "":
			return ErrUnsaid
		}
	}
	return err
}

// missesTask reports whether an error's message says that there is no such task. To
// know that, the service must have accepted the key.
func missesTask(message string) bool {
	m := strings.ToLower(message)
	about := strings.Contains(m, "task") || strings.Contains(m, "record")
	return about && slices.ContainsFunc([]string{"not found", "not exist", "no such", "unknown", "null", "invalid"},
		func(words string) bool { return strings.Contains(m, words) })
}

// A timely body refuses to be read after the time latest, so that a request which is sent
// late is not sent as a whole.
type timely struct {
	io.Reader
	latest time.Time // zero for any time
	late   atomic.Bool
}

var errLate = errors.New("it is too late to begin the call")

// Read implements io.Reader.
func (b *timely) Read(p []byte) (int, error) {
	now := time.Now()
	// While the machine sleeps, only its time of day goes on.
	if !b.latest.IsZero() && (now.After(b.latest) || now.Round(0).After(b.latest.Round(0))) {
		b.late.Store(true)
		return 0, errLate
	}
	return b.Reader.Read(p)
}

// call makes a call whose request is sent until the time latest, or at any time if that is
// zero.
func (c *Client) call(ctx context.Context, key, path string, body any, latest time.Time) (Answer, error) {
	payload, err := json.Marshal(body)
	if err != nil {
		return Answer{}, &Error{Kind: Transport, Unsent: true, Err: err}
	}
	var connected atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})
	if !isNetwork(c.http) {
		latest = time.Time{} // what is sent in this process is suspended with it
	}
	sent := &timely{Reader: bytes.NewReader(payload), latest: latest}
	// Without a GetBody, the transport cannot resend the body and create a second task.
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+path, sent)
	if err != nil {
		return Answer{}, &Error{Kind: Transport, Unsent: true, Err: err}
	}
	req.ContentLength = int64(len(payload))
	setHeaders(req, key)
	resp, err := c.http.Do(req)
	if err != nil {
		return Answer{}, &Error{Kind: Transport, Unsent: sent.late.Load() || !connected.Load() && isNetwork(c.http), Err: err}
	}
	defer resp.Body.Close()
	raw, err := readBody(resp.Body, MaxBody, longestText)
	var texts []string
	if r, ok := body.(Request); ok {
		texts = r.Texts()
	}
	return read(resp, raw, err, texts)
}

// setHeaders sets the headers of a call.
func setHeaders(r *http.Request, key string) {
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
}

// isNetwork reports whether calls use real connections. If so, a call that got no
// connection was certainly not sent; with another transport this is unknown.
func isNetwork(h *http.Client) bool {
	if h.Transport == nil {
		return true
	}
	_, ok := h.Transport.(*http.Transport)
	return ok
}

// read converts an HTTP response into an Answer or an *Error, whose message quotes nothing of
// the texts that were sent.
func read(resp *http.Response, raw []byte, readErr error, sent []string) (Answer, error) {
	fault := &Error{Kind: Transport, HTTP: resp.StatusCode, RetryAfter: fetch.RetryAfter(resp.Header, time.Now(), time.Hour)}
	fault.Body = raw
	answer := Answer{HTTP: resp.StatusCode, Body: raw, cut: errors.Is(readErr, errCut)}
	env, err := decodeEnvelope(raw)
	switch {
	case readErr != nil && !errors.Is(readErr, errCut):
		fault.Err = readErr
	case err != nil:
		fault.Err, fault.Kind = err, Transport
		if s := resp.StatusCode; s >= 400 && s < 500 && s != http.StatusRequestTimeout {
			// The request was rejected. Any other status does not tell what happened behind
			// the gateway.
			fault.Message = ReasonIn(string(raw), sent...).String()
			fault.Kind = kindOf(s, fault.Message)
		}
	case env.Code > 0 && (resp.StatusCode >= 500 || resp.StatusCode == http.StatusRequestTimeout):
		// The service's own codes are negative. This is a gateway's answer, which does
		// not tell what happened behind it.
		fault.Message = env.reason(sent)
	case env.Code != 0:
		fault.Message = env.reason(sent)
		fault.Kind = kindOf(resp.StatusCode, env.Message+" "+fault.Message)
	default:
		answer.Record, fault.Err = decodeRecord(env.Data)
		answer.Record.Around = env.Around
		busy := resp.StatusCode == http.StatusTooManyRequests
		if fault.Err == nil && (!busy || answer.Record.ID != "") {
			return answer, nil // a task that is named exists, whatever the status says
		}
		if busy {
			fault.Kind = Busy
		}
	}
	if fault.Kind == Transport && answer.cut && resp.StatusCode == http.StatusOK {
		fault.Kind, fault.Err = TooLong, readErr
	}
	return answer, fault
}

// A Key describes an API key as a console lists it. It does not contain the key
// itself.
//
// API.md: "API keys are created and managed in the service console".
type Key struct {
	ID        int64
	Name      string
	Tail      string    // the key's last four characters; may be empty
	CreatedAt time.Time // UTC
	UsedAt    time.Time // time of the last call with this key; zero before the first
	RevokedAt time.Time // zero while the key is valid
}

// An EntryKind says why a balance changed.
type EntryKind string

// The reasons for which a balance changes.
const (
	Deducted EntryKind = "deducted"
	Refunded EntryKind = "refunded"
	ToppedUp EntryKind = "topped up"
)

// An Entry is one line of an account's ledger.
type Entry struct {
	ID      int64
	Kind    EntryKind
	TaskID  string  // empty if no task caused the change
	Credits float64 // change of the balance: negative when deducted
	Balance float64 // after the change
	At      time.Time
}
