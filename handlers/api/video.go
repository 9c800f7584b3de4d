package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"dailies/db"
	"dailies/handlers/site"
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

// drawing makes Videos of tasks.
type drawing struct{ network *site.Network }

func (d drawing) video(r *http.Request, t db.Task) Video {
	origin := d.network.Origin(r)
	v := Video{
		ID: t.ID, State: t.State, Scene: t.Scene, Model: t.Model, Prompt: t.Prompt, Title: t.Title, Starred: t.Starred, Private: t.Private,
		Tags: append([]string{}, t.Tags...), Page: origin + site.TaskPath(t.ID), CreatedAt: stamp(t.CreatedAt),
		Credits: Amounts{amount(t.Quoted), amount(t.Charged), amount(t.Returned)},
	}
	if t.Playable() {
		file := fmt.Sprintf("%s/api/v1/videos/%d/file", origin, t.ID)
		v.File = &file
	}
	if !t.DoneAt.IsZero() {
		done := stamp(t.DoneAt)
		v.DoneAt = &done
	}
	switch t.State {
	case db.Rejected, db.Failed, db.Canceled:
		why := part.Why(t)
		v.Reason = &why
	case db.Unconfirmed:
		why := unconfirmed
		v.Reason = &why
	}
	return v
}

// amount returns the credits as JSON has them.
func amount(c db.Credits) *float64 {
	if !c.Known {
		return nil
	}
	return &c.Amount
}

// encode returns the answer to a request that made videos: one video, or a list.
func (d drawing) encode(r *http.Request, tasks []db.Task) ([]byte, error) {
	if len(tasks) == 1 {
		return json.Marshal(d.video(r, tasks[0]))
	}
	list := struct {
		Videos []Video `json:"videos"`
	}{}
	for _, t := range tasks {
		list.Videos = append(list.Videos, d.video(r, t))
	}
	return json.Marshal(list)
}

// stamp formats a time.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
