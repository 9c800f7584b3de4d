package create_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/review"
	"dailies/handlers"
	"dailies/handlers/handlerstest"
	"dailies/web/htmltest"
)

func TestAPickedFrameBeginsTheNextScene(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	first := h.Film(t, 1, handlerstest.Saying("a paper boat"))
	path := fmt.Sprintf("/tasks/%d", first.ID)
	kim.Get(path).Is(200).Has("#next", `[action="`+path+`/next"]`, `[enctype="multipart/form-data"]`, "[type=file]")
	for _, p := range []*handlerstest.Browser{kim, ada} { // a video of the team can be continued by everybody
		a := p.Upload(path+"/next", url.Values{"at": {"4.958"}}, []handlerstest.File{{Field: "frame", Name: "scene.jpg", Content: handlerstest.Photo(t, 854, 480)}}).Is(303)
		to, err := url.Parse(a.Header.Get("Location"))
		must(t, err)
		q := to.Query()
		if to.Path != "/create/image-to-video" || q.Get("from") != fmt.Sprint(first.ID) || q.Get("use") != "next" {
			t.Fatalf("it leads to %s", to)
		}
		token := ordering.PictureToken(q.Get("image_input"))
		kim.Get("/p/" + token).Is(200).Hides(handlerstest.Position)
		p.Get(to.String()).Is(200).Shows("Your next scene starts with the frame at 4.96 s", token, "></textarea>", "next scene", "a paper boat")
	}
}

func TestAnUnusableFrameIsExplainedOnTheVideosPage(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	ada := h.Joiner(t, p, "ada")
	first := h.Film(t, 1, handlerstest.Saying("a paper boat"))
	path := fmt.Sprintf("/tasks/%d/next", first.ID)
	frame := []handlerstest.File{{Field: "frame", Name: "scene.jpg", Content: handlerstest.Photo(t, 854, 480)}}
	p.Upload(path, nil, []handlerstest.File{{Field: "frame", Name: "notes.txt", Content: []byte("hello")}}).Is(422).Has("#next[data-shown]").Shows("use this file", "a paper boat")
	p.Upload(path, nil, []handlerstest.File{{Field: "frame", Name: "", Content: nil}}).Is(422).Shows("Choose a picture first")
	p.Upload(path, nil, []handlerstest.File{{Field: "other", Name: "scene.jpg", Content: handlerstest.Photo(t, 854, 480)}}).Is(422).Shows("Choose a picture first")
	p.Post(path, url.Values{"at": {"1"}}).Is(422).Shows("Choose a picture first")
	p.Post(path, url.Values{"at": {strings.Repeat("1", 2<<20)}}).Is(413)
	for at, says := range map[string]string{"": "starts with this picture", "NaN": "starts with this picture", "-1": "starts with this picture", "1e9": "starts with this picture", "0": "0.00 s"} {
		a := p.Upload(path, url.Values{"at": {at}}, frame).Is(303)
		p.Get(a.Header.Get("Location")).Is(200).Shows(says)
	}

	private := h.Film(t, 1, func(t *db.Task) { t.Private = true })
	binned := h.Film(t, 1, func(t *db.Task) { t.DeletedAt, t.DeletedBy = db.Now(), 1 })
	ada.Upload(fmt.Sprintf("/tasks/%d/next", private.ID), nil, frame).Is(404)
	ada.Upload("/tasks/x/next", nil, frame).Is(404)
	p.Upload(fmt.Sprintf("/tasks/%d/next", binned.ID), nil, frame).Is(409)
	p.Get(fmt.Sprintf("/tasks/%d", binned.ID)).Is(200).Hides("#next").Lacks("#next")
	p.Upload(fmt.Sprintf("/tasks/%d/next", h.AddTask(t, 1, db.Failed).ID), nil, frame).Is(409)
}

func TestWithARealServiceTheNextSceneNeedsAnOpenAddress(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	first := h.Film(t, 1, handlerstest.Saying("a paper boat"))
	path, frame := fmt.Sprintf("/tasks/%d", first.ID), []handlerstest.File{{Field: "frame", Name: "scene.jpg", Content: handlerstest.Photo(t, 854, 480)}}
	h.Connect(t, "https://service.example.com")
	p.Get(path).Is(200).Shows("Uploads aren’t set up yet").Has("#next").Lacks(`[action="` + path + `/next"]`)
	p.Upload(path+"/next", nil, frame).Is(422).Shows("Uploads aren’t set up")
	h.Restart(t, func(c *handlers.Config) { c.PublicURL = "https://dailies.example.com" })
	p.Get(path).Is(200).Has(`[action="` + path + `/next"]`)
	a := p.Upload(path+"/next", nil, frame).Is(303)
	if !strings.Contains(a.Header.Get("Location"), url.QueryEscape("https://dailies.example.com/p/")) {
		t.Errorf("it leads to %s", a.Header.Get("Location"))
	}
}

// noted adds notes to the video, and returns them.
func noted(t *testing.T, h *handlerstest.Server, task db.Task, bodies ...string) (notes []review.Note) {
	t.Helper()
	for i, body := range bodies {
		n := review.Note{TaskID: task.ID, Author: review.Author{UserID: 1}, Body: body, Position: review.Position{At: int64(i+1) * 1200}, CreatedAt: db.Now()}
		must(t, h.Store.Notes.AddNote(t.Context(), &n, nil))
		notes = append(notes, n)
	}
	return notes
}

// sent returns the values that a browser would send with the page's form.
func sent(a *handlerstest.Answer) url.Values {
	v := url.Values{}
	for _, n := range htmltest.All(a.Root(), "#make input") {
		chosen := !slices.Contains([]string{"radio", "checkbox"}, htmltest.Attr(n, "type")) || htmltest.HasAttr(n, "checked")
		if name := htmltest.Attr(n, "name"); name != "" && chosen && htmltest.Attr(n, "type") != "file" {
			v.Add(name, htmltest.Attr(n, "value"))
		}
	}
	for _, n := range htmltest.All(a.Root(), "#make textarea") {
		v.Add(htmltest.Attr(n, "name"), htmltest.Text(n))
	}
	return v
}

func TestNotesBecomeTheNextTake(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	film := h.Reaches(t, handlerstest.Made(t, p.Post("/create/text-to-video", handlerstest.Priced("1"))), db.Success)
	notes := noted(t, h, film, "A <larger> sail", "Slower here")
	page := fmt.Sprintf("/tasks/%d", film.ID)
	form := p.Get(fmt.Sprintf("%s/next-take?note=%d&note=%d&note=4711", page, notes[0].ID, notes[1].ID)).Is(200).
		Has(`form#make[action="/create/text-to-video"]`, ".asks .ask q", ".make").
		Shows("<b>Take 2</b> of", "A &lt;larger&gt; sail", "0:02.4", "30 credits", "Make the video", "A note was deleted meanwhile.")
	v := sent(form)
	if v.Get("prompt") != film.Prompt || v.Get("use") != "answer" || !slices.Equal(v["note"], []string{fmt.Sprint(notes[0].ID), fmt.Sprint(notes[1].ID)}) {
		t.Fatalf("%v", v)
	}
	if n := h.Wire.Count("/api/ai/generate"); n != 1 {
		t.Errorf("%d create calls: the form was sent by itself", n)
	}
	// One more press puts the words of a note into the prompt, also without script.
	v.Set("insert", fmt.Sprint(notes[1].ID))
	inserted := p.Get("/create/text-to-video?" + v.Encode()).Is(200).Has(".ask.put").Shows(film.Prompt + "\nSlower here</textarea>")
	v = sent(inserted)
	// A mistake shows the notes again.
	again := p.Post("/create/text-to-video", handlerstest.WithField(v, "prompt", "")).Is(422).Has(".asks .ask").Shows("Take 2")
	v = handlerstest.WithField(sent(again), "prompt", "a tram, slower")
	second := handlerstest.Made(t, p.Post("/create/text-to-video", v))
	if twice := handlerstest.Made(t, p.Post("/create/text-to-video", v)); twice != second {
		t.Errorf("two presses made %d and %d", second, twice)
	}
	task := h.Reaches(t, second, db.Success)
	if task.Reuse != db.Answered || task.ParentID != film.ID || task.Stack != film.ID {
		t.Errorf("%q of %d in %d", task.Reuse, task.ParentID, task.Stack)
	}
	link := fmt.Sprintf(`.answered a[href="/tasks/%d"]`, second)
	p.Get(page+"/notes").Is(200).Shows("take 1 of 2", "Make take 3").Has(link).Reads(link, "take 2")
	p.Get(fmt.Sprintf("/tasks/%d/notes", second)).Is(200).Hides("Slower here")
	p.Get(fmt.Sprintf("%s/next-take?note=%d", page, notes[0].ID)).Shows("<b>Take 3</b> of")
}

func TestTheNextTakeOfWhatIsGoneIsExplained(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	viewer, other := h.Joiner(t, p, "viewer"), h.Joiner(t, p, "other")
	p.Post("/members/2/role", url.Values{"role": {"viewer"}}).Is(303)
	film := h.KeptFilm(t, 1, "a boat")
	note := noted(t, h, film, "Larger")[0]
	path := fmt.Sprintf("/tasks/%d/next-take?note=%d", film.ID, note.ID)
	viewer.Get(path).Is(403)
	viewer.Post(path, url.Values{}).Is(403)
	viewer.Get(fmt.Sprintf("/tasks/%d/notes", film.ID)).Lacks("#next-take", ".pick-note")
	form := sent(other.Get(path).Is(200))
	p.Post(path, url.Values{"note": {fmt.Sprint(note.ID), "x"}}).Is(303).LeadsTo(path)
	// With a frame of the video, the form starts with it.
	framed := p.Upload(path, url.Values{"note": {fmt.Sprint(note.ID)}}, []handlerstest.File{{Field: "frame", Name: "f.png", Content: handlerstest.FrameOf(t, 640, 360)}}).Is(303)
	start := sent(p.Get(framed.Header.Get("Location")).Is(200).Has(`form#make[action="/create/image-to-video"]`, ".ask", `[name=use][value=answer]`).Reads("#prompt", "a boat"))
	if !strings.Contains(start.Get("image_input"), "/p/") {
		t.Errorf("%v", start)
	}
	p.Upload(path, url.Values{}, []handlerstest.File{{Field: "frame", Name: "f.png", Content: []byte("no picture")}}).Is(422)

	h.Alter(t, film.ID, func(t *db.Task) { t.DeletedAt, t.DeletedBy = db.Now(), 1 })
	p.Get(path).Is(409).Shows("in the bin")
	p.Post(path, url.Values{}).Is(409)
	other.Get(path).Is(404)
	// Nothing is made of the form that is open, until it is sent again.
	gone := other.Post("/create/text-to-video", form).Is(422).Shows("The video with the notes is gone").Lacks(".asks", "[name=use]").Reads("#prompt", "a boat")
	if tasks := h.Mine(t, 3); len(tasks) > 0 {
		t.Errorf("made %+v", tasks)
	}
	if again := sent(gone); again.Get("from") != "" || again.Has("note") {
		t.Errorf("%v", again)
	}
	for _, bad := range []string{"/tasks/4711/next-take", "/tasks/x/next-take?note=-1"} {
		if a := p.Get(bad); a.StatusCode != http.StatusNotFound || strings.Contains(a.Text, "make") {
			t.Errorf("%s: %d", bad, a.StatusCode)
		}
	}
}
