// Package record draws videos, and what is said about them, as JSON for people's own
// programs: the API answers with it, and webhooks carry it.
package record

import (
	"fmt"
	"strconv"
	"time"

	"dailies/db"
	"dailies/db/option"
	"dailies/views/part"
)

// A Video is how programs see a video. States have the names of package db.
type Video struct {
	ID        int64    `json:"id"`
	State     db.State `json:"state"`
	Scene     string   `json:"scene"`
	Model     string   `json:"model"`
	Prompt    string   `json:"prompt"`
	Title     string   `json:"title"`
	Starred   bool     `json:"starred"`
	Tags      []string `json:"tags"`
	Private   bool     `json:"private"`
	Credits   Amounts  `json:"credits"`
	Shape     Shape    `json:"shape"`
	Page      string   `json:"page"`
	File      *string  `json:"file"` // null until it is kept here
	CreatedAt string   `json:"created_at"`
	DoneAt    *string  `json:"done_at"`
	Reason    *string  `json:"reason"` // why there is no video
}

// Amounts are what a video was to cost, has cost, and what came back. Null is unknown.
type Amounts struct {
	Quoted   *float64 `json:"quoted"`
	Charged  *float64 `json:"charged"`
	Returned *float64 `json:"returned"`
}

// A Shape says what decided the shape of a video, and what was sent for it.
type Shape struct {
	LikePicture bool    `json:"like_picture"` // that of its picture
	Sent        *string `json:"sent"`         // the aspect ratio; null if the service decides
	SizeUnknown bool    `json:"size_unknown"` // of the picture, so that the model's usual shape was sent
}

func shapeOf(o db.Options) Shape {
	s := Shape{LikePicture: o.Shape != option.ChosenShape, SizeUnknown: o.Shape == option.UnseenPicture}
	if o.AspectRatio != "" && o.AspectRatio != option.AutoRatio {
		s.Sent = &o.AspectRatio
	}
	return s
}

const unconfirmed = "The service may have it, but hasn’t said so. Look in the app before you make it again."

// VideoOf returns the video of the task. Its addresses begin with the app's origin.
func VideoOf(origin string, t db.Task) Video {
	v := Video{
		ID: t.ID, State: t.State, Scene: t.Scene, Model: t.Model, Prompt: t.Prompt, Title: t.Title, Starred: t.Starred, Private: t.Private,
		Tags: append([]string{}, t.Tags...), Page: origin + "/tasks/" + strconv.FormatInt(t.ID, 10), CreatedAt: Time(t.CreatedAt),
		DoneAt: TimeOr(t.DoneAt),
		Shape:  shapeOf(t.Options), Credits: Amounts{Amount(t.Quoted), Amount(t.Charged), Amount(t.Returned)},
	}
	if t.Playable() {
		file := fmt.Sprintf("%s/api/v1/videos/%d/file", origin, t.ID)
		v.File = &file
	}
	if t.Filtered() {
		v.State = db.Success // as the service says: it was made and charged
	}
	switch t.State {
	case db.Rejected, db.Failed, db.Canceled:
		why := part.FailureReason(t)
		v.Reason = &why
	case db.Unconfirmed:
		why := unconfirmed
		v.Reason = &why
	case db.Success:
		if t.Keeping == db.Lost && v.File == nil && t.Message != "" { // such as: a GIF came
			v.Reason = &t.Message
		}
	}
	return v
}

// Amount returns the credits as JSON has them: null if they are unknown.
func Amount(c db.Credits) *float64 {
	if !c.Known {
		return nil
	}
	return &c.Amount
}

// Time formats a time.
func Time(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// TimeOr is like Time. It is null for a time that has not come.
func TimeOr(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := Time(t)
	return &text
}
