package api

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/program"
	"dailies/handlers/form"
	images "dailies/handlers/picture"
	"dailies/handlers/press"
	"dailies/handlers/site"
	"dailies/web"
)

// A Problem is an answer that tells what is wrong (RFC 9457). Programs rely on the code;
// the detail is the sentence that the pages show.
type Problem struct {
	Status int    `json:"status"`
	Title  string `json:"title"` // that of the status
	Code   Code   `json:"code"`
	Detail string `json:"detail"`
	Field  string `json:"field,omitempty"` // of the request's body
	Err    error  `json:"-"`               // for the log
	Wait   int    `json:"-"`               // seconds after which to try again
}

// A Code names a kind of problem.
type Code string

// The codes.
const (
	Unauthorized   Code = "unauthorized"
	Forbidden      Code = "forbidden"
	NotFound       Code = "not_found"
	Invalid        Code = "invalid"
	UnknownField   Code = "unknown_field"
	NoKey          Code = "no_key"
	KeyReused      Code = "key_reused"
	Busy           Code = "busy"
	PriceChanged   Code = "price_changed"
	PriceUnknown   Code = "price_unknown"
	OverQuote      Code = "over_quote"
	LimitReached   Code = "limit_reached"
	NoCredits      Code = "no_credits"
	Refused        Code = "refused"
	PictureRefused Code = "picture_refused"
	Unconfirmed    Code = "unconfirmed"
	Cursor         Code = "cursor"
	TooLarge       Code = "too_large"
	TooMany        Code = "rate"
)

func (p *Problem) Error() string {
	if p.Err != nil {
		return p.Err.Error()
	}
	return p.Detail
}

func (p *Problem) Unwrap() error { return p.Err }

// wrong returns the problem of a field whose value does not do.
func wrong(field, sentence string) *Problem {
	return &Problem{Status: http.StatusUnprocessableEntity, Code: Invalid, Field: field, Detail: sentence}
}

// gone returns the problem of something that does not exist, or that the person may not
// see.
func gone() *Problem {
	return &Problem{Status: http.StatusNotFound, Code: NotFound, Detail: notFound}
}

// problemOf turns any error into the answer for it.
func problemOf(err error) *Problem {
	var p *Problem
	var tooLarge *http.MaxBytesError
	var picture images.ErrPicture
	var over program.CapError
	var unchecked images.ErrUnchecked
	switch {
	case errors.As(err, &unchecked):
		return tooMany(unchecked.Text, unchecked.Wait)
	case errors.As(err, &picture):
		return &Problem{Status: http.StatusUnprocessableEntity, Code: PictureRefused, Detail: picture.Error()}
	case errors.As(err, &p):
		return p
	case errors.As(err, &tooLarge):
		return &Problem{Status: http.StatusRequestEntityTooLarge, Code: TooLarge, Detail: tooLong}
	case errors.Is(err, db.ErrNotFound):
		return gone()
	case errors.As(err, &over):
		return &Problem{Status: http.StatusUnprocessableEntity, Code: LimitReached, Detail: capReached(over.Token)}
	case errors.Is(err, program.ErrStopped):
		return &Problem{Status: http.StatusForbidden, Code: OverQuote, Detail: tokenStopped}
	case errors.Is(err, program.ErrEnded):
		return &Problem{Status: http.StatusUnauthorized, Code: Unauthorized, Detail: noToken}
	case errors.Is(err, db.ErrConflict):
		return &Problem{Status: http.StatusConflict, Code: Busy, Detail: changedMeanwhile, Wait: 1, Err: err}
	}
	e := web.AsError(err)
	unsaved, busy := site.Unsaved(err)
	if busy {
		e = unsaved
	}
	p = &Problem{Status: e.Status, Code: Busy, Detail: e.Message, Err: err}
	switch e.Status {
	case http.StatusServiceUnavailable:
		if busy {
			p.Wait = 10
		}
	case http.StatusNotFound:
		p.Code = NotFound
	case http.StatusBadRequest, http.StatusRequestTimeout:
		p.Code = Invalid
	case http.StatusTooManyRequests:
		p.Code, p.Wait = TooMany, 1
	}
	return p
}

// tooMany returns the problem of something that can be asked for again after the wait.
func tooMany(sentence string, wait time.Duration) *Problem {
	seconds := (wait + time.Second - 1) / time.Second
	return &Problem{Status: http.StatusTooManyRequests, Code: TooMany, Detail: sentence, Wait: max(1, int(seconds))}
}

// problemIn turns what keeps an order from being placed into the answer for it: the first
// reason.
func problemIn(problems site.Problems) *Problem {
	first := problems[0]
	p := wrong(fieldOf(first.Field), cmp.Or(first.Bare, first.Text))
	switch first.Kind {
	case site.NoKey:
		p.Code = NoKey
	case site.Dearer:
		p.Code = PriceChanged
	case site.Short:
		p.Code = NoCredits
	case site.OverLimit:
		p.Code = LimitReached
	case site.BadPicture, site.SlowPicture:
		p.Code = PictureRefused
	case site.UncheckedPicture:
		of := tooMany(p.Detail, first.Wait)
		of.Field = p.Field
		return of
	case site.NotSaved:
		p.Code, p.Status, p.Wait = Busy, http.StatusServiceUnavailable, 10
	case site.LeftCast:
		p.Detail = leftCast
	case site.OtherService:
		p.Code, p.Status = PriceChanged, http.StatusConflict
	}
	return p
}

// fieldOf returns the name in the body of a request of a field of the form.
func fieldOf(name string) string {
	switch name {
	case "", "prompt", "model", "scene", "provider", "title":
		return name
	case press.CastField:
		return "prompt"
	}
	if strings.HasPrefix(name, form.BlankFields) {
		return name
	}
	return fmt.Sprintf("options.%s", name)
}

// send answers with the problem.
func (p *Problem) send(w http.ResponseWriter) error {
	p.Title = http.StatusText(p.Status)
	body, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if p.Wait > 0 {
		w.Header().Set("Retry-After", fmt.Sprint(p.Wait))
	}
	if p.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="Dailies"`)
	}
	return sendBytes(w, p.Status, "application/problem+json", body)
}

// sendJSON answers with the value.
func sendJSON(w http.ResponseWriter, status int, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return sendBytes(w, status, "application/json", body)
}

func sendBytes(w http.ResponseWriter, status int, kind string, body []byte) error {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Length", fmt.Sprint(len(body)))
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may be gone
	return nil
}
