package record_test

import (
	"encoding/json"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/option"
	"dailies/views/record"
)

func TestAVideoTellsOnlyWhatIsKnown(t *testing.T) {
	at := time.Date(2026, 11, 3, 13, 0, 0, 5e6, time.FixedZone("", 3600))
	for _, c := range []struct {
		task db.Task
		want string
	}{
		{
			db.Task{ID: 7, State: db.Queued, CreatedAt: at},
			`"credits":{"quoted":null,"charged":null,"returned":null},"shape":{"like_picture":false,"sent":null,"size_unknown":false},"page":"https://d.example/tasks/7","file":null,"created_at":"2026-11-03T12:00:00Z","done_at":null,"reason":null}`,
		},
		{
			db.Task{
				ID: 7, State: db.Success, CreatedAt: at, DoneAt: at, Charged: db.CreditsOf(.25),
				Request: db.Request{Options: db.Options{AspectRatio: "9:16", Shape: option.LikePicture}},
				Files:   db.Files{Media: []db.Media{{ID: 3, Kind: db.Video}}},
			},
			`"credits":{"quoted":null,"charged":0.25,"returned":null},"shape":{"like_picture":true,"sent":"9:16","size_unknown":false},"page":"https://d.example/tasks/7","file":"https://d.example/api/v1/videos/7/file","created_at":"2026-11-03T12:00:00Z","done_at":"2026-11-03T12:00:00Z","reason":null}`,
		},
	} {
		got, err := json.Marshal(record.VideoOf("https://d.example", c.task))
		want := `{"id":7,"state":"` + string(c.task.State) +
			`","scene":"","model":"","prompt":"","title":"","starred":false,"tags":[],"private":false,` + c.want
		if err != nil || string(got) != want {
			t.Errorf("got %s, %v\nwant %s", got, err, want)
		}
	}
	for _, state := range []db.State{db.Failed, db.Rejected, db.Canceled, db.Unconfirmed} {
		if v := record.VideoOf("", db.Task{State: state}); v.Reason == nil || *v.Reason == "" {
			t.Errorf("%s has no reason", state)
		}
	}
	filtered := record.VideoOf("", db.Task{
		State: db.Failed, Status: "success", ErrorKind: db.RequestError, Message: "content_filter", Charged: db.CreditsOf(30),
	})
	if filtered.State != db.Success || filtered.File != nil || filtered.Reason == nil ||
		*filtered.Credits.Charged != 30 || filtered.Credits.Returned != nil {
		t.Errorf("a filtered video is %+v", filtered)
	}
	gif := record.VideoOf("", db.Task{State: db.Success, Message: db.Unstorable("image/gif"), Files: db.Files{Keeping: db.Lost}})
	if gif.Reason == nil || *gif.Reason != "A GIF came, not a video." {
		t.Errorf("a video that cannot be stored has the reason %v", gif.Reason)
	}
}
