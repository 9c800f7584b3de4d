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
	known := db.Task{Scene: "text-to-video", Model: "veo3", AcceptedAt: time.Now().Add(-time.Hour), MakingAt: time.Now(), Asked: 5}
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
