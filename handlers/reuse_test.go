package handlers_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"dailies/db"
)

// recipe is a video of the person's with everything that a form can say.
func (h *house) recipe(t *testing.T, userID int64, s db.State, change ...func(*db.Task)) db.Task {
	t.Helper()
	yes, seed := true, int64(77)
	task := db.Task{
		UserID: userID, FormToken: db.NewToken(), Scene: "image-to-video", Model: "bytedance/v1-lite-image-to-video", Prompt: "a paper boat sails",
		Pictures: []string{"https://example.com/boat.png"}, CreatedAt: db.Now(),
		Options: db.Options{Duration: 10, Resolution: "1080p", CameraFixed: &yes, SafetyChecker: &yes, Seed: &seed},
	}
	for _, c := range change {
		c(&task)
	}
	queue(t, h.store, &task)
	return h.bring(t, task.ID, s)
}

// bring takes a new task to the state, for 30 credits.
func (h *house) bring(t *testing.T, id int64, s db.State) db.Task {
	t.Helper()
	task, err := h.store.UpdateTask(t.Context(), id, func(t *db.Task) error {
		now := db.Now()
		if err := t.Begin(now); err != nil {
			return err
		}
		return taken(t, db.Report{RemoteID: fmt.Sprint("r", id), Status: string(s), Charged: db.CreditsOf(30)})
	})
	must(t, err)
	return task
}

func (h *house) change(t *testing.T, id int64, change func(*db.Task) error) {
	t.Helper()
	_, err := h.store.UpdateTask(t.Context(), id, change)
	must(t, err)
}

const (
	hasWords    = ">a paper boat sails</textarea>"
	hasPicture  = `type="url" value="https://example.com/boat.png"`
	hasLength   = `value="10" checked`
	hasFromLine = `id="origin"`
)

func TestEachVerbTakesItsPartIntoTheForm(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.recipe(t, 1, db.Success)
	everything := []string{hasWords, hasPicture, hasLength, "77"}
	for query, tt := range map[string]struct{ shows, hides []string }{
		"?from=1":                               {everything, []string{hasFromLine}},
		"?from=1&use=everything":                {append(everything, hasFromLine, "with everything", `name="use" value="everything"`), nil},
		"?from=1&use=unseeded":                  {[]string{hasWords, hasPicture, hasLength, hasFromLine, "everything but the seed"}, []string{`value="77"`}},
		"?from=1&use=prompt":                    {[]string{hasWords, hasFromLine, "only the prompt"}, []string{hasPicture, hasLength, `value="77"`}},
		"?from=1&use=pictures":                  {[]string{hasPicture, hasFromLine, "only the pictures"}, []string{hasWords, hasLength, `value="77"`}},
		"?from=1&use=final":                     {append(everything, hasFromLine, "final of the draft", `value="bytedance/v1-pro-image-to-video" checked`), nil},
		"?from=1&use=retry":                     {append(everything, hasFromLine, "another try"), nil},
		"?from=1&use=nonsense":                  {everything, []string{hasFromLine}},
		"?from=x&use=prompt":                    {nil, []string{hasWords, hasFromLine}},
		"?from=-1&use=prompt":                   {nil, []string{hasWords, hasFromLine}},
		"?from=99&use=prompt":                   {nil, []string{hasWords, hasFromLine}},
		"?from=99999999999999999999&use=prompt": {nil, []string{hasWords, hasFromLine}},
		"?from=1&use=next&image_input=https://example.com/last.png":                 {[]string{hasWords, `type="url" value="https://example.com/last.png"`, hasLength, "next scene"}, []string{hasPicture, `value="77"`}},
		"?from=1&use=everything&prompt=":                                            {[]string{hasPicture, hasFromLine}, []string{hasWords}},
		"?from=1&use=prompt&prompt=a+tin+boat":                                      {[]string{">a tin boat</textarea>", hasFromLine}, []string{hasWords}},
		"?from=1&use=everything&drop=origin":                                        {nil, []string{hasFromLine, hasWords}},
		"?from=1&use=everything&drop=origin&options_of=x&prompt=a+paper+boat+sails": {[]string{hasWords}, []string{hasFromLine, hasPicture}},
	} {
		p.get("/create/image-to-video" + query).is(200).shows(tt.shows...).hides(tt.hides...)
	}
}

func TestAVerbGivesNothingThatTheViewerMayNotHave(t *testing.T) {
	h := newHouse(t)
	owner := h.founder(t)
	other := h.joiner(t, owner, "ada")
	public := h.recipe(t, 1, db.Success)
	private := h.recipe(t, 1, db.Success, func(t *db.Task) { t.Private = true })
	failed := h.recipe(t, 1, db.Failed)
	binned := h.recipe(t, 1, db.Success)
	h.change(t, binned.ID, func(t *db.Task) error { t.Keeping = db.Kept; return t.Delete(1, db.Now()) })
	h.work(t)
	for _, tt := range []struct {
		task       db.Task
		hers, mine bool
	}{{public, true, true}, {private, false, true}, {failed, false, true}, {binned, false, false}} {
		for p, may := range map[*person]bool{owner: tt.mine, other: tt.hers} {
			page := p.get(fmt.Sprintf("/create/image-to-video?from=%d&use=everything", tt.task.ID)).is(200)
			if may {
				page.shows(hasWords, hasFromLine)
			} else {
				page.hides(hasWords, hasFromLine)
			}
			form := with(good(), "from", fmt.Sprint(tt.task.ID))
			id := made(t, p.post("/create/text-to-video", with(form, "use", "prompt")))
			task, err := h.store.Task(t.Context(), id)
			must(t, err)
			if got := task.ParentID == tt.task.ID && task.Bond == db.Prompted; got != may {
				t.Errorf("made from video %d: parent %d, bond %q", tt.task.ID, task.ParentID, task.Bond)
			}
			if task.Private != (may && tt.task.Private) {
				t.Errorf("made from video %d it is private: %v", tt.task.ID, task.Private)
			}
		}
	}
}

func TestWhatAFormIsMadeFromGoesAlongThroughMistakesTabsAndDrafts(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.recipe(t, 1, db.Success)
	form := with(with(good(), "from", "1"), "use", "prompt")
	p.post("/create/text-to-video", with(form, "prompt", "")).is(422).shows(hasFromLine, `name="from" value="1"`, `name="use" value="prompt"`)
	p.get("/create/image-to-video?from=1&use=prompt").is(200).shows("/create/text-to-video?from=1&amp;prompt=a+paper+boat+sails&amp;use=prompt")
	p.post("/settings/key/delete", nil).is(303)
	p.post("/create/text-to-video", with(form, "prompt", "a tin boat")).is(422)
	p.get("/create/text-to-video").is(200).shows(">a tin boat</textarea>", hasFromLine)
}

func TestTheSameButtonAgainIsMadeFromNothing(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.recipe(t, 1, db.Success)
	h.work(t)
	first := p.post("/create/text-to-video", with(with(good(), "from", "1"), "use", "prompt")).is(303)
	first.leadsTo("/create/text-to-video?from=2#latest")
	p.get("/create/text-to-video?from=2").is(200).hides(hasFromLine, `name="use"`)
	id := made(t, p.post("/create/text-to-video", with(good(), "from", "2")))
	if task, err := h.store.Task(t.Context(), id); err != nil || task.ParentID != 0 || task.Bond != db.NoBond {
		t.Errorf("made from %d, %q, %v", task.ParentID, task.Bond, err)
	}
}

func TestAnotherTryKnowsWhatItTriesAgain(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.addTask(t, 1, db.Failed)
	h.addTask(t, 1, db.Unconfirmed)
	h.work(t)
	for i, verb := range []string{"again", "resend"} {
		old := int64(i + 1)
		at := p.post(fmt.Sprintf("/tasks/%d/%s", old, verb), nil).is(303).Header.Get("Location")
		p.get(at).is(200).shows("Made from", "another try", fmt.Sprintf(`href="/tasks/%d"`, old))
		p.get(fmt.Sprintf("/tasks/%d", old)).is(200).shows("Led to", "another try", `href="`+at+`"`)
	}
}

func TestLineageShowsOnlyWhatTheViewerMaySee(t *testing.T) {
	h := newHouse(t)
	owner := h.founder(t)
	other := h.joiner(t, owner, "ada")
	parent := h.recipe(t, 1, db.Success)
	child := func(bond db.Bond, prompt string, more ...func(*db.Task)) db.Task {
		return h.recipe(t, 1, db.Success, append(more, func(t *db.Task) { t.ParentID, t.Bond, t.Prompt = parent.ID, bond, prompt })...)
	}
	child(db.Prompted, "the open child")
	child(db.Continued, "the secret child", func(t *db.Task) { t.Private = true })
	binned := child(db.Copied, "the binned child")
	h.change(t, binned.ID, func(t *db.Task) error { t.Keeping = db.Kept; return t.Delete(1, db.Now()) })
	path := fmt.Sprintf("/tasks/%d", parent.ID)
	owner.get(path).is(200).shows("Led to", "the open child", "only the prompt", "the secret child", "next scene").hides("the binned child")
	other.get(path).is(200).shows("Led to", "the open child").hides("the binned child", "the secret child", "next scene")
	h.change(t, parent.ID, func(t *db.Task) error { t.Private = true; return nil })
	other.get("/tasks/2").is(200).hides("Made from", "a paper boat sails")
	owner.get("/tasks/2").is(200).shows("Made from", "a paper boat sails")
}

func TestTheFinalOfADraftIsOfferedWithItsPrice(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	yes := true
	draft := h.recipe(t, 1, db.Success, func(t *db.Task) {
		t.Scene, t.Model, t.Pictures = "text-to-video", "seedance-2.0-fast", nil
		t.Options = db.Options{Duration: 5, AspectRatio: "16:9", Resolution: "720p", Audio: &yes}
	})
	h.change(t, draft.ID, func(t *db.Task) error { t.Charged = db.CreditsOf(18); return nil })
	p.get("/tasks/1").is(200).shows("Make the final with Seedance 2.0", "30 credits, 12 credits more than the draft", "use=final")
	page := p.get("/create/text-to-video?from=1&use=final").is(200)
	page.shows(`value="seedance-2.0" checked`, "30 credits</b>", "12 credits more than the draft", `value="1080p"`, "Draft first with Seedance 2.0 Fast", "12 credits less")
	h.work(t)
	form := url.Values{"model": {"seedance-2.0"}, "prompt": {draft.Prompt}, "duration": {"5"}, "resolution": {"1080p"}, "from": {"1"}}
	for use, want := range map[string]db.Bond{"final": db.Finalized, "everything": db.Finalized, "unseeded": db.Reseeded} {
		id := made(t, p.post("/create/text-to-video", with(with(form, "use", use), "token", use)))
		if task, err := h.store.Task(t.Context(), id); err != nil || task.Bond != want {
			t.Errorf("%s makes %q of it, %v", use, task.Bond, err)
		}
	}
	other := with(with(form, "use", "final"), "model", "veo3")
	other.Del("duration")
	if task, err := h.store.Task(t.Context(), made(t, p.post("/create/text-to-video", with(other, "resolution", "720p")))); err != nil || task.Bond != db.Copied {
		t.Errorf("on another model it is %q of the draft, %v", task.Bond, err)
	}
}

func TestAFullModelOffersItsDraftAndKeepsEverything(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	p.get("/create/text-to-video?model=seedance-2.0").is(200).shows("Draft first with Seedance 2.0 Fast", "(price not known yet)", `data-model="seedance-2.0-fast"`)
	p.get("/create/text-to-video?model=seedance-2.0-fast").is(200).hides("Draft first")
	p.get("/create/frames-to-video?model=veo3").is(200).shows("Draft first with Veo 3.1 Fast")
	sent := url.Values{"model": {"seedance-2.0"}, "options_of": {"seedance-2.0"}, "prompt": {"a long boat"}, "duration": {"9"}, "resolution": {"1080p"}, "count": {"3"}, "instead": {"seedance-2.0-fast"}}
	p.get("/create/text-to-video?"+sent.Encode()).is(200).shows(`value="seedance-2.0-fast" checked`, "a long boat", `value="9" checked`, `name="count" value="3" checked`,
		"Resolution is now 720p, because Seedance 2.0 Fast does not make 1080p")
}

func TestTheMenuOffersOnlyWhatThereIs(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.addTask(t, 1, db.Success)
	page := p.get("/tasks/1").is(200).shows("Use everything", "Only the prompt", "Save as a recipe", "/recipes/new?from=1")
	page.hides("Only the pictures", "but the seed", "Next scene", "Make the final")
	h.recipe(t, 1, db.Success)
	p.get("/tasks/2").is(200).shows("Only the pictures", "Everything but the seed", "Make the final with ByteDance V1 Pro", "price not known yet")
	if n := strings.Count(p.get("/tasks/latest").is(200).body, "Use everything"); n != 2 {
		t.Errorf("%d of 2 cards have the menu", n)
	}
}

func TestWhatIsMadeOfAPrivateVideoStaysPrivate(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.work(t)
	private := h.addTask(t, 1, db.Success)
	h.change(t, private.ID, func(t *db.Task) error { t.Private, t.Keeping = true, db.Kept; return nil })
	form := with(with(good(), "from", fmt.Sprint(private.ID)), "use", "everything")
	again := p.post("/create/text-to-video", form).is(303).leadsTo("/create/text-to-video?from=2&use=everything#latest")
	p.get(again.Header.Get("Location")).is(200).shows("It is private, so this one will be too.")
	p.post("/tasks/delete", chosen([]db.Task{private})).is(303)
	id := made(t, p.post("/create/text-to-video", with(form, "token", db.NewToken())))
	if task, err := h.store.Task(t.Context(), id); err != nil || !task.Private {
		t.Errorf("made from a private video that was deleted meanwhile: %v, %v", task.Private, err)
	}
}
