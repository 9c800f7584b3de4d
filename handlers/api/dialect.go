package api

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"dailies/db"
	"dailies/handlers/site"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// An envelope is the body of every answer. API.md, "Response envelope (both endpoints)".
type envelope struct {
	Code    int    `json:"code"` // 0 or -1
	Message string `json:"message"`
	Data    *entry `json:"data,omitempty"`
}

// An entry describes a video. API.md, "Task record (data)", with the fields that such
// services add to it.
type entry struct {
	ID          string          `json:"id"`
	MediaType   string          `json:"mediaType"`
	Provider    string          `json:"provider"`
	Scene       string          `json:"scene"`
	Model       string          `json:"model"`
	Prompt      string          `json:"prompt"`
	Status      videoapi.Status `json:"status"`
	Progress    float64         `json:"progress"` // 0 to 1
	TaskID      string          `json:"taskId"`   // the service's ID, the provider upstream of this program; empty until it has answered
	CostCredits float64         `json:"costCredits"`
	TaskInfo    string          `json:"taskInfo,omitempty"`   // JSON text
	TaskResult  string          `json:"taskResult,omitempty"` // JSON text
	CreatedAt   string          `json:"createdAt"`
	UpdatedAt   string          `json:"updatedAt"`
}

// Under /api/ai the program answers like the video service (API.md), so that a program that
// was written for that works here with another address and key: a token. The answers come
// from the database, never from the service.

// Generate handles the call of API.md, "Create task". It waits briefly for the service's
// answer, of which it passes on the task's ID and the charge, or the refusal.
func (a *API) Generate(w http.ResponseWriter, r *http.Request) error {
	key, err := keyOf(r)
	if err != nil {
		return err
	}
	var b call
	sent, err := readCall(w, r, &b)
	if err != nil {
		return err
	}
	return a.makeOnce(w, r, submission{
		key: key, sent: sent, any: true,
		order: func(context.Context) (ordered, error) {
			o, err := b.order(a.catalog, caller(r).User)
			return ordered{Order: o}, err
		},
		allows: allowsUnknown,
		encode: func(tasks []db.Task) (int, []byte, error) {
			e := envelope{Message: "ok", Data: recordOf(tasks[0])}
			if tasks[0].State == db.Rejected {
				e = envelope{Code: -1, Message: said(refusal(tasks[0]))}
			}
			body, err := json.Marshal(e)
			return http.StatusOK, body, err
		},
		send: func(_ int, answer []byte, _ int64) error { return sendEnvelope(w, http.StatusOK, answer) },
	})
}

// allowsUnknown allows every price, and one that is not known if the team's rule does.
func allowsUnknown(p part.Price) error {
	if !p.Credits.Known && p.Budget.NeedsApproval {
		return &Problem{Status: http.StatusUnprocessableEntity, Code: PriceUnknown, Detail: priceNeedsApproval}
	}
	return nil
}

// Query handles the call of API.md, "Query task".
func (a *API) Query(w http.ResponseWriter, r *http.Request) error {
	var b struct {
		TaskID string `json:"taskId"`
	}
	if _, err := readCall(w, r, &b); err != nil {
		return err
	}
	if b.TaskID == "" {
		return refuse(taskIDMissing)
	}
	id := site.ParseID(b.TaskID)
	if strconv.FormatInt(id, 10) != b.TaskID {
		return gone()
	}
	t, err := a.tasks.Task(r.Context(), id)
	if err != nil {
		return err
	}
	if !t.ListedFor(caller(r).User.ID) {
		return gone()
	}
	data := recordOf(t)
	if err := a.addResults(r, t, data); err != nil {
		return err
	}
	body, err := json.Marshal(envelope{Message: "ok", Data: data})
	if err != nil {
		return err
	}
	return sendEnvelope(w, http.StatusOK, body)
}

// recordOf returns the record of the task, without its results.
func recordOf(t db.Task) *entry {
	latest := t.CreatedAt
	for _, at := range []time.Time{t.SentAt, t.AcceptedAt, t.DoneAt} {
		if at.After(latest) {
			latest = at
		}
	}
	r := &entry{
		ID: strconv.FormatInt(t.ID, 10), MediaType: videoapi.MediaType, Provider: t.Provider, Scene: t.Scene,
		Model: t.Model, Prompt: t.Prompt,
		Status: statusOf(t), Progress: t.Progress, TaskID: t.RemoteID, CostCredits: costOf(t),
		CreatedAt: exactly(t.CreatedAt), UpdatedAt: exactly(latest),
	}
	if r.Status == videoapi.Success {
		r.Progress = 1
	}
	return r
}

// exactly formats a time with milliseconds.
func exactly(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z07:00") }

// statusOf returns the state of API.md in which the task is. A video is finished once its
// file is here, or cannot come any more.
func statusOf(t db.Task) videoapi.Status {
	switch t.State {
	case db.Queued, db.Sending, db.Pending:
		return videoapi.Pending
	case db.Success:
		if _, here := t.Video(); !here && t.Keeping == db.Saving {
			return videoapi.Processing
		}
		return videoapi.Success
	case db.Failed, db.Rejected:
		if t.Filtered() {
			return videoapi.Success // it was made and charged: nothing comes back
		}
		return videoapi.Failed
	case db.Canceled:
		return videoapi.Canceled
	}
	return videoapi.Processing // the service may be working on an unconfirmed one
}

// costOf returns the charge, and until that is known the quote or else what is held for it.
// A video that the service refused cost nothing.
func costOf(t db.Task) float64 {
	switch {
	case t.Charged.Known:
		return t.Charged.Amount
	case t.State == db.Rejected:
		return 0
	case t.Quoted.Known:
		return t.Quoted.Amount
	}
	return t.Reserved
}

// addResults adds taskInfo and taskResult to the record.
func (a *API) addResults(r *http.Request, t db.Task, to *entry) error {
	type file struct {
		ID         string `json:"id"`
		CreateTime string `json:"createTime"`
		VideoURL   string `json:"videoUrl"`
	}
	type address struct {
		URL string `json:"url"`
	}
	files, addresses := []file{}, []address{}
	for _, m := range t.Media {
		if m.Kind == db.Video && m.LostAt.IsZero() && to.Status == videoapi.Success {
			at := a.signedAddress(r, m)
			files, addresses = append(files, file{strconv.FormatInt(m.ID, 10), exactly(m.CreatedAt), at}), append(addresses, address{at})
		}
	}
	code, why := "", ""
	switch {
	case to.Status == videoapi.Failed, to.Status == videoapi.Canceled:
		code, why = string(to.Status), part.FailureReason(t)
	case t.Filtered():
		code, why = "filtered", part.FailureReason(t)
	case to.Status == videoapi.Success && len(files) == 0:
		code, why = string(db.Lost), cmp.Or(t.Message, notKept)
	}
	info, err := json.Marshal(struct {
		Videos       []file          `json:"videos"`
		Status       videoapi.Status `json:"status"`
		ErrorCode    string          `json:"errorCode"`
		ErrorMessage string          `json:"errorMessage"`
		CreateTime   string          `json:"createTime"`
	}{files, to.Status, code, why, to.CreatedAt})
	if err != nil {
		return err
	}
	result, err := json.Marshal(struct {
		Videos []address `json:"videos"`
	}{addresses})
	to.TaskInfo, to.TaskResult = string(info), string(result)
	return err
}

// NoSuchCall answers calls that API.md does not have.
func NoSuchCall(w http.ResponseWriter, r *http.Request) error {
	status, message := http.StatusNotFound, noCall
	if r.URL.Path == "/api/ai/generate" || r.URL.Path == "/api/ai/query" {
		w.Header().Set("Allow", http.MethodPost)
		status, message = http.StatusMethodNotAllowed, notPost
	}
	body, err := json.Marshal(envelope{Code: -1, Message: message})
	if err != nil {
		return err
	}
	return sendEnvelope(w, status, body)
}

// envelop answers with the problem as the service does: with HTTP status 200.
func (p *Problem) envelop(w http.ResponseWriter) error {
	body, err := json.Marshal(envelope{Code: -1, Message: said(p)})
	if err != nil {
		return err
	}
	if p.Wait > 0 {
		w.Header().Set("Retry-After", fmt.Sprint(p.Wait))
	}
	return sendEnvelope(w, http.StatusOK, body)
}

// said returns the problem in the words of the service.
func said(p *Problem) string {
	switch {
	case p.Status >= http.StatusInternalServerError:
		return broken
	case p.Code == Unauthorized:
		return signIn
	case p.Code == NotFound:
		return noTask
	case p.Code == NoCredits, p.Code == LimitReached:
		return tooFewCredits(p.Detail)
	case p.Code == Forbidden, p.Code == OverQuote:
		return notPermitted(p.Detail)
	case p.Code == TooMany:
		return slower(p.Detail)
	case p.Code == Invalid && p.Field != "":
		return invalidField(p.Field, p.Detail)
	case p.Code == Invalid, p.Code == UnknownField, p.Code == TooLarge:
		return invalidRequest(p.Detail)
	}
	return strings.TrimSpace(p.Detail)
}

func sendEnvelope(w http.ResponseWriter, status int, body []byte) error {
	return sendBytes(w, status, "application/json; charset=utf-8", body)
}
