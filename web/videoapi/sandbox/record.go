package sandbox

import (
	"strconv"
	"time"

	"dailies/db"
	"dailies/web/videoapi"
)

// An envelope is API.md, "Response envelope (both endpoints)".
type envelope struct {
	Code    int     `json:"code"` // 0 or -1
	Message string  `json:"message"`
	Data    *record `json:"data,omitempty"`
}

// A record is API.md, "Task record (data)", and what services of the family
// add to it.
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

// recordOf returns what the caller sees of a task.
func (s *Sandbox) recordOf(t task) (*record, error) {
	r := &record{
		ID:          t.id,
		UserID:      t.account,
		MediaType:   videoapi.MediaType,
		Provider:    t.provider,
		Scene:       t.scene,
		Model:       t.model,
		Prompt:      t.prompt,
		Options:     t.options,
		Status:      t.status,
		Progress:    t.job.share(db.Now()),
		TaskID:      t.job.id,
		CostCredits: t.cost.credits(),
		CreditID:    strconv.FormatInt(t.creditID, 10),
		CreatedAt:   written(t.createdAt),
		UpdatedAt:   written(t.updatedAt),
	}
	switch t.status {
	case videoapi.Success, videoapi.Failed, videoapi.Canceled:
		return r, s.conclude(r, t)
	}
	return r, nil
}

// written returns a time as the record has it.
func written(t time.Time) string { return t.Format("2006-01-02T15:04:05.000Z07:00") }

// conclude writes how the task ended.
func (s *Sandbox) conclude(r *record, t task) (err error) {
	o := outcome{status: t.status, job: t.job.id, ended: written(t.job.endedAt), reason: t.job.reason, spec: t.job.spec}
	if t.status == videoapi.Success {
		o.video, o.cover = s.address(t.job.video), s.address(t.job.cover)
	}
	r.TaskInfo, r.TaskResult, err = o.write(s.results.of(t.job.number))
	return err
}

// address returns where a result can be had.
func (s *Sandbox) address(file string) string { return s.base + "/files/" + file }
