package sandbox

import (
	"encoding/json"
	"fmt"

	"dailies/web/videoapi"
)

// A Shape is what the inside of taskInfo and taskResult looks like. API.md
// does not show it, and a client should read them all.
type Shape string

// The shapes, by the providers that answer so.
const (
	Kie       Shape = "kie"       // addresses in both, a third level of JSON text in taskResult
	Veo       Shape = "veo"       // the address in taskResult.response.resultUrls only
	Replicate Shape = "replicate" // the address in taskResult.output, others around it
	Flat      Shape = "flat"      // one object in taskInfo, a bare address in taskResult
	Mixed     Shape = "mixed"     // each of them, one task after the other
)

// ParseShape reads the name of a shape. Empty text is Kie.
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

// An outcome is how a task ended, before it has a shape.
type outcome struct {
	status       videoapi.Status
	job          string
	ended        string
	reason       string // why there is no video
	video, cover string // addresses, of a success only
	spec         spec
}

// write gives the outcome a shape: the two texts of the record.
func (o outcome) write(s Shape) (info, result string, err error) {
	var parts [2]any
	switch s {
	case Veo:
		parts = [2]any{o.info(false), o.veo()}
	case Replicate:
		parts = [2]any{o.info(false), o.replicate()}
	case Flat:
		parts = [2]any{flatInfo{o.status, o.video, o.cover, o.reason, o.audio()}, o.video}
	default:
		parts = [2]any{o.info(true), o.kie()}
	}
	var texts [2][]byte
	for i, p := range parts {
		if texts[i], err = json.Marshal(p); err != nil {
			return "", "", err
		}
	}
	return string(texts[0]), string(texts[1]), nil
}

// code returns the error code of all shapes.
func (o outcome) code() string {
	if o.status == videoapi.Success {
		return ""
	}
	return "sandbox"
}

// audio says what came of a wish for sound.
func (o outcome) audio() string {
	if !o.spec.Sound || o.status != videoapi.Success {
		return ""
	}
	return "none: the sandbox makes silent videos"
}

// taskInfo has the fields that services of the family write there.
type taskInfo struct {
	Videos       []videoInfo     `json:"videos"`
	Status       videoapi.Status `json:"status"`
	ErrorCode    string          `json:"errorCode"`
	ErrorMessage string          `json:"errorMessage"`
	Audio        string          `json:"audio,omitempty"`
	CreateTime   string          `json:"createTime"`
}

type videoInfo struct {
	ID         string `json:"id"`
	CreateTime string `json:"createTime"`
	VideoURL   string `json:"videoUrl"`
	CoverURL   string `json:"coverUrl"`
}

func (o outcome) info(addresses bool) taskInfo {
	i := taskInfo{Videos: []videoInfo{}, Status: o.status, ErrorCode: o.code(), ErrorMessage: o.reason, Audio: o.audio(), CreateTime: o.ended}
	if addresses && o.video != "" {
		i.Videos = append(i.Videos, videoInfo{o.job, o.ended, o.video, o.cover})
	}
	return i
}

type flatInfo struct {
	Status       videoapi.Status `json:"status"`
	VideoURL     string          `json:"videoUrl"`
	CoverURL     string          `json:"coverUrl"`
	ErrorMessage string          `json:"errorMessage"`
	Audio        string          `json:"audio,omitempty"`
}
