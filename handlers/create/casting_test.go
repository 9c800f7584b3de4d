package create_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/cast"
	"dailies/db/ordering"
	"dailies/db/secrets"
	"dailies/handlers/handlerstest"
)

// wordsOf returns what the service got as the prompt.
func wordsOf(t db.Task) string { return cmp.Or(t.SentPrompt, t.Prompt) }

func looks(look string) func(*cast.Member) { return func(m *cast.Member) { m.Look = look } }

// ofCast are the options of a body with these pictures.
func ofCast(scene string, pictures ...string) map[string]any {
	options := map[string]any{"mode": scene, "duration": 5, "resolution": "720p", "aspect_ratio": "16:9", "generate_audio": true, "has_audio": true}
	if len(pictures) > 0 {
		options["image_input"] = pictures
	}
	return options
}

// The client of the service knows nothing of the cast: documented fields carry pictures and
// plain words.
func TestTheServiceReceivesPicturesAndWordsOfTheCast(t *testing.T) {
	h := handlerstest.New(t)
	h.Watcher.Poll = time.Hour
	bodies := recordCreates(h)
	p := h.Founder(t)
	h.Run(t)
	host := handlerstest.Pictures(t)
	handlerstest.AddMemberWith(t, h, host, "anna", 2, looks("dark bob, @cup {{x}}"))
	handlerstest.AddMemberWith(t, h, host, "cup", 1)
	handlerstest.AddMemberWith(t, h, host, "安娜", 1)
	handlerstest.AddMemberWith(t, h, host, "tin", 3)
	handlerstest.AddMemberWith(t, h, host, "bo", 1)
	form := func(prompt string, more ...string) url.Values {
		v := handlerstest.FilledForm(more...)
		v.Set("model", "seedance-2.0")
		v.Set("token", secrets.NewToken())
		v.Set("prompt", prompt)
		return v
	}
	const references, image = "reference-to-video", "image-to-video"
	for _, test := range []struct {
		name, scene string
		form        url.Values
		words       string
		pictures    []string
	}{
		{"references", references, form("@Anna pours tea into the @cup. @anna smiles at ana@example.com"),
			"Anna (image 1, image 3) [dark bob, @cup {{x}}] pours tea into the Cup (image 2). Anna (image 1, image 3) smiles at ana@example.com", []string{"/anna-1.png", "/cup-1.png", "/anna-2.png"}},
		{"a picture of one’s own", references, form("@anna with the @cup", "image_input", host+"/own.png"),
			"Anna (image 2) [dark bob, @cup {{x}}] with the Cup (image 3)", []string{"/own.png", "/anna-1.png", "/cup-1.png"}},
		{"a script without spaces", references, form("@安娜在海边走"), "安娜 (image 1)在海边走", []string{"/%E5%AE%89%E5%A8%9C-1.png"}},
		{"words", "text-to-video", form("@anna and @nobody"), "Anna [dark bob, @cup {{x}}] and @nobody", nil},
		{"a start", image, form("@cup falls", "image_input", "@cup"), "Cup falls", []string{"/cup-1.png"}},
		{"a second picture", image, form("falls", "image_input", "@TIN.2"), "falls", []string{"/tin-2.png"}},
		{"another choice", references, form("@anna @cup @tin @bo", "cast_choose", "shown", "cast_picture", "@tin.3"),
			"Anna [dark bob, @cup {{x}}] Cup Tin (image 1) Bo", []string{"/tin-3.png"}},
		{"the rest as words", references, form("@anna @cup @tin @bo", "cast_choose", "words"),
			"Anna (image 1) [dark bob, @cup {{x}}] Cup (image 2) Tin (image 3) Bo", []string{"/anna-1.png", "/cup-1.png", "/tin-1.png"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p.T = t
			id := handlerstest.Made(t, p.Post("/create/"+test.scene, test.form))
			var pictures []string
			for _, path := range test.pictures {
				pictures = append(pictures, host+path)
			}
			options := ofCast(test.scene, pictures...)
			sameBody(t, <-bodies, map[string]any{"mediaType": "video", "scene": test.scene, "model": "seedance-2.0", "prompt": test.words, "options": options})
			task, err := h.Store.Tasks.Task(t.Context(), id)
			must(t, err)
			if task.Prompt != test.form.Get("prompt") || wordsOf(task) != test.words || !slices.Equal(task.Pictures, pictures) && len(pictures) > 0 {
				t.Errorf("kept %q, sent %q, %q", task.Prompt, wordsOf(task), task.Pictures)
			}
			was, err := h.Store.Cast.Of(t.Context(), id)
			must(t, err)
			for _, a := range was {
				for _, at := range a.Sent {
					if !slices.Contains(a.Pictures, task.Pictures[at]) {
						t.Errorf("picture %d of %q is not of %s", at, task.Pictures, a.Name)
					}
				}
			}
			// The form of the video has the words as they were typed, and no picture twice.
			again := p.Get(fmt.Sprintf("/create/%s?from=%d", test.scene, id)).Is(200)
			if test.scene == references {
				again.Lacks(fmt.Sprintf(`[name=image_input][value="%s/anna-1.png"]`, host))
			}
		})
	}
	p.T = t
	// Whoever presses again with a choice of no pictures, or with the same pictures, wants the same video.
	for scene, prompt := range map[string]string{"text-to-video": "a tram", references: "@tin"} {
		words := form(prompt, "cast_choose", "words")
		first := handlerstest.Made(t, p.Post("/create/"+scene, words))
		<-bodies
		if words.Del("cast_choose"); scene == references {
			words["cast_choose"], words["cast_picture"] = []string{"shown"}, []string{"@tin", "@tin.2", "@tin.3"}
		}
		if second := handlerstest.Made(t, p.Post("/create/"+scene, words)); second != first {
			t.Errorf("%s: a second press made %d beside %d", scene, second, first)
		}
	}
	// A repeated submission finds the first, even if nobody has the handle any more.
	once := form("@bo waves")
	first := handlerstest.Made(t, p.Post("/create/text-to-video", once))
	<-bodies
	known, err := h.Store.Cast.ByHandles(t.Context(), []string{"bo"})
	must(t, err)
	must(t, h.Store.Cast.Delete(t.Context(), known[0].ID, 1, db.Now()))
	if second := handlerstest.Made(t, p.Post("/create/text-to-video", once)); second != first {
		t.Errorf("a second press made %d beside %d", second, first)
	}
}

func TestTheFormSaysWhatIsSentForTheCast(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	host := handlerstest.Pictures(t)
	for _, handle := range []string{"anna", "cup", "tin", "bo"} {
		handlerstest.AddMemberWith(t, h, host, handle, 1, looks("red <b>"))
	}
	ask := func(scene, prompt string, more ...string) *handlerstest.Answer {
		v := handlerstest.FilledForm(more...)
		v.Set("model", "seedance-2.0")
		v.Set("prompt", prompt)
		return p.Post("/create/"+scene+"/cast", v, "HX-Request-Type", "partial").Is(200)
	}
	ask("reference-to-video", "@anna and the @cup").Shows("Sent: picture 1 is Anna, picture 2 is Cup.", "Anna (image 1) [red &lt;b&gt;] and the Cup (image 2) [red &lt;b&gt;]")
	ask("reference-to-video", "@anna", "image_input", host+"/x.png").Shows("picture 1 is yours, picture 2 is Anna")
	ask("text-to-video", "@anna and @cup").Shows("“Words” takes no pictures, so Anna and Cup are sent as words.", "/create/reference-to-video?")
	ask("image-to-video", "@anna").Shows("Anna is sent as words.", "Start with Anna").Hides("End with")
	ask("frames-to-video", "@anna").Shows("Start with Anna", "End with Anna")
	ask("text-to-video", "@ana @erik @mila @zoe @max").Shows("Nobody in the cast is called @ana, @erik, @mila or 2 more.")
	ask("text-to-video", "nobody").Has("#cast[hidden]")
	ask("reference-to-video", "@anna @cup @tin @bo").Shows("Room for 3 pictures, and none is left for Bo.", "Send Bo as words")
	ask("reference-to-video", "@anna @cup", "cast_choose", "words").Has(`[name=cast_choose][value=shown]`, `[name=cast_picture][value="@anna"][checked]`)
	ask("reference-to-video", "@anna @cup", "cast_choose", "shown", "cast_picture", "@cup").Shows("Sent: picture 1 is Cup.", "Anna is sent as words.").Lacks(`[value="@anna"][checked]`)

	// Without a script, the whole form is kept.
	form := handlerstest.FilledForm("model", "seedance-2.0", "prompt", "@anna", "cast_add", "@cup", "duration", "7")
	p.Post("/create/reference-to-video/cast", form).Is(303).LeadsTo("/create/reference-to-video#prompt")
	p.Get("/create/reference-to-video").Is(200).Reads("textarea#prompt", "@anna @cup").Shows("picture 2 is Cup", "Add from the cast").Has(`[name=duration][value="7"][checked]`)
	p.Post("/create/frames-to-video/cast", handlerstest.FilledForm("model", "seedance-2.0", "prompt", "@anna", "cast_end", "@anna")).Is(303)
	p.Get("/create/frames-to-video").Is(200).Has(`#image_input-1[value="@anna"]`).Shows("picture 1 is Anna")
}

// Whatever somebody writes, it is kept, and nothing breaks.
func TestTheFormSurvivesOddHandles(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	host := handlerstest.Pictures(t)
	for _, handle := range []string{"anna", "cup", "tin", "bo"} {
		handlerstest.AddMemberWith(t, h, host, handle, 1, looks(strings.Repeat("x", 200)))
	}
	handlerstest.AddMemberWith(t, h, host, "gone", 1, func(m *cast.Member) { m.Pictures = []string{"http://127.0.0.1:1/gone.png"} })
	for name, test := range map[string]struct {
		scene, prompt, picture string
		want                   string
	}{
		"too many":            {"reference-to-video", "@anna @cup @tin @bo", "", "Room for 3 pictures, and none is left for Bo."},
		"no place at all":     {"reference-to-video", "@anna", host + "/1.png " + host + "/2.png " + host + "/3.png", "Room for 3 pictures, and none is left for Anna."},
		"nobody as a picture": {"image-to-video", "x", "@ana", "Nobody in the cast is called @ana."},
		"an odd picture":      {"image-to-video", "x", "@a?b", "This isn’t a web address."},
		"no such number":      {"image-to-video", "x", "@anna.2", "Nobody in the cast is called @anna.2."},
		"200 handles":         {"text-to-video", strings.Repeat("@anna @cup @tin @bo ", 50) + strings.Repeat("y", 6500), "", "characters are sent. 8,000 at most."},
		"a picture is gone":   {"reference-to-video", "@gone", "", "Picture of Gone: This link’s server isn’t answering."},
		"nothing but a cast":  {"reference-to-video", "@ana", "", "Add a picture"},
	} {
		t.Run(name, func(t *testing.T) {
			p.T = t
			form := url.Values{"model": {"seedance-2.0"}, "token": {secrets.NewToken()}, "prompt": {test.prompt}, "image_input": strings.Fields(test.picture)}
			p.Post("/create/"+test.scene, form).Is(422).Shows(test.want).Reads("textarea#prompt", strings.TrimSpace(test.prompt))
		})
	}
	p.T = t
	for _, prompt := range []string{"@", "@ @ @", "@" + strings.Repeat("x", 31), "\"@anna\" at https://example.com/@cup", "@an na", strings.Repeat("@", 1999)} {
		handlerstest.Made(t, p.Post("/create/text-to-video", url.Values{"model": {"seedance-2.0"}, "token": {secrets.NewToken()}, "prompt": {prompt}}))
	}
}

// Changing a cast member changes no earlier video, and its form asks which to use.
func TestMakingAgainAsksForThenOrNow(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	host := handlerstest.Pictures(t)
	anna := handlerstest.AddMemberWith(t, h, host, "anna", 1, looks("dark bob"))
	id := handlerstest.Made(t, p.Post("/create/reference-to-video", url.Values{"model": {"seedance-2.0"}, "token": {secrets.NewToken()}, "prompt": {"@anna walks"}}))
	path := fmt.Sprintf("/create/reference-to-video?from=%d&use=everything", id)
	p.Get(path).Is(200).Lacks("[name=cast_as]")
	anna.Look, anna.Pictures, anna.ChangedBy, anna.ChangedAt = "red curls", []string{host + "/new.png"}, 1, db.Now()
	_, err := h.Store.Cast.Change(t.Context(), anna, nil)
	must(t, err)
	task, err := h.Store.Tasks.Task(t.Context(), id)
	must(t, err)
	if wordsOf(task) != "Anna (image 1) [dark bob] walks" || task.Pictures[0] != host+"/anna-1.png" {
		t.Errorf("it became %q, %q", wordsOf(task), task.Pictures)
	}
	p.Get(path).Is(200).Has("[name=cast_as][value=then][checked]").Shows("Anna has changed since", "Anna (image 1) [dark bob] walks")
	for as, want := range map[string]string{"then": "Anna (image 1) [dark bob] walks", "now": "Anna (image 1) [red curls] walks", "": "Anna (image 1) [red curls] walks"} {
		form := url.Values{"model": {"seedance-2.0"}, "token": {secrets.NewToken()}, "prompt": {"@anna walks"}, "from": {fmt.Sprint(id)}, "use": {"everything"}, "cast_as": {as}}
		again, err := h.Store.Tasks.Task(t.Context(), handlerstest.Made(t, p.Post("/create/reference-to-video", form)))
		must(t, err)
		if wordsOf(again) != want {
			t.Errorf("as %q: sent %q", as, wordsOf(again))
		}
	}
	// Trying again after a failure sends the same.
	failed := handlerstest.Made(t, p.Post("/create/reference-to-video", url.Values{"model": {"seedance-2.0"}, "token": {secrets.NewToken()}, "prompt": {"@anna walks #fail"}}))
	was := h.Reaches(t, failed, db.Failed)
	must(t, h.Store.Cast.Delete(t.Context(), anna.ID, 1, db.Now()))
	a := p.Post(fmt.Sprintf("/tasks/%d/again", failed), nil).Is(303)
	var retried int64
	_, err = fmt.Sscanf(a.Header.Get("Location"), "/tasks/%d", &retried)
	must(t, err)
	same, err := h.Store.Tasks.Task(t.Context(), retried)
	must(t, err)
	if wordsOf(same) != wordsOf(was) || !slices.Equal(same.Pictures, was.Pictures) {
		t.Errorf("it sent %q, and before %q", wordsOf(same), wordsOf(was))
	}
	if of, err := h.Store.Cast.Of(t.Context(), retried); err != nil || len(of) != 1 || of[0].Name != "Anna" {
		t.Errorf("its cast is %+v: %v", of, err)
	}
}

// A blank may be a cast member, in words and as a picture, and a row of a table that names
// nobody is marked.
func TestRecipesAndTablesHaveACast(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	host := handlerstest.Pictures(t)
	handlerstest.AddMemberWith(t, h, host, "anna", 2)
	handlerstest.AddMemberWith(t, h, host, "cup", 1)
	// A recipe with references needs no picture if a blank may be a cast member.
	path := handlerstest.SavedRecipe(t, p.Post("/recipes", handlerstest.RecipeForm("scene", "reference-to-video", "prompt", "{{who}} at the window")))
	p.Post("/recipes", handlerstest.RecipeForm("scene", "reference-to-video", "prompt", "A window")).Is(422)
	fill := func(who string) url.Values {
		return handlerstest.FilledForm("token", secrets.NewToken(), "blank:who", who, "anyway", "true")
	}
	p.Post(path+"/cast", fill("@anna"), "HX-Request-Type", "partial").Is(200).Shows("Sent: picture 1 is Anna, picture 2 is Anna.")
	task, err := h.Store.Tasks.Task(t.Context(), handlerstest.FilledRecipe(t, p.Post(path, fill("@anna"))))
	must(t, err)
	if wordsOf(task) != "Anna (image 1, image 2) at the window" || task.Prompt != "@anna at the window" {
		t.Errorf("sent %q for %q", wordsOf(task), task.Prompt)
	}
	p.Post(path, fill("somebody")).Is(422)

	image := fmt.Sprintf("/recipes/%d", h.AddRecipe(t, 1, func(r *ordering.Recipe) {
		r.Scene, r.Prompt, r.Pictures, r.Ceiling = "image-to-video", "{{what}} falls", []string{"{{start}}"}, db.Credits{}
	}).ID)
	task, err = h.Store.Tasks.Task(t.Context(), handlerstest.FilledRecipe(t, p.Post(image, handlerstest.FilledForm("token", secrets.NewToken(), "blank:what", "@cup", "blank:start", "@cup"))))
	must(t, err)
	if wordsOf(task) != "Cup falls" || !slices.Equal(task.Pictures, []string{host + "/cup-1.png"}) {
		t.Errorf("sent %q with %q", wordsOf(task), task.Pictures)
	}

	batch := p.Post(path+"/batch", url.Values{"do": {"check"}, "anyway": {"true"}, "table": {"who\n@anna\n@cup and @anna\n@ana and @cup\nsomebody"}}).Is(422)
	batch.Shows("Nobody in the cast is called @ana.", "Add a picture")
}

// When the service refuses a face, the page says whose it was, and offers the same video
// without that picture, which nobody has sent yet.
func TestARefusedFaceIsNamed(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	host := handlerstest.Pictures(t)
	noor := handlerstest.AddMemberWith(t, h, host, "noor", 1, func(m *cast.Member) { m.Kind = cast.Person })
	handlerstest.AddMemberWith(t, h, host, "cup", 1)
	id := handlerstest.Made(t, p.Post("/create/reference-to-video", url.Values{"model": {"seedance-2.0"}, "token": {secrets.NewToken()}, "prompt": {"@noor lifts the @cup #face"}, "duration": {"7"}}))
	h.Reaches(t, id, db.Failed)
	path := fmt.Sprintf("/create/reference-to-video?from=%d&use=retry&without=%d", id, noor.ID)
	link := fmt.Sprintf(`a[href="/create/reference-to-video?from=%d&use=retry&without=%d"]`, id, noor.ID)
	p.Get(fmt.Sprintf("/tasks/%d", id)).Is(200).Shows("The service won’t use this face", "The service takes Noor for a real person and refuses the picture.", "Try without the picture of Noor", "credits came back").
		Has(link, fmt.Sprintf(`.castline a[href="/cast/%d"]`, noor.ID))
	form := p.Get(path).Is(200).Shows("Sent: picture 1 is Cup.", "Noor is sent as words.").Has(`[name=duration][value="7"][checked]`)
	form.Has(`[name=cast_picture][value="@cup"][checked]`).Lacks(`[name=cast_picture][value="@noor"][checked]`)
	if made := h.Mine(t, 1); len(made) != 1 {
		t.Errorf("%d videos, want only the one that was refused", len(made))
	}
	// A start leads to the scene without pictures.
	id = handlerstest.Made(t, p.Post("/create/image-to-video", url.Values{"model": {"seedance-2.0"}, "token": {secrets.NewToken()}, "prompt": {"@noor waves #face"}, "image_input": {"@noor"}}))
	h.Reaches(t, id, db.Failed)
	p.Get(fmt.Sprintf("/tasks/%d", id)).Is(200).Has(fmt.Sprintf(`a[href="/create/text-to-video?from=%d&use=retry&without=%d"]`, id, noor.ID))
	p.Get(fmt.Sprintf("/create/text-to-video?from=%d&use=retry&without=%d", id, noor.ID)).Is(200).Shows("so Noor is sent as words")
}

// A table of ten rows with two cast members makes ten videos.
func TestATableWithACastMakesItsVideos(t *testing.T) {
	h := handlerstest.New(t)
	h.Watcher.Poll = time.Hour
	bodies := recordCreates(h)
	p := h.Founder(t)
	h.Run(t)
	host := handlerstest.Pictures(t)
	handlerstest.AddMemberWith(t, h, host, "anna", 2, looks("dark bob"))
	handlerstest.AddMemberWith(t, h, host, "cup", 1)
	path := handlerstest.SavedRecipe(t, p.Post("/recipes", handlerstest.RecipeForm("scene", "reference-to-video", "prompt", "{{who}} {{does}} with the {{what}}")))
	table, want := "who\tdoes\twhat\n", map[string]bool{}
	for i := range 10 {
		table += fmt.Sprintf("@anna\twaves %d times\t@cup\n", i)
		want[fmt.Sprintf("Anna (image 1, image 3) [dark bob] waves %d times with the Cup (image 2)", i)] = true
	}
	checked := p.Post(path+"/batch", url.Values{"do": {"check"}, "anyway": {"true"}, "table": {table}}).Is(200)
	p.Post(path+"/batch", handlerstest.RowsOf(t, checked, "make")).Is(303)
	for range 10 {
		var body struct {
			Prompt  string
			Options struct {
				Pictures []string `json:"image_input"`
			}
		}
		raw := <-bodies
		t.Logf("%s", raw)
		must(t, json.Unmarshal(raw, &body))
		if !want[body.Prompt] || !slices.Equal(body.Options.Pictures, []string{host + "/anna-1.png", host + "/cup-1.png", host + "/anna-2.png"}) {
			t.Errorf("sent %s", raw)
		}
		delete(want, body.Prompt)
	}
	if len(want) > 0 {
		t.Errorf("not sent: %v", want)
	}
}

// An admin may require the consent of people before they are used, wherever the prompt comes
// from.
func TestPeopleWithoutConsentAreNotUsed(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	host := handlerstest.Pictures(t)
	noor := handlerstest.AddMemberWith(t, h, host, "noor", 1, func(m *cast.Member) { m.Kind = cast.Person })
	form := func(prompt string) url.Values {
		return url.Values{"model": {"seedance-2.0"}, "token": {secrets.NewToken()}, "prompt": {prompt}}
	}
	id := handlerstest.Made(t, p.Post("/create/text-to-video", form("@noor walks #fail")))
	h.Reaches(t, id, db.Failed)
	must(t, h.Store.Cast.RequireConsent(t.Context(), true, db.Now()))
	const said = "No consent noted for Noor. Your team asks for it first."
	p.Post("/create/text-to-video", form("@noor walks")).Is(422).Shows(said, "Note the consent of Noor").Reads("textarea#prompt", "@noor walks")
	p.Post("/create/text-to-video/cast", form("@noor walks"), "HX-Request-Type", "partial").Is(200).Shows(said)
	p.Post(fmt.Sprintf("/tasks/%d/again", id), nil).Is(422).Shows(said)
	noor.Consent, noor.ChangedBy, noor.ChangedAt = cast.Consent{By: "Noor", On: db.Now().Truncate(24 * time.Hour)}, 1, db.Now()
	_, err := h.Store.Cast.Change(t.Context(), noor, nil)
	must(t, err)
	handlerstest.Made(t, p.Post("/create/text-to-video", form("@noor walks")))
}

// asks returns the form of a video with a new token.
func asks(prompt string, more ...string) url.Values {
	v := handlerstest.FilledForm(more...)
	v.Set("model", "seedance-2.0")
	v.Set("token", secrets.NewToken())
	v.Set("prompt", prompt)
	return v
}

// remove deletes the cast member.
func remove(t *testing.T, h *handlerstest.Server, m cast.Member) {
	t.Helper()
	must(t, h.Store.Cast.Delete(t.Context(), m.ID, 1, db.Now()))
}

// A cast member is deleted between typing and submitting. The page says it, keeps what was
// typed and sends nothing before somebody who has read that presses again.
func TestADeletedCastMemberIsNotDroppedInSilence(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	host := handlerstest.Pictures(t)
	bo, cup := handlerstest.AddMemberWith(t, h, host, "bo", 1), handlerstest.AddMemberWith(t, h, host, "cup", 1)
	drafted := handlerstest.Made(t, p.Post("/create/text-to-video", handlerstest.WithField(asks("@bo waves"), "model", "seedance-2.0-fast")))
	h.Reaches(t, drafted, db.Success)
	path := handlerstest.SavedRecipe(t, p.Post("/recipes", handlerstest.RecipeForm("scene", "text-to-video", "prompt", "{{who}} waves")))
	checked := p.Post(path+"/batch", url.Values{"do": {"check"}, "anyway": {"true"}, "table": {"who\n@bo\n@cup"}}).Is(200)
	rows := handlerstest.RowsOf(t, checked, "make")
	remove(t, h, bo)
	const said = "Nobody in the cast is called @bo any more. Press again to send it as plain text."
	made := func(want int) {
		t.Helper()
		if n := len(h.Mine(t, 1)); n != want {
			t.Fatalf("%d videos, want %d", n, want)
		}
	}
	for _, scene := range []string{"text-to-video", "image-to-video"} {
		form := asks("@bo waves", "image_input", host+"/own.png", "cast_met", "bo")
		if scene == "text-to-video" {
			form.Del("image_input")
		}
		p.Post("/create/"+scene, form).Is(422).Shows(said, "Bring Bo back").Reads("textarea#prompt", "@bo waves").Has(`[name=cast_told][value=bo]`, fmt.Sprintf(`a[href="/cast/%d"]`, bo.ID))
	}
	made(1)
	p.Post("/create/text-to-video/cast", asks("@bo waves"), "HX-Request-Type", "partial").Is(200).Shows("Bo was deleted, so @bo is plain text.").Has(`[name=cast_told][value=bo]`)
	// The forms that reuse a video say it at once.
	for _, use := range []string{"everything", "prompt", "final", "retry", "seed"} {
		p.Get(fmt.Sprintf("/create/text-to-video?from=%d&use=%s", drafted, use)).Is(200).Shows("Bo was deleted, so @bo is plain text.").Has(`[name=cast_told][value=bo]`)
	}
	p.Post(path, handlerstest.FilledForm("token", secrets.NewToken(), "blank:who", "@bo", "anyway", "true", "cast_met", "bo")).Is(422).Shows(said).Has(`[value="@bo"]`, `[name=cast_told][value=bo]`)
	wrong := p.Post(path+"/batch", rows).Is(422).Shows(said, "Bo was deleted, so @bo is plain text.").Has(`[value="@bo"]`, `[value="@cup"]`)
	made(1)

	// Whoever has read it may send the words as they are.
	p.Post(path+"/batch", handlerstest.RowsOf(t, wrong, "make")).Is(303)
	again := asks("@bo waves", "cast_told", "bo")
	task, err := h.Store.Tasks.Task(t.Context(), handlerstest.Made(t, p.Post("/create/text-to-video", again)))
	must(t, err)
	if wordsOf(task) != "@bo waves" || len(task.Cast) > 0 {
		t.Errorf("sent %q with %+v", wordsOf(task), task.Cast)
	}
	handlerstest.FilledRecipe(t, p.Post(path, handlerstest.FilledForm("token", secrets.NewToken(), "blank:who", "@bo", "anyway", "true", "cast_told", "bo")))
	made(5)

	// A handle that was changed meanwhile is nobody's, too: the page had named the member.
	cup.Handle, cup.ChangedBy, cup.ChangedAt = "mug", 1, db.Now()
	_, err = h.Store.Cast.Change(t.Context(), cup, nil)
	must(t, err)
	p.Post("/create/text-to-video", asks("@cup falls", "cast_met", "cup")).Is(422).Shows("Nobody in the cast is called @cup any more.")
	handlerstest.Made(t, p.Post("/create/text-to-video", asks("@nobody falls")))
}

// The handle of a member who was deleted before the page was shown is plain text, wherever a
// prompt comes from.
func TestADeletedHandleIsText(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	host := handlerstest.Pictures(t)
	bo := handlerstest.AddMemberWith(t, h, host, "bo", 1)
	path := handlerstest.SavedRecipe(t, p.Post("/recipes", handlerstest.RecipeForm("scene", "text-to-video", "prompt", "@bo waves at {{whom}}")))
	remove(t, h, bo)
	text := func(id int64) {
		t.Helper()
		task, err := h.Store.Tasks.Task(t.Context(), id)
		must(t, err)
		if !strings.HasPrefix(wordsOf(task), "@bo waves") || len(task.Cast) > 0 {
			t.Errorf("sent %q with %+v", wordsOf(task), task.Cast)
		}
	}
	text(handlerstest.Made(t, p.Post("/create/text-to-video", asks("@bo waves"))))
	text(handlerstest.Made(t, p.Post("/create/text-to-video", handlerstest.WithField(asks("@bo waves\n@bo waves twice"), "lines", "true"))))
	handlerstest.FilledRecipe(t, p.Post(path, handlerstest.FilledForm("token", secrets.NewToken(), "blank:whom", "@bo", "anyway", "true")))
	checked := p.Post(path+"/batch", url.Values{"do": {"check"}, "anyway": {"true"}, "table": {"whom\n@bo\nher"}}).Is(200).Shows("Bo was deleted, so @bo is plain text.")
	p.Post(path+"/batch", handlerstest.RowsOf(t, checked, "make")).Is(303)
	made := h.Mine(t, 1)
	if len(made) != 6 {
		t.Fatalf("%d videos", len(made))
	}
	for _, task := range made {
		text(task.ID)
	}
}

// Thousands of handles that nobody has are told apart once, and few of them are compared with
// the cast.
func TestManyStrangersAreAFewLines(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	var prompt strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&prompt, "@x%d ", i)
	}
	p.Post("/create/text-to-video/cast", asks(prompt.String()), "HX-Request-Type", "partial").Is(200).Shows("Nobody in the cast is called @x0, @x1, @x2 or 45 more.")
}

// Beside a handle that nobody has stands the one that was probably meant.
func TestAMistypedHandleIsMended(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	host := handlerstest.Pictures(t)
	handlerstest.AddMemberWith(t, h, host, "anna", 1)
	p.Post("/create/text-to-video/cast", asks("@ana and @Ana"), "HX-Request-Type", "partial").Is(200).Shows("Nobody in the cast is called @ana.", "Use @anna")
	p.Post("/create/text-to-video/cast", asks("@erik"), "HX-Request-Type", "partial").Is(200).Shows("Add @erik to the cast").Has(`a[href="/cast/new?handle=erik"]`)
	p.Post("/create/text-to-video/cast", asks("@ana waves", "cast_use", "ana anna"), "HX-Request-Type", "partial").Is(200).
		Has(`template[data-renamed=prompt][data-text="@anna waves"]`, `[name=cast_met][value=anna]`).Hides("Nobody in the cast")
	p.Post("/create/text-to-video/cast", asks("@ana waves to @anab", "cast_use", "ana anna")).Is(303)
	p.Get("/create/text-to-video").Is(200).Reads("textarea#prompt", "@anna waves to @anab")

	path := handlerstest.SavedRecipe(t, p.Post("/recipes", handlerstest.RecipeForm("scene", "text-to-video", "prompt", "{{who}} waves")))
	p.Post(path+"/cast", url.Values{"blank:who": {"@ana"}}, "HX-Request-Type", "partial").Is(200).Shows("Use @anna")
	p.Post(path+"/cast", url.Values{"blank:who": {"@ana"}, "cast_use": {"ana anna"}}, "HX-Request-Type", "partial").Is(200).Has(`template[data-renamed="blank:who"][data-text="@anna"]`)
	p.Post(path+"/cast", url.Values{"blank:who": {"@ana"}, "cast_use": {"ana anna"}}).Is(200).Has(`[name="blank:who"][value="@anna"]`)
	checked := p.Post(path+"/batch", url.Values{"do": {"check"}, "anyway": {"true"}, "table": {"who\n@ana\n@ana and @anna"}}).Is(200).Shows("Nobody in the cast is called @ana.", "Use @anna")
	mended := handlerstest.RowsOf(t, checked, "")
	mended.Set("cast_use", "ana anna")
	p.Post(path+"/batch", mended).Is(200).Hides("Nobody in the cast").Has(`[value="@anna"]`, `[value="@anna and @anna"]`)
	for _, odd := range []string{"ana", "ana anna more", "ana <b>", "", " "} {
		p.Post("/create/text-to-video/cast", asks("@ana waves", "cast_use", odd), "HX-Request-Type", "partial").Is(200)
	}
}
