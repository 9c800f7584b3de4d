package sandbox

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"dailies/db"
	"dailies/web/videoapi"
)

// A Shape is a format of taskInfo and taskResult. API.md does not show their
// format, so a client should be able to read all shapes.
type Shape string

// The shapes, named after the providers whose answers they imitate.
const (
	Kie       Shape = "kie"       // URLs in both, a third level of JSON text in taskResult
	Veo       Shape = "veo"       // the URL in taskResult.response.resultUrls only
	Replicate Shape = "replicate" // the URL in taskResult.output, others around it
	Flat      Shape = "flat"      // one object in taskInfo, nothing but the URL in taskResult
	Mixed     Shape = "mixed"     // each of the others in turn, task by task
)

// ParseShape returns the shape with the name. Empty text means Kie.
func ParseShape(name string) (Shape, error) {
	switch s := Shape(name); s {
	case "":
		return Kie, nil
	case Kie, Veo, Replicate, Flat, Mixed:
		return s, nil
	}
	return "", fmt.Errorf("there is no shape of results %.40q; there are kie, veo, replicate, flat and mixed", name)
}

// of returns the shape for the n-th task.
func (s Shape) of(n int64) Shape {
	if s == Mixed {
		return []Shape{Kie, Veo, Replicate, Flat}[n%4]
	}
	return s
}

// An outcome is the end of a job, independent of a shape.
type outcome struct {
	job
	status       videoapi.Status
	video, cover string // URLs; empty without a video
}

// An object is a JSON object.
type object map[string]any

// write encodes the outcome in a shape: taskInfo and taskResult, both JSON text.
func (o outcome) write(s Shape) (info, result string, err error) {
	ended, videos := timeText(o.endedAt), []object{}
	if s == Kie && o.video != "" {
		videos = append(videos, object{"id": o.id, "createTime": ended, "videoUrl": o.video, "coverUrl": o.cover})
	}
	i := object{"videos": videos, "status": o.status, "errorCode": o.code(), "errorMessage": o.reason, "createTime": ended}
	var r any
	switch s {
	case Veo:
		r = o.veo()
	case Replicate:
		r = o.replicate()
	case Flat:
		i = object{"status": o.status, "videoUrl": o.video, "coverUrl": o.cover, "errorMessage": o.reason}
		r = o.video
	default:
		r = o.kie()
	}
	if o.spec.Sound && o.status == videoapi.Success {
		i["audio"] = "none: the sandbox makes silent videos"
	}
	first, err := json.Marshal(i)
	if err != nil {
		return "", "", err
	}
	second, err := json.Marshal(r)
	return string(first), string(second), err
}

// code returns the error code, the same in all shapes.
func (o outcome) code() string {
	if o.status == videoapi.Success {
		return ""
	}
	return "sandbox"
}

// kie returns a taskResult that contains JSON text.
func (o outcome) kie() object {
	r := object{"taskId": o.id, "state": o.status, "resultJson": "", "failCode": o.code(), "failMsg": o.reason}
	if o.status == videoapi.Failed {
		r["state"] = "fail" // the provider's word for failed
	}
	if o.video != "" {
		r["resultJson"] = jsonText(object{"resultUrls": []string{o.video}})
	}
	return r
}

// veo returns a taskResult that repeats the pictures of the request, which a
// client must not take for the video.
func (o outcome) veo() object {
	r := object{
		"taskId": o.id, "paramJson": jsonText(object{"imageUrls": o.spec.Pictures}), "errorMessage": o.reason,
		"response": nil, "successFlag": 3, "errorCode": o.code(),
	}
	if o.video != "" {
		r["response"] = object{"taskId": o.id, "resultUrls": []string{o.video}, "originUrls": nil, "resolution": o.spec.Resolution}
		r["successFlag"], r["errorCode"] = 1, nil
	}
	return r
}

// replicate returns a taskResult with several URLs, only one of which is the
// video.
func (o outcome) replicate() object {
	api := "https://api.provider.example/v1/predictions/" + o.id
	r := object{
		"id": o.id, "model": o.spec.Model, "status": o.status, "completed_at": timeText(o.endedAt), "output": nil, "error": nil,
		"input": object{"prompt": o.spec.Prompt, "images": o.spec.Pictures, "resolution": o.spec.Resolution, "duration": o.spec.Seconds},
		"urls":  object{"get": api, "cancel": api + "/cancel"},
	}
	if o.video == "" {
		r["error"] = o.reason
	} else {
		r["status"], r["output"] = "succeeded", o.video
	}
	return r
}

// jsonText encodes an object of strings and lists of strings.
func jsonText(o object) string {
	b, _ := json.Marshal(o) // such an object can always be encoded
	return string(b)
}

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
