package sandbox

import (
	"encoding/json"

	"dailies/web/videoapi"
)

// kieResult has JSON text of its own inside.
type kieResult struct {
	TaskID     string `json:"taskId"`
	State      string `json:"state"`
	ResultJSON string `json:"resultJson"`
	FailCode   string `json:"failCode"`
	FailMsg    string `json:"failMsg"`
}

func (o outcome) kie() kieResult {
	r := kieResult{TaskID: o.job, State: string(o.status), FailCode: o.code(), FailMsg: o.reason}
	if o.status == videoapi.Failed {
		r.State = "fail" // the provider's word
	}
	if o.video != "" {
		r.ResultJSON = quoted(map[string][]string{"resultUrls": {o.video}})
	}
	return r
}

// veoResult repeats the pictures that came in, which are not the video.
type veoResult struct {
	TaskID       string       `json:"taskId"`
	ParamJSON    string       `json:"paramJson"`
	Response     *veoResponse `json:"response"`
	SuccessFlag  int          `json:"successFlag"` // 1 a success, 3 a failure
	ErrorCode    *string      `json:"errorCode"`
	ErrorMessage string       `json:"errorMessage"`
}

type veoResponse struct {
	TaskID     string   `json:"taskId"`
	ResultURLs []string `json:"resultUrls"`
	OriginURLs []string `json:"originUrls"`
	Resolution string   `json:"resolution"`
}

func (o outcome) veo() veoResult {
	r := veoResult{TaskID: o.job, ParamJSON: quoted(map[string][]string{"imageUrls": o.spec.Pictures}), SuccessFlag: 1, ErrorMessage: o.reason}
	if o.video == "" {
		code := o.code()
		r.SuccessFlag, r.ErrorCode = 3, &code
		return r
	}
	r.Response = &veoResponse{TaskID: o.job, ResultURLs: []string{o.video}, Resolution: o.spec.Resolution}
	return r
}

// replicateResult is full of addresses, one of which is the video.
type replicateResult struct {
	ID     string            `json:"id"`
	Model  string            `json:"model"`
	Status string            `json:"status"`
	Input  replicateInput    `json:"input"`
	Output *string           `json:"output"`
	Error  *string           `json:"error"`
	URLs   map[string]string `json:"urls"`
	Ended  string            `json:"completed_at"`
}

type replicateInput struct {
	Prompt     string   `json:"prompt"`
	Images     []string `json:"images"`
	Resolution string   `json:"resolution"`
	Duration   int      `json:"duration"`
}

func (o outcome) replicate() replicateResult {
	const api = "https://api.provider.example/v1/predictions/"
	r := replicateResult{
		ID: o.job, Model: o.spec.Model, Status: string(o.status), Ended: o.ended,
		Input: replicateInput{o.spec.Prompt, o.spec.Pictures, o.spec.Resolution, o.spec.Seconds},
		URLs:  map[string]string{"get": api + o.job, "cancel": api + o.job + "/cancel"},
	}
	if o.video == "" {
		r.Error = &o.reason
		return r
	}
	r.Status, r.Output = "succeeded", &o.video
	return r
}

// quoted returns JSON text to be put into JSON as text.
func quoted(fields map[string][]string) string {
	b, _ := json.Marshal(fields) // strings cannot fail
	return string(b)
}
