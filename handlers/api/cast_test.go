package api_test

import (
	"testing"

	"dailies/db"
	"dailies/db/cast"
)

// A program has no page that tells it: nothing is sent as long as the handle of a deleted
// cast member is in its prompt.
func TestADeletedCastMemberStopsAProgram(t *testing.T) {
	h, p := started(t)
	c := newClient(t, h, p, "make", 1000)
	bo := cast.Member{Handle: "bo", Name: "Bo", Kind: cast.Product, Pictures: []string{"https://example.com/bo.png"}, CreatedBy: 1, CreatedAt: db.Now()}
	must(t, h.Store.Cast.Create(t.Context(), &bo, nil))
	must(t, h.Store.Cast.Delete(t.Context(), bo.ID, 1, db.Now()))
	const body = `{"scene":"text-to-video","model":"seedance-2.0","prompt":"@bo waves","max_credits":100,"accept_unknown_price":true}`
	said := c.do("POST", "/api/v1/videos", body, "Idempotency-Key: 1").is(422, "invalid").value()
	if said["field"] != "prompt" {
		t.Errorf("answered %v", said)
	}
	must(t, h.Store.Cast.Restore(t.Context(), bo.ID, db.Now()))
	c.do("POST", "/api/v1/videos", body, "Idempotency-Key: 2").is(202)
}
