package press_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"dailies/db"
	"dailies/handlers/handlerstest"
	"dailies/handlers/press"
)

const typed = "the words that I typed, with “marks” & <signs>"

func TestASubmissionThatCannotBeStoredKeepsEverythingTyped(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	recipe := fmt.Sprintf("/recipes/%d", h.AddRecipe(t, 1).ID)
	rows := p.Post(recipe+"/batch", handlerstest.FilledForm("do", "check", "table", "red cup\twooden\ngreen cup\tstone")).Is(200)
	batch := handlerstest.RowsOf(t, rows, "make")
	mend := h.RefuseWrites(t, "INSERT ON tasks")

	form := handlerstest.WithField(handlerstest.GoodForm(), "prompt", typed)
	back := p.Post("/create/text-to-video", form).Is(503).Shows(handlerstest.CannotWrite, "the words that I typed, with “marks” &amp; &lt;signs&gt;").Has(`[action="/create/text-to-video"]`)
	if strings.Contains(back.Text, "SQL") || strings.Contains(back.Text, "disk is full") {
		t.Error("the page repeats what the database said")
	}
	p.Post(recipe, handlerstest.FilledForm("blank:product", typed, "blank:place", "stone")).Is(503).Shows(handlerstest.CannotWrite, "the words that I typed")
	p.Post(recipe+"/batch", batch).Is(503).Shows(handlerstest.CannotWrite, "red cup", "green cup", "Make 2 videos")
	if n := h.Wire.Count("/api/ai/generate"); n != 0 || len(h.Tasks(t)) != 0 {
		t.Errorf("%d create calls, %d videos", n, len(h.Tasks(t)))
	}
	if !strings.Contains(h.Log.String(), "disk is full") {
		t.Error("the log does not say why")
	}

	mend()
	handlerstest.Made(t, p.Post("/create/text-to-video", form))
	p.Post(recipe+"/batch", batch).Is(303)
	if n := len(h.Tasks(t)); n != 3 {
		t.Errorf("%d videos", n)
	}
}

// A failure of a mere convenience must not turn a video that is being made into an
// error: the user would submit again, and pay twice.
func TestAStartedVideoIsNeverAnsweredWithAnError(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	r := h.AddRecipe(t, 1)
	recipe := fmt.Sprintf("/recipes/%d", r.ID)
	for _, draft := range []string{"draft 1 image-to-video", "draft 1 text-to-video", fmt.Sprintf("draft 1 recipe %d", r.ID)} {
		must(t, h.Store.Settings.SetSetting(t.Context(), draft, "prompt=older"))
	}
	mend := h.RefuseWrites(t, "UPDATE OF last_scene ON users", "INSERT ON settings")
	p.Post("/create/text-to-video", handlerstest.GoodForm()).Is(303)
	p.Post(recipe, handlerstest.FilledForm("blank:product", "red cup", "blank:place", "stone")).Is(303)
	pic := handlerstest.Pictures(t)
	p.Post("/create/image-to-video", handlerstest.WithField(handlerstest.GoodForm(), "image_input", pic)).Is(303)
	if n := h.Wire.Count("/api/ai/generate"); n != 3 {
		t.Errorf("%d create calls", n)
	}
	if n := strings.Count(h.Log.String(), "disk is full"); n < 4 {
		t.Errorf("the log tells of %d errors", n)
	}

	mend()
	h.RefuseWrites(t, "UPDATE OF decided_at ON tasks WHEN NEW.decided_at IS NOT NULL")
	p.Post("/create/text-to-video", handlerstest.WithField(handlerstest.GoodForm(), "prompt", "a boat #refuse")).Is(422).Shows("a boat #refuse", "Nothing charged")
	p.Post(recipe, handlerstest.FilledForm("blank:product", "#refuse cup", "blank:place", "stone")).Is(422).Shows("#refuse cup", "Nothing charged")
}

func TestWithoutAKeyTheFormKeepsEverythingIfNoDraftCanBeStored(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	recipe := fmt.Sprintf("/recipes/%d", h.AddRecipe(t, 1).ID)
	p.Post("/settings/key/delete", nil).Is(303)
	h.RefuseWrites(t, "INSERT ON settings", "UPDATE OF last_scene ON users")
	p.Post("/create/text-to-video", handlerstest.WithField(handlerstest.GoodForm(), "prompt", "all my words")).Is(422).Shows("all my words", "your prompt isn’t saved").Hides("is kept")
	p.Post(recipe, handlerstest.FilledForm("blank:product", "red cup", "blank:place", "stone")).Is(422).Shows("red cup", "your prompt isn’t saved")
}

// The response is sent as soon as the outcome is known, not only when the database is
// polled again.
func TestASubmissionIsAnsweredAsSoonAsItsOutcomeIsKnown(t *testing.T) {
	press.AwaitOnlyNotices(t)
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	for i := range 8 {
		p.Post("/create/text-to-video", handlerstest.WithField(handlerstest.GoodForm(), "prompt", fmt.Sprint("boat ", i))).Is(303)
	}
}

func TestBellsAreTakenDown(t *testing.T) {
	if n, waited := press.AddWaiters(); n != 0 || !slices.Equal(waited, []bool{false, true, false}) {
		t.Errorf("%d waiters are left; there were requests that waited: %v", n, waited)
	}
}

// If the watcher is in another process, nobody is notified here.
func TestASubmissionFindsItsOutcomeByPolling(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Watcher.Settled = nil
	h.Run(t)
	p.Post("/create/text-to-video", handlerstest.WithField(handlerstest.GoodForm(), "prompt", "a boat #refuse")).Is(422).Shows("a boat #refuse", "Nothing charged")
}

func TestDiscardingAPageWithoutADraftStoresNothing(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	kim.Post("/drafts/discard", handlerstest.FilledForm("page", "/recipes/123456")).Is(303).LeadsTo("/recipes/123456")
	if _, err := h.Store.Settings.Setting(t.Context(), "draft 1 recipe 123456"); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("a draft is stored: %v", err)
	}
}
