package watch_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/team"
)

// giveTeamKey adds the key as the team's standard key, which users without their own
// key use.
func (b *bench) giveTeamKey(t *testing.T, key string) team.Key {
	t.Helper()
	k := team.Key{Name: "Marketing", Standard: true, Key: secrets.Key{Fingerprint: b.vault.Fingerprint(key), CreatedAt: db.Now()}}
	must(t, b.store.Keys.AddTeamKey(t.Context(), &k, func(o secrets.KeyOwner) []byte { return b.vault.SealFor(o, key) }))
	return k
}

// Kim and Bo use the same team key: their create calls never overlap, and no other
// key is used.
func TestCreatesWithAKeyOfTheTeamNeverOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.addBo(t)
		must(t, b.store.Keys.DeleteKey(t.Context(), 1))
		k := b.giveTeamKey(t, b.key)
		var under, calls, overlaps atomic.Int32
		b.line.setAlways(func(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
			if r.Header.Get("Authorization") != "" && r.Header.Get("Authorization") != "Bearer "+b.key {
				t.Error("another key is seen")
			}
			if r.URL.Path != create {
				return through()
			}
			calls.Add(1)
			if under.Add(1) > 1 {
				overlaps.Add(1)
			}
			defer under.Add(-1)
			time.Sleep(time.Second) // so that calls could overlap
			return through()
		})
		var ids []int64
		for range 4 {
			ids = append(ids, b.addFor(t, 1, "a boat"), b.addFor(t, 2, "a kite"))
		}
		b.start(t)
		for _, id := range ids {
			task := b.until(t, id, "taken", func(t db.Task) bool { return t.RemoteID != "" })
			if task.KeyID != k.TeamKeyID {
				t.Errorf("task %d was sent with key %d", id, task.KeyID)
			}
		}
		if calls.Load() != 8 || overlaps.Load() != 0 {
			t.Errorf("%d of %d creates overlapped", overlaps.Load(), calls.Load())
		}
	})
}

// A running video is queried with the key that it was sent with, whoever owns the
// video now and whatever happened to the key.
func TestAVideoThatChangesHandsIsFollowedWithItsKey(t *testing.T) {
	for name, change := range map[string]func(b *bench, t *testing.T, k team.Key){
		"the team's, which is deleted": func(b *bench, t *testing.T, k team.Key) {
			must(t, b.store.Keys.DeleteTeamKey(t.Context(), k.TeamKeyID, db.Now(), true))
		},
		"its maker's own": func(b *bench, t *testing.T, _ team.Key) { must(t, b.store.Keys.DeleteKey(t.Context(), 1)) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.addBo(t)
			k := b.giveTeamKey(t, b.otherKey(t))
			if name != "its maker's own" {
				must(t, b.store.Keys.DeleteKey(t.Context(), 1))
				must(t, b.store.Keys.ReplaceTeamKey(t.Context(), secrets.Key{TeamKeyID: k.TeamKeyID, Sealed: b.vault.SealFor(k.Owner(), b.key), Fingerprint: b.vault.Fingerprint(b.key), CreatedAt: db.Now()}, false))
			}
			keys := b.listen(ask)
			b.fail(ask, says(200, `{"code":0,"data":{"status":"processing"}}`), says(200, `{"code":0,"data":{"status":"processing"}}`))
			stop := b.start(t)
			id := b.add(t, "a boat #slow")
			b.until(t, id, "taken", func(t db.Task) bool { return t.RemoteID != "" })
			stop()
			b.sql(t, `UPDATE tasks SET user_id = 2, payer_id = 1`)
			change(b, t, k)
			bos := b.otherKey(t)
			must(t, b.store.Keys.PutKey(t.Context(), secrets.Key{UserID: 2, Sealed: b.vault.Seal(2, bos), Fingerprint: b.vault.Fingerprint(bos), CreatedAt: db.Now()}))
			b.start(t)
			b.until(t, id, "kept", kept)
			if seen := keys(); len(seen) != 1 || seen["Bearer "+b.key] == 0 {
				t.Errorf("asked with %d keys", len(seen))
			}
		})
	}
}
