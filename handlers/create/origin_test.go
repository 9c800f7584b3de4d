package create_test

import (
	"fmt"
	"net/url"
	"testing"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/handlers/handlerstest"
)

const (
	hasWords    = ">a paper boat sails</textarea>"
	hasPicture  = `type="url" value="https://example.com/boat.png"`
	hasLength   = `value="10" checked`
	hasFromLine = `id="origin"`
)

func TestEachKindOfReuseFillsItsPartOfTheForm(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Recipe(t, 1, db.Success)
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
		p.Get("/create/image-to-video" + query).Is(200).Shows(tt.shows...).Hides(tt.hides...)
	}
}

func TestReuseGivesNothingThatTheViewerMayNotSee(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	other := h.Joiner(t, owner, "ada")
	public := h.Recipe(t, 1, db.Success)
	private := h.Recipe(t, 1, db.Success, func(t *db.Task) { t.Private = true })
	failed := h.Recipe(t, 1, db.Failed)
	binned := h.Recipe(t, 1, db.Success)
	h.Change(t, binned.ID, func(t *db.Task) error { t.Keeping = db.Kept; return t.Delete(1, db.Now()) })
	h.Run(t)
	for _, tt := range []struct {
		task       db.Task
		hers, mine bool
	}{{public, true, true}, {private, false, true}, {failed, false, true}, {binned, false, false}} {
		for p, may := range map[*handlerstest.Browser]bool{owner: tt.mine, other: tt.hers} {
			page := p.Get(fmt.Sprintf("/create/image-to-video?from=%d&use=everything", tt.task.ID)).Is(200)
			if may {
				page.Shows(hasWords, hasFromLine)
			} else {
				page.Hides(hasWords, hasFromLine)
			}
			form := handlerstest.WithField(handlerstest.GoodForm(), "from", fmt.Sprint(tt.task.ID))
			id := handlerstest.Made(t, p.Post("/create/text-to-video", handlerstest.WithField(form, "use", "prompt")))
			task, err := h.Store.Tasks.Task(t.Context(), id)
			must(t, err)
			if got := task.ParentID == tt.task.ID && task.Reuse == db.Prompted; got != may {
				t.Errorf("made from video %d: parent %d, reuse %q", tt.task.ID, task.ParentID, task.Reuse)
			}
			if task.Private != (may && tt.task.Private) {
				t.Errorf("made from video %d it is private: %v", tt.task.ID, task.Private)
			}
		}
	}
}

func TestTheReusedVideoIsRememberedThroughMistakesTabsAndDrafts(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Recipe(t, 1, db.Success)
	form := handlerstest.WithField(handlerstest.WithField(handlerstest.GoodForm(), "from", "1"), "use", "prompt")
	p.Post("/create/text-to-video", handlerstest.WithField(form, "prompt", "")).Is(422).Shows(hasFromLine).Has("[name=from][value=1]", "[name=use][value=prompt]")
	p.Get("/create/image-to-video?from=1&use=prompt").Is(200).Shows("/create/text-to-video?from=1&amp;prompt=a+paper+boat+sails&amp;use=prompt")
	p.Post("/settings/key/delete", nil).Is(303)
	p.Post("/create/text-to-video", handlerstest.WithField(form, "prompt", "a tin boat")).Is(422)
	p.Get("/create/text-to-video").Is(200).Shows(">a tin boat</textarea>", hasFromLine)
}

func TestSubmittingTheFormAgainReusesNoVideo(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Recipe(t, 1, db.Success)
	h.Run(t)
	first := p.Post("/create/text-to-video", handlerstest.WithField(handlerstest.WithField(handlerstest.GoodForm(), "from", "1"), "use", "prompt")).Is(303)
	first.LeadsTo("/create/text-to-video?from=2#latest")
	p.Get("/create/text-to-video?from=2").Is(200).Hides(hasFromLine).Lacks("[name=use]")
	id := handlerstest.Made(t, p.Post("/create/text-to-video", handlerstest.WithField(handlerstest.GoodForm(), "from", "2")))
	if task, err := h.Store.Tasks.Task(t.Context(), id); err != nil || task.ParentID != 0 || task.Reuse != db.NoReuse {
		t.Errorf("made from %d, %q, %v", task.ParentID, task.Reuse, err)
	}
}

func TestARetryRecordsTheVideoThatItRetries(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.AddTask(t, 1, db.Failed)
	h.AddTask(t, 1, db.Unconfirmed)
	h.Run(t)
	for i, verb := range []string{"again", "resend"} {
		old := int64(i + 1)
		at := p.Post(fmt.Sprintf("/tasks/%d/%s", old, verb), nil).Is(303).Header.Get("Location")
		p.Get(at).Is(200).Shows("Based on", "another try").Has(fmt.Sprintf(`[href="/tasks/%d"]`, old))
		p.Get(fmt.Sprintf("/tasks/%d", old)).Is(200).Shows("Led to", "another try").Has(`[href="` + at + `"]`)
	}
}

func TestLineageShowsOnlyWhatTheViewerMaySee(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	other := h.Joiner(t, owner, "ada")
	parent := h.Recipe(t, 1, db.Success)
	child := func(reuse db.Reuse, prompt string, more ...func(*db.Task)) db.Task {
		return h.Recipe(t, 1, db.Success, append(more, func(t *db.Task) { t.ParentID, t.Reuse, t.Prompt = parent.ID, reuse, prompt })...)
	}
	child(db.Prompted, "the open child")
	child(db.Continued, "the secret child", func(t *db.Task) { t.Private = true })
	binned := child(db.Copied, "the binned child")
	h.Change(t, binned.ID, func(t *db.Task) error { t.Keeping = db.Kept; return t.Delete(1, db.Now()) })
	path := fmt.Sprintf("/tasks/%d", parent.ID)
	owner.Get(path).Is(200).Shows("Led to", "the open child", "only the prompt", "the secret child", "next scene").Hides("the binned child")
	other.Get(path).Is(200).Shows("Led to", "the open child").Hides("the binned child", "the secret child", "next scene")
	h.Change(t, parent.ID, func(t *db.Task) error { t.Private = true; return nil })
	other.Get("/tasks/2").Is(200).Hides("Based on", "a paper boat sails")
	owner.Get("/tasks/2").Is(200).Shows("Based on", "a paper boat sails")
}

func TestTheFinalOfADraftIsOfferedWithItsPrice(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	yes := true
	draft := h.Recipe(t, 1, db.Success, func(t *db.Task) {
		t.Scene, t.Model, t.Pictures = "text-to-video", "seedance-2.0-fast", nil
		t.Options = db.Options{Duration: 5, AspectRatio: "16:9", Resolution: "720p", Audio: &yes}
	})
	h.Change(t, draft.ID, func(t *db.Task) error { t.Charged = db.CreditsOf(18); return nil })
	p.Get("/tasks/1").Is(200).Shows("Make the real one with Seedance 2.0", "30 credits, 12 credits more than the draft", "use=final")
	page := p.Get("/create/text-to-video?from=1&use=final").Is(200)
	page.Shows("30 credits</b> <span>12 credits more than the draft</span>", "With Seedance 2.0 Fast, 12 credits less").Has(`[value="seedance-2.0"][checked]`).Has("[value=1080p]")
	p.Get("/create/text-to-video?from=1&use=everything").Is(200).Shows("18 credits</b>").Hides("no more than the draft") // another draft
	h.Run(t)
	form := url.Values{"model": {"seedance-2.0"}, "prompt": {draft.Prompt}, "duration": {"5"}, "resolution": {"1080p"}, "from": {"1"}}
	for use, want := range map[string]db.Reuse{"final": db.Finalized, "everything": db.Finalized, "unseeded": db.Reseeded} {
		id := handlerstest.Made(t, p.Post("/create/text-to-video", handlerstest.WithField(handlerstest.WithField(form, "use", use), "token", use)))
		if task, err := h.Store.Tasks.Task(t.Context(), id); err != nil || task.Reuse != want {
			t.Errorf("%s makes %q of it, %v", use, task.Reuse, err)
		}
	}
	other := handlerstest.WithField(handlerstest.WithField(form, "use", "final"), "model", "veo3")
	other.Del("duration")
	if task, err := h.Store.Tasks.Task(t.Context(), handlerstest.Made(t, p.Post("/create/text-to-video", handlerstest.WithField(other, "resolution", "720p")))); err != nil || task.Reuse != db.Copied {
		t.Errorf("on another model it is %q of the draft, %v", task.Reuse, err)
	}
}

func TestAFullModelOffersItsDraftAndKeepsEverything(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	p.Get("/create/text-to-video?model=seedance-2.0").Is(200).Shows("Draft first", "With Seedance 2.0 Fast").Has("[name=draft_first]").Lacks("[name=draft_first][checked]")
	p.Get("/create/text-to-video?model=seedance-2.0-fast").Is(200).Hides("Draft first")
	p.Get("/create/frames-to-video?model=veo3").Is(200).Shows("Draft first", "With Veo 3.1 Fast")
	sent := url.Values{"model": {"seedance-2.0"}, "options_of": {"seedance-2.0"}, "prompt": {"a long boat"}, "duration": {"9"}, "resolution": {"1080p"}, "count": {"3"}, "draft_first": {"true"}}
	p.Get("/create/text-to-video?"+sent.Encode()).Is(200).Shows("a long boat", "Make 3 drafts").Has(`[value="seedance-2.0"][checked]`, "[value=9][checked]", "[name=count][value=3][checked]", "[name=draft_first][checked]")
	h.Run(t)
	first := handlerstest.Made(t, p.Post("/create/text-to-video", handlerstest.WithField(sent, "prompt", "a long boat")))
	if task, err := h.Store.Tasks.Task(t.Context(), first); err != nil || task.Model != "seedance-2.0-fast" || task.Options.Resolution != "720p" {
		t.Errorf("the draft is made with %s in %s, %v", task.Model, task.Options.Resolution, err)
	}
}

func TestTheMenuOffersOnlyWhatThereIs(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.AddTask(t, 1, db.Success)
	page := p.Get("/tasks/1").Is(200).Shows("Make again with the same settings", "Use prompt", "Save as a recipe", "/recipes/new?from=1")
	page.Hides("Use pictures", "new variation", "Next scene", "Make the real one")
	h.Recipe(t, 1, db.Success)
	p.Get("/tasks/2").Is(200).Shows("Use pictures", "New take", "Make the real one with ByteDance V1 Pro", "price not known yet")
	for take, scene := range map[string]string{"1": "text-to-video", "2": "image-to-video"} {
		p.Get("/tasks/latest?take=" + take).Is(200).Has(`#more [href="/create/` + scene + `?from=` + take + `&use=everything"]`)
	}
}

func TestWhatIsMadeOfAPrivateVideoStaysPrivate(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	private := h.AddTask(t, 1, db.Success)
	h.Change(t, private.ID, func(t *db.Task) error { t.Private, t.Keeping = true, db.Kept; return nil })
	form := handlerstest.WithField(handlerstest.WithField(handlerstest.GoodForm(), "from", fmt.Sprint(private.ID)), "use", "everything")
	again := p.Post("/create/text-to-video", form).Is(303).LeadsTo("/create/text-to-video?from=2&use=everything#latest")
	p.Get(again.Header.Get("Location")).Is(200).Shows("This one will be private too.")
	p.Post("/tasks/delete", handlerstest.ChosenForm([]db.Task{private})).Is(303)
	id := handlerstest.Made(t, p.Post("/create/text-to-video", handlerstest.WithField(form, "token", secrets.NewToken())))
	if task, err := h.Store.Tasks.Task(t.Context(), id); err != nil || !task.Private {
		t.Errorf("made from a private video that was deleted meanwhile: %v, %v", task.Private, err)
	}
}
