package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/web/videoapi"
)

// A querier queries the service for the state of tasks and stores the answers.
type querier struct {
	*Config
	recorder *recorder
	paces    *paceCache
	rate     *queryRate
}

// An applyAnswer applies the service's answer, or the error in its place, to a task.
// The error is a *videoapi.Error, or db.ErrNotFound if there is no key.
type applyAnswer func(t *db.Task, a videoapi.Answer, err error) error

// queryAndApply queries the service for the task once and passes the answer to apply.
func (q *querier) queryAndApply(ctx context.Context, t db.Task, apply applyAnswer) error {
	answer, callErr := q.query(ctx, t)
	var e *videoapi.Error
	switch {
	case callErr == nil, errors.As(callErr, &e), errors.Is(callErr, db.ErrNotFound):
	default:
		return callErr // not an answer of the service: a database or vault error
	}
	if callErr != nil && ctx.Err() != nil {
		return ctx.Err() // the program is stopping; this is no failure of the service
	}
	change := func(t *db.Task) error { return apply(t, answer, callErr) }
	return q.recorder.record(ctx, t.ID, change, rawAnswer(t.ID, "query", answer, callErr)...)
}

// enoughLong is how many queries in a row must have brought an answer that is too long to be
// read before the video is given up.
const enoughLong = 3

// queryProgress queries the progress of a running task. An error says nothing about the
// task: the query is repeated, however long it takes.
func (q *querier) queryProgress(ctx context.Context, t db.Task) error {
	return q.queryAndApply(ctx, t, func(t *db.Task, answer videoapi.Answer, err error) error {
		now := q.Store.Now()
		var e *videoapi.Error
		switch {
		case err == nil:
			err := t.Report(report(answer.Record, *t), now, now.Add(q.paces.pause(*t, now)))
			if t.State == db.Processing && t.MakingAt.Equal(now) { // its age counts from now
				t.NextAt = now.Add(q.paces.pause(*t, now))
			}
			return err
		case !errors.As(err, &e):
			return t.Retry(db.KeyError, noKeyToQuery, now.Add(jitter(repairPause)))
		}
		if e.Kind == videoapi.TooLong && t.Attempts+1 >= enoughLong {
			return t.Abandon(answerLong, now)
		}
		wait := q.backoff(t.Attempts, e.RetryAfter)
		switch e.Kind {
		case videoapi.KeyRefused, videoapi.NoPermission, videoapi.UnknownTask:
			wait = max(wait, min(repairPause, q.Poll*20)) // only a user can repair that
		}
		return t.Retry(queryErrorKind(e.Kind), querySentence(e), now.Add(wait))
	})
}

// queryAddress asks for the URL of a video that the service says is finished.
func (q *querier) queryAddress(ctx context.Context, t db.Task) error {
	return q.queryAndApply(ctx, t, func(t *db.Task, answer videoapi.Answer, err error) error {
		now := q.Store.Now()
		next := now.Add(q.addressPause(t.Attempts))
		var e *videoapi.Error
		switch {
		case err == nil:
			return t.ReportAgain(report(answer.Record, *t), now, next)
		case !errors.As(err, &e):
			return t.RetryAddress(db.KeyError, noKeyToQuery, now, next)
		case e.Kind == videoapi.TooLong && t.Attempts+1 >= enoughLong:
			return t.LoseFiles(answerLong)
		}
		return t.RetryAddress(queryErrorKind(e.Kind), querySentence(e), now, later(next, now.Add(e.RetryAfter)))
	})
}

// queryFreshLinks queries a finished task once more because its links expired before the
// files were copied. A failed query is postponed; after some days of failures,
// copying ends.
func (q *querier) queryFreshLinks(ctx context.Context, t db.Task) error {
	return q.queryAndApply(ctx, t, func(t *db.Task, answer videoapi.Answer, err error) error {
		now := q.Store.Now()
		putOff := func(b db.ErrorKind, message string, wait time.Duration) error {
			return t.FailCopy(b, message, now, now.Add(jitter(wait)))
		}
		var e *videoapi.Error
		switch {
		case errors.Is(err, db.ErrNotFound):
			return putOff(db.KeyError, noKeyToLink, repairPause)
		case errors.As(err, &e) && e.Kind != videoapi.UnknownTask && e.Kind != videoapi.NoPermission:
			return putOff(queryErrorKind(e.Kind), querySentence(e), q.backoff(t.Attempts, e.RetryAfter))
		}
		return t.Refresh(report(answer.Record, *t).Results, now)
	})
}

// payersKey returns the API key with which the task will be sent, sealed and in clear
// text. It returns db.ErrNotFound if there is no key that can be decrypted.
func (c *Config) payersKey(ctx context.Context, t db.Task) (secrets.Key, string, error) {
	k, err := c.Store.Keys.KeyInUse(ctx, t.PayerID)
	if err != nil {
		return k, "", err
	}
	text, err := c.Vault.OpenKey(k)
	return k, text, err
}

// query queries the service for the task with the key that it was sent with. If the
// service does not accept that key, it tries the other keys that may belong to the
// same account, since the original one may have been revoked. It returns
// db.ErrNotFound if there is no usable key.
func (q *querier) query(ctx context.Context, t db.Task) (first videoapi.Answer, firstErr error) {
	keys, err := q.Store.Calls.TaskKeys(ctx, t)
	if err != nil {
		return videoapi.Answer{}, err
	}
	firstErr = fmt.Errorf("key of task %d: %w", t.ID, db.ErrNotFound)
	var asked []string
	for _, k := range keys {
		text, err := q.Vault.OpenKey(k)
		if errors.Is(err, db.ErrNotFound) || slices.Contains(asked, text) {
			continue
		} else if err != nil {
			return videoapi.Answer{}, err
		}
		answer, err := q.queryWith(ctx, t, text)
		switch asked = append(asked, text); {
		case len(asked) == 1 && !keyUnusable(err):
			return answer, err
		case len(asked) == 1:
			first, firstErr = answer, err
		case err == nil:
			return answer, q.Store.Calls.SetTaskKey(ctx, t.ID, k)
		}
	}
	return first, firstErr
}

func (q *querier) queryWith(ctx context.Context, t db.Task, key string) (videoapi.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout(t.Attempts))
	defer cancel()
	service, err := q.Services.Client(ctx, t.ServiceID)
	if err != nil {
		return videoapi.Answer{}, err
	}
	answer, err := service.Query(ctx, key, t.RemoteID)
	q.count("query", err)
	q.noteCall(service.Host(), t.ID, false, err)
	return answer, err
}

// keyUnusable reports whether the error concerns the key: it was refused, or it has
// no access to the task.
func keyUnusable(err error) bool {
	var e *videoapi.Error
	if !errors.As(err, &e) {
		return false
	}
	return e.Kind == videoapi.KeyRefused || e.Kind == videoapi.NoPermission || e.Kind == videoapi.UnknownTask
}

// request returns the body of the create call for a task, with the fields that its
// model accepts.
func request(m videoapi.Model, t db.Task) videoapi.Request {
	return videoapi.Request{
		Provider:  t.Provider,
		MediaType: videoapi.MediaType,
		Scene:     videoapi.Scene(t.Scene),
		Model:     t.Model,
		Prompt:    cmp.Or(t.SentPrompt, t.Prompt),
		Options:   m.Options(videoapi.Scene(t.Scene), t.Options, t.Pictures),
	}
}

// report translates the service's record about the task into a db.Report.
func report(r videoapi.Record, t db.Task) db.Report {
	rep := db.Report{
		RemoteID:   r.ID,
		UpstreamID: r.TaskID,
		Status:     string(r.Status),
		Progress:   r.Progress,
	}
	if r.HasCost {
		rep.Charged = db.CreditsOf(r.Cost)
	}
	switch r.Status {
	case videoapi.Success:
		found := r.Results(t.Pictures...)
		for _, v := range found.Videos {
			rep.Results = append(rep.Results, db.Result{Kind: db.Video, URL: v})
		}
		if found.Cover != "" {
			rep.Results = append(rep.Results, db.Result{Kind: db.Cover, URL: found.Cover})
		}
		if len(found.Videos) == 0 {
			why, filtered := r.Filtered(sent(t)...)
			rep.Filtered, rep.Reason = filtered, why.String()
		}
	case videoapi.Failed, videoapi.Canceled:
		rep.Reason = r.Reason(sent(t)...).String()
	}
	return rep
}

// sent returns what the task's request contains that answers may repeat.
func sent(t db.Task) []string {
	texts := append([]string{t.SentPrompt, t.Prompt, t.Model, t.Scene, t.Provider}, t.Pictures...)
	for _, value := range t.Options.Text() {
		texts = append(texts, value)
	}
	return texts
}

// rawAnswer returns the service's unchanged answer, or nil if there was none.
func rawAnswer(id int64, call string, a videoapi.Answer, err error) []db.Answer {
	var e *videoapi.Error
	if errors.As(err, &e) {
		a.HTTP, a.Body = e.HTTP, e.Body
	}
	if a.HTTP == 0 {
		return nil
	}
	return []db.Answer{{
		TaskID: id, Call: call, Status: string(a.Record.Status), HTTP: a.HTTP,
		Body: strings.ToValidUTF8(string(a.Body), "\uFFFD"), At: db.Now(),
	}}
}

// errorKind returns the kind of error of a failed create call.
func errorKind(k videoapi.Kind) db.ErrorKind {
	switch k {
	case videoapi.KeyRefused:
		return db.KeyError
	case videoapi.NoCredits:
		return db.CreditsError
	case videoapi.Transport, videoapi.Busy:
		return db.ServiceError
	}
	return db.RequestError
}

// queryErrorKind returns the kind of error of a failed query. An internal error of the
// service says nothing about the task.
func queryErrorKind(k videoapi.Kind) db.ErrorKind {
	switch k {
	case videoapi.UnknownTask, videoapi.NoPermission:
		return db.TaskError
	case videoapi.KeyRefused:
		return db.KeyError
	}
	return db.ServiceError
}
