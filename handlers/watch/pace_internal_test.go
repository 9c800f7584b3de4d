package watch

import (
	"slices"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/schedule"
)

// Videos of a kind that is known to take five minutes are asked about less often in the
// first ones than videos of a kind about which nothing is known.
func TestThePaceOfAKindIsUsedForItAlone(t *testing.T) {
	known := db.Task{
		Request: db.Request{Scene: "text-to-video", Model: "veo3"}, AcceptedAt: time.Now().Add(-time.Hour),
		MakingAt: time.Now(), Queries: 5,
	}
	c := &paceCache{Config: &Config{Poll: 3 * time.Second}}
	other := known
	other.Model = "seedance-2.0"
	if !c.isStale(paceKeyOf(known)) {
		t.Error("a pace that was never computed is not stale")
	}
	took := slices.Repeat([]time.Duration{5 * time.Minute}, 10)
	c.paces[paceKeyOf(known)] = &cachedPace{schedule.PaceOf(took, nil, c.Poll), time.Now()}
	now := known.MakingAt.Add(100 * time.Second)
	if slow, usual := c.pause(known, now), c.pause(other, now); slow < 30*time.Second || slow > 33*time.Second || usual > 17*time.Second {
		t.Errorf("the pauses are %s and %s", slow, usual)
	}
}

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
