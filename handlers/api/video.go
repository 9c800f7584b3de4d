package api

import (
	"encoding/json"
	"net/http"
	"time"

	"dailies/db"
	"dailies/handlers/site"
	"dailies/views/record"
)

// drawing makes Videos of tasks.
type drawing struct{ network *site.Network }

func (d drawing) video(r *http.Request, t db.Task) record.Video {
	return record.VideoOf(d.network.Origin(r), t)
}

// amount returns the credits as JSON has them.
func amount(c db.Credits) *float64 { return record.Amount(c) }

// encode returns the answer to a request that made videos: one video, or a list.
func (d drawing) encode(r *http.Request, tasks []db.Task) ([]byte, error) {
	if len(tasks) == 1 {
		return json.Marshal(d.video(r, tasks[0]))
	}
	list := struct {
		Videos []record.Video `json:"videos"`
	}{}
	for _, t := range tasks {
		list.Videos = append(list.Videos, d.video(r, t))
	}
	return json.Marshal(list)
}

// stamp formats a time.
func stamp(t time.Time) string { return record.Time(t) }
