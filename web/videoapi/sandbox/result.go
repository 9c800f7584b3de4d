package sandbox

import (
	"encoding/json"
	"fmt"

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
