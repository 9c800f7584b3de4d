package watch

import (
	"testing"
	"time"

	"dailies/db"
)

// A link may have come with the video, or may have been asked for later.
func TestPausesBetweenCopiesAreShortWhileALinkIsYoung(t *testing.T) {
	now := time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)
	c := &Config{Poll: 3 * time.Second}
	for _, tt := range []struct {
		done, refreshed time.Duration // before now
		want            time.Duration
	}{
		{young - time.Second, 100 * young, youngPause},
		{young, 100 * young, oldPause},
		{100 * young, young - time.Second, youngPause},
		{100 * young, young, oldPause},
	} {
		task := db.Task{DoneAt: now.Add(-tt.done), Files: db.Files{RefreshedAt: now.Add(-tt.refreshed)}, Attempts: 100}
		if got := c.copyPause(task, now); got < tt.want || got > tt.want*11/10 {
			t.Errorf("done %s ago, refreshed %s ago: %s, want %s", tt.done, tt.refreshed, got, tt.want)
		}
	}
}
