package handlers_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"dailies/handlers"
	"dailies/handlers/create"
)

// refuse lets the database refuse a change, as on a full disk, until the
// returned function is called.
func (h *house) refuse(t *testing.T, changes ...string) (mend func()) {
	t.Helper()
	d, err := sql.Open("sqlite", "file:"+h.path+"?_pragma=busy_timeout(5000)")
	must(t, err)
	t.Cleanup(func() { _ = d.Close() })
	for i, change := range changes {
		_, err := d.Exec(fmt.Sprintf(`CREATE TRIGGER full%d BEFORE %s BEGIN SELECT raise(FAIL, 'database or disk is full'); END`, i, change))
		must(t, err)
	}
	return func() {
		for i := range changes {
			_, err := d.Exec(fmt.Sprintf(`DROP TRIGGER full%d`, i))
			must(t, err)
		}
	}
}

const (
	cannotWrite = "nothing was sent and nothing was paid"
	typed       = "the words that I typed, with “marks” & <signs>"
)

func TestAPressThatCannotBeWrittenDownGivesEverythingBack(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.work(t)
	recipe := fmt.Sprintf("/recipes/%d", h.addRecipe(t, 1).ID)
	rows := p.post(recipe+"/batch", fill("do", "check", "table", "red cup\twooden\ngreen cup\tstone")).is(200)
	batch := rowsOf(t, rows, "make")
	mend := h.refuse(t, "INSERT ON tasks")

	form := with(good(), "prompt", typed)
	back := p.post("/create/text-to-video", form).is(503).shows(cannotWrite, "the words that I typed, with “marks” &amp; &lt;signs&gt;", `action="/create/text-to-video"`)
	if strings.Contains(back.body, "SQL") || strings.Contains(back.body, "disk is full") {
		t.Error("the page repeats what the database said")
	}
	p.post(recipe, fill("blank:product", typed, "blank:place", "stone")).is(503).shows(cannotWrite, "the words that I typed")
	p.post(recipe+"/batch", batch).is(503).shows(cannotWrite, "red cup", "green cup", "Make 2 videos")
	if n := h.wire.count("/api/ai/generate"); n != 0 || len(h.tasks(t)) != 0 {
		t.Errorf("%d create calls, %d videos", n, len(h.tasks(t)))
	}
	if !strings.Contains(h.log.String(), "disk is full") {
		t.Error("the log does not say why")
	}

	mend()
	made(t, p.post("/create/text-to-video", form))
	p.post(recipe+"/batch", batch).is(303)
	if n := len(h.tasks(t)); n != 3 {
		t.Errorf("%d videos", n)
	}
}

// What is only a convenience must not turn a video that is being made into an
// error: the person would press again, and pay again.
func TestAStartedVideoIsNeverAnsweredWithAnError(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.work(t)
	r := h.addRecipe(t, 1)
	recipe := fmt.Sprintf("/recipes/%d", r.ID)
	for _, draft := range []string{"draft 1 image-to-video", "draft 1 text-to-video", fmt.Sprintf("draft 1 recipe %d", r.ID)} {
		must(t, h.store.SetSetting(t.Context(), draft, "prompt=older"))
	}
	mend := h.refuse(t, "UPDATE OF last_scene ON users", "INSERT ON settings")
	p.post("/create/text-to-video", good()).is(303)
	p.post(recipe, fill("blank:product", "red cup", "blank:place", "stone")).is(303)
	pic := pictures(t)
	p.post("/create/image-to-video", with(good(), "image_input", pic)).is(303)
	if n := h.wire.count("/api/ai/generate"); n != 3 {
		t.Errorf("%d create calls", n)
	}
	if n := strings.Count(h.log.String(), "disk is full"); n < 4 {
		t.Errorf("the log tells of %d errors", n)
	}

	mend()
	h.refuse(t, "UPDATE OF decided_at ON tasks WHEN NEW.decided_at IS NOT NULL")
	p.post("/create/text-to-video", with(good(), "prompt", "a boat #refuse")).is(422).shows("a boat #refuse", "Nothing was paid")
	p.post(recipe, fill("blank:product", "#refuse cup", "blank:place", "stone")).is(422).shows("#refuse cup", "Nothing was paid")
}

func TestWithoutAKeyNothingIsLostThoughNothingCanBeKept(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	recipe := fmt.Sprintf("/recipes/%d", h.addRecipe(t, 1).ID)
	p.post("/settings/key/delete", nil).is(303)
	h.refuse(t, "INSERT ON settings", "UPDATE OF last_scene ON users")
	p.post("/create/text-to-video", with(good(), "prompt", "all my words")).is(422).shows("all my words", "could not be kept").hides("is kept here")
	p.post(recipe, fill("blank:product", "red cup", "blank:place", "stone")).is(422).shows("red cup", "could not be kept")
}

// The answer comes when the outcome does, not when the database is looked into
// again.
func TestAPressHearsOfItsOutcomeAtOnce(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.work(t)
	fastest := time.Hour
	for i := range 8 {
		began := time.Now()
		p.post("/create/text-to-video", with(good(), "prompt", fmt.Sprint("boat ", i))).is(303)
		fastest = min(fastest, time.Since(began))
	}
	if fastest >= create.OutcomeLook {
		t.Errorf("the fastest answer took %v", fastest)
	}
	if n := handlers.Bells(h.app); n != 0 {
		t.Errorf("%d bells still hang", n)
	}
}

// Where the watcher is another process, nothing rings.
func TestAPressSeesItsOutcomeWithoutABell(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.watcher.Settled = nil
	h.work(t)
	p.post("/create/text-to-video", with(good(), "prompt", "a boat #refuse")).is(422).shows("a boat #refuse", "Nothing was paid")
}
