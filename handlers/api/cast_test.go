package api_test

import (
	"fmt"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/cast"
)

// The handle of a deleted cast member is plain text: it stops no program, in a prompt, in a
// recipe or in the dialect.
func TestADeletedHandleStopsNoProgram(t *testing.T) {
	h, p := started(t)
	c := newClient(t, h, p, "make", 1000)
	bo := cast.Member{Handle: "bo", Name: "Bo", Kind: cast.Product, Pictures: []string{"https://example.com/bo.png"}, CreatedBy: 1, CreatedAt: db.Now()}
	must(t, h.Store.Cast.Create(t.Context(), &bo, nil))
	must(t, h.Store.Cast.Delete(t.Context(), bo.ID, 1, db.Now()))
	const body = `{"scene":"text-to-video","model":"seedance-2.0","prompt":"@bo waves","max_credits":100,"accept_unknown_price":true}`
	c.do("POST", "/api/v1/quotes", body).is(200)
	c.do("POST", "/api/v1/videos", body, "Idempotency-Key: 1").is(202)
	path := fmt.Sprintf("/api/v1/recipes/%d/videos", h.AddRecipe(t, 1).ID)
	c.do("POST", path, `{"blanks":{"product":"@bo","place":"oak"},"max_credits":60}`, "Idempotency-Key: 2").is(202)
	c.call("generate", strings.Replace(generate, "@anna", "@bo", 1))
	for _, task := range h.Mine(t, 1) {
		if !strings.Contains(task.Prompt, "@bo") || task.SentPrompt != "" || len(task.Cast) > 0 {
			t.Errorf("sent %q of %q", task.SentPrompt, task.Prompt)
		}
	}
	if n := len(h.Mine(t, 1)); n != 3 {
		t.Errorf("%d videos", n)
	}
	must(t, h.Store.Cast.Restore(t.Context(), bo.ID, db.Now()))
	c.do("POST", "/api/v1/videos", body, "Idempotency-Key: 3").is(202)
}
