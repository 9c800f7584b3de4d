package watch

import (
	"cmp"
	"errors"
	"strings"

	"dailies/db"
	"dailies/web/videoapi"
)

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

// blame returns what to blame for a failed create call.
func blame(k videoapi.Kind) db.Blame {
	switch k {
	case videoapi.KeyRefused:
		return db.BlameKey
	case videoapi.NoCredits:
		return db.BlameCredits
	case videoapi.Transport, videoapi.Busy:
		return db.BlameService
	}
	return db.BlameRequest
}

// queryBlame returns what to blame for a failed query. An internal error of the
// service says nothing about the task.
func queryBlame(k videoapi.Kind) db.Blame {
	switch k {
	case videoapi.UnknownTask, videoapi.NoPermission:
		return db.BlameTask
	case videoapi.KeyRefused:
		return db.BlameKey
	}
	return db.BlameService
}
