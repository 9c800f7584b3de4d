package sandbox

import (
	"strconv"
	"time"

	"dailies/db"
	"dailies/web/videoapi"
)

// An envelope is the body of every answer. API.md, "Response envelope (both
// endpoints)".
type envelope struct {
	Code    int     `json:"code"` // 0 or -1
	Message string  `json:"message"`
	Data    *record `json:"data,omitempty"`
}

// A record describes a task in an answer. API.md, "Task record (data)", with the
// fields that services of the family add to it.
type record struct {
	ID          string          `json:"id"`
	UserID      string          `json:"userId"`
	MediaType   string          `json:"mediaType"`
	Provider    string          `json:"provider"`
	Scene       videoapi.Scene  `json:"scene"`
	Model       string          `json:"model"`
	Prompt      string          `json:"prompt"`
	Options     string          `json:"options"` // JSON text
	Status      videoapi.Status `json:"status"`
	Progress    float64         `json:"progress"` // 0 to 1
	TaskID      string          `json:"taskId"`
	CostCredits float64         `json:"costCredits"`
	CreditID    string          `json:"creditId"`
	TaskInfo    string          `json:"taskInfo,omitempty"`   // JSON text
	TaskResult  string          `json:"taskResult,omitempty"` // JSON text
	CreatedAt   string          `json:"createdAt"`
	UpdatedAt   string          `json:"updatedAt"`
}

// records builds the records of tasks.
type records struct {
	base  string // prefix of the URLs of results
	shape Shape
}

// of returns the record of a task, with its results if it has ended.
func (s records) of(t task) (*record, error) {
	r := &record{
		ID: t.ID, UserID: t.account, MediaType: videoapi.MediaType, Provider: t.provider,
		Scene: t.Scene, Model: t.Model, Prompt: t.Prompt, Options: t.options,
		Status: t.Status, Progress: t.job.share(db.Now()), TaskID: t.job.id,
		CostCredits: t.Cost.credits(), CreditID: strconv.FormatInt(t.creditID, 10),
		CreatedAt: timeText(t.CreatedAt), UpdatedAt: timeText(t.updatedAt),
	}
	o := outcome{job: t.job, status: t.Status}
	switch t.Status {
	case videoapi.Success:
		o.video, o.cover = s.base+filePath+t.job.video, s.base+filePath+t.job.cover
	case videoapi.Failed, videoapi.Canceled:
	default:
		return r, nil
	}
	var err error
	r.TaskInfo, r.TaskResult, err = o.write(s.shape.of(t.job.number))
	return r, err
}

// timeText formats a time for a record.
func timeText(t time.Time) string { return t.Format("2006-01-02T15:04:05.000Z07:00") }
