package video_test

import (
	"encoding/csv"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/review"
	"dailies/handlers/handlerstest"
)

// noteForm returns a form with the fields.
func noteForm(fields ...string) url.Values {
	v := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		v.Set(fields[i], fields[i+1])
	}
	return v
}

// newTalk starts an app with the owner, a member Ada, a viewer Vi, and a video of the owner's.
func newTalk(t *testing.T) (h *handlerstest.Server, owner, ada, vi *handlerstest.Browser, video db.Task) {
	t.Helper()
	h = handlerstest.New(t)
	owner = h.Founder(t)
	ada, vi = h.Joiner(t, owner, "ada"), h.Joiner(t, owner, "vi")
	must(t, h.Store.Members.SetRole(t.Context(), 3, db.Viewer, db.Now()))
	kept := h.File(t, db.Video, "video/webm", handlerstest.Rendered(t, "a boat", 64))
	return h, owner, ada, vi, h.Film(t, 1, func(t *db.Task) {
		t.Prompt = "a boat"
		if len(t.Media) > 0 { // the task is finished
			t.Media = []db.Media{kept}
		}
	})
}

func TestTheTeamTalksOnTheVideosPage(t *testing.T) {
	h, owner, ada, vi, video := newTalk(t)
	page := fmt.Sprintf("/tasks/%d", video.ID)
	owner.Get(page).Is(200).Shows("No notes yet", "Write a note").Lacks("#note-form")
	owner.Get(page + "/notes").Is(200).Has("#note-form")
	ada.Post(page+"/notes", noteForm("task", fmt.Sprint(video.ID), "at", "500", "body", "Larger <script>\nsail", "mark", `{"kind":"rect", "points":[[0,0.1],[0.5,1]]}`)).
		Is(303).LeadsTo(page + "/notes#note-1")
	shown := owner.Get(page).Is(200).Shows("ada", "Larger &lt;script&gt;", "0:00.5").Hides("No notes yet", "<script>\nsail")
	shown.Has(`#note-1[data-at="500"]`).Shows(`data-mark="{&#34;kind&#34;:&#34;rect&#34;,&#34;points&#34;:[[0,0.1],[0.5,1]]}"`)
	found, err := h.Store.Notes.Of(t.Context(), video.ID)
	must(t, err)
	if n := found[0]; n.Frame != 12 || n.At != 500 || n.Author.UserID != 2 {
		t.Errorf("%+v", n)
	}
	vi.Post(page+"/notes", noteForm("at", "0:00.2", "until", "400", "body", "Slower", "internal", "on")).Is(303)
	vi.Post(page+"/notes", noteForm("parent", "1", "body", "Yes")).Is(303)
	owner.Get(page+"/notes?reply=1").Is(200).Shows("Only for us", "Reply to ada", "0:00.2–0:00.4").Has(`[name=parent][value="1"]`).Lacks("#note-at")
	found, err = h.Store.Notes.Of(t.Context(), video.ID)
	must(t, err)
	if len(found) != 3 || !found[0].Internal || found[0].Until != 400 || found[2].ParentID != 1 || found[2].At != 500 {
		t.Errorf("%+v", found)
	}
	// The same fragment answers a script.
	fragment := owner.Get(page+"/notes", "HX-Request-Type", "partial").Is(200).Shows("Slower").Has("#talk")
	fragment.Lacks("main")
}

func TestColleaguesAreOfferedAfterAnAt(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	ada := h.Joiner(t, owner, "ada")
	owner.Get("/notes/people?q=AD").Is(200).Has(`[role=option][data-handle="ada"]`).Hides("Kim Doe", "@example.com")
	ada.Get("/notes/people?q=").Is(200).Has(`[data-handle="Kim Doe"]`).Lacks(`[data-handle="ada"]`)
	owner.Get("/notes/people?q=zz").Is(200).Lacks("[role=option]")
	h.Stranger(t).Get("/notes/people?q=ad").Is(303)
	film := h.KeptFilm(t, 1, "a boat")
	owner.Get(fmt.Sprintf("/tasks/%d/notes", film.ID)).Is(200).Has(`#note-body[data-at="/notes/people"]`)
	h.Stranger(t).Get(owner.Share(fmt.Sprintf("/tasks/%d", film.ID), "Our boat", "may", "talk")).Is(200).Has("#note-body").Lacks("#note-body[data-at]")
}

func TestBadNotesKeepWhatWasTyped(t *testing.T) {
	h, owner, _, _, video := newTalk(t)
	page := fmt.Sprintf("/tasks/%d/notes", video.ID)
	owner.Post(page, noteForm("at", "0", "body", "first")).Is(303)
	long := strings.Repeat("x", review.MaxBody+1)
	for name, tt := range map[string]struct {
		form url.Values
		says string
	}{
		"nothing typed":             {noteForm("at", "0", "body", " \n"), "Write something first"},
		"too long":                  {noteForm("at", "0", "body", long), "2,000 characters at most. This one has 2,001."},
		"no time":                   {noteForm("body", "kept"), "At which moment?"},
		"no number":                 {noteForm("at", "NaN", "body", "kept"), "At which moment?"},
		"negative":                  {noteForm("at", "-1", "body", "kept"), "At which moment?"},
		"after the end":             {noteForm("at", "3600000", "body", "kept"), "The video ends at"},
		"until after the end":       {noteForm("at", "0", "until", "9:00", "body", "kept"), "The video ends at"},
		"until before the time":     {noteForm("at", "500", "until", "400", "body", "kept"), "comes before the beginning"},
		"until is no time":          {noteForm("at", "0", "until", "x", "body", "kept"), "At which moment?"},
		"a mark beside the picture": {noteForm("at", "0", "body", "kept", "mark", `{"kind":"rect","points":[[0,0],[1,2]]}`), "Draw it again"},
		"a mark of 10,000 points":   {noteForm("at", "0", "body", "kept", "mark", `{"kind":"line","points":[`+strings.Repeat("[0,0],", 9999)+`[0,0]]}`), "Draw it again"},
		"a reply to nothing":        {noteForm("parent", "99", "body", "kept"), "is gone"},
	} {
		answer := owner.Post(page, tt.form).Is(422)
		if !strings.Contains(answer.Text, tt.says) || !strings.Contains(answer.Text, "first") {
			t.Errorf("%s: the page does not say %q", name, tt.says)
		}
		if body := tt.form.Get("body"); body == "kept" && !strings.Contains(answer.Text, ">kept</textarea>") {
			t.Errorf("%s: what was typed is lost", name)
		}
	}
	if found, err := h.Store.Notes.Of(t.Context(), video.ID); err != nil || len(found) != 1 {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestWhoMayChangeDeleteAndCloseNotes(t *testing.T) {
	h, owner, ada, vi, video := newTalk(t)
	page := fmt.Sprintf("/tasks/%d/notes", video.ID)
	vi.Post(page, noteForm("at", "0", "body", "by the viewer")).Is(303)
	ada.Post(page, noteForm("at", "0", "body", "by the member")).Is(303)
	vi.Get(page + "?edit=1").Is(200).Shows("Change your note").Has(`form[action="/notes/1"]`)
	vi.Get(page + "?edit=2").Is(200).Lacks(`form[action="/notes/2"]`)
	vi.Post("/notes/1", noteForm("body", "in other words")).Is(303)
	vi.Post("/notes/1", noteForm("body", "")).Is(422).Shows("Write something first", `action="/notes/1"`)
	vi.Post("/notes/2", noteForm("body", "x")).Is(403).Shows("only do this to your own notes")
	owner.Post("/notes/1", noteForm("body", "x")).Is(403)
	vi.Post("/notes/2/delete", nil).Is(403)
	vi.Post("/notes/2/done", nil).Is(403)
	owner.Get(page).Is(200).Shows("in other words", "by the member").Hides("by the viewer")

	ada.Post("/notes/1/done", nil).Is(303)
	owner.Get(page).Is(200).Shows("1 note done")
	owner.Post("/notes/1/done", noteForm("done", "false")).Is(303)
	owner.Get(page).Is(200).Hides("1 note done")
	owner.Post("/notes/1/done", noteForm("next", "/notes?show=open")).Is(303).LeadsTo("/notes?show=open")

	before, err := h.Store.Audit.Entries(t.Context(), audit.Search{Action: audit.NoteDeleted, Limit: 9})
	must(t, err)
	ada.Post("/notes/2/delete", nil).Is(303) // her own
	owner.Post("/notes/1/delete", nil).Is(303)
	after, err := h.Store.Audit.Entries(t.Context(), audit.Search{Action: audit.NoteDeleted, Limit: 9})
	must(t, err)
	if len(after)-len(before) != 1 || after[0].UserID != 3 || strings.Contains(fmt.Sprint(after[0]), "other words") {
		t.Errorf("%+v", after)
	}
	owner.Get(page).Is(200).Shows("No notes yet")

	// Nobody says anything about a video that they do not see.
	h.Alter(t, video.ID, func(t *db.Task) { t.Private = true })
	owner.Post(page, noteForm("at", "0", "body", "private")).Is(303)
	ada.Post(page, noteForm("at", "0", "body", "x")).Is(404)
	for _, path := range []string{"/notes/3", "/notes/3/delete", "/notes/3/done"} {
		ada.Post(path, noteForm("body", "x")).Is(404)
	}
	ada.Get("/notes?show=open").Is(200).Hides("private")
	ada.Get(page + ".csv").Is(404)
}

// Other words for a note that was deleted, in another tab or by a colleague, are not lost.
func TestWordsForANoteThatIsGoneAreKept(t *testing.T) {
	_, owner, ada, _, video := newTalk(t)
	task := fmt.Sprint(video.ID)
	path := "/tasks/" + task + "/notes"
	ada.Post(path, noteForm("task", task, "at", "500", "body", "Redder")).Is(303)
	owner.Post("/notes/1/delete", nil).Is(303)
	ada.Post("/notes/1", noteForm("task", task, "body", "Redder, and nearer")).Is(404).Shows("That note was deleted. Your text is kept: send it as a new one.", "Redder, and nearer").Has(`#note-form[action="` + path + `"]`)
	ada.Post("/notes/1", noteForm("body", "Redder, and nearer")).Is(404)
}

func TestANoteCannotBeChangedLater(t *testing.T) {
	h, owner, _, _, video := newTalk(t)
	n := review.Note{TaskID: video.ID, Author: review.Author{UserID: 1}, Body: "old", CreatedAt: db.Now().Add(-review.ChangeWithin - time.Second)}
	must(t, h.Store.Notes.AddNote(t.Context(), &n, nil))
	owner.Post("/notes/1", noteForm("body", "x")).Is(403).Shows("15 minutes")
	owner.Get(fmt.Sprintf("/tasks/%d/notes?edit=1", video.ID)).Is(200).Lacks(`form[action="/notes/1"]`)
	owner.Post("/notes/1/delete", nil).Is(303)
}

func TestNewNotesAreCountedAndListed(t *testing.T) {
	_, owner, ada, vi, video := newTalk(t)
	page := fmt.Sprintf("/tasks/%d", video.ID)
	owner.Get("/gallery").Is(200).Lacks(".bell")
	ada.Post(page+"/notes", noteForm("at", "0", "body", "Look, @vi and @nobody")).Is(303)
	owner.Get("/gallery").Is(200).Shows(`aria-label="1 new note"`)
	vi.Get("/notes").Is(200).Shows("Look, ", "a boat")
	vi.Get(page).Is(200).Shows(`<b class="at">@vi</b>`).Hides(`@nobody</b>`)
	vi.Get("/notes").Is(200).Shows("Nothing new").Lacks(".bell") // it was seen on the video's page
	ada.Get("/notes").Is(200).Shows("Nothing new")
	ada.Get("/notes?show=open").Is(200).Shows("Look, ")
	ada.Get("/notes?show=done").Is(200).Shows("Nothing done yet")
	owner.Get("/notes").Is(200).Shows("Look, ")
	owner.Post("/notes/seen", nil).Is(303).LeadsTo("/notes")
	owner.Get("/notes").Is(200).Shows("Nothing new")
}

func TestNotesAreExported(t *testing.T) {
	_, owner, ada, _, video := newTalk(t)
	page := fmt.Sprintf("/tasks/%d/notes", video.ID)
	ada.Post(page, noteForm("at", "500", "body", "=1+1\nsail, \"larger\"")).Is(303)
	owner.Post(page, noteForm("at", "0", "until", "250", "body", "Slow", "internal", "on")).Is(303)
	owner.Post("/notes/2/done", nil).Is(303)
	file := owner.Get(page + ".csv").Is(200)
	if kind := file.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/csv") || !strings.Contains(file.Header.Get("Content-Disposition"), ".csv") {
		t.Errorf("%s, %s", kind, file.Header.Get("Content-Disposition"))
	}
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(file.Text, "\ufeff"))).ReadAll()
	must(t, err)
	want := [][]string{
		{"time", "frame", "until", "author", "guest", "body", "done", "internal"},
		{"0:00.0", "0", "0:00.2", "Kim Doe", "false", "Slow", "true", "true"},
		{"0:00.5", "12", "", "ada", "false", "'=1+1\nsail, \"larger\"", "false", "false"},
	}
	if fmt.Sprint(rows) != fmt.Sprint(want) {
		t.Errorf("got %q\nwant %q", rows, want)
	}
	edl := owner.Get(page + ".edl").Is(200)
	for _, line := range []string{"FCM: NON-DROP FRAME", "00:00:00:12 00:00:00:13", "|M:ada: =1+1 sail, \"larger\" |D:1", "|M:Kim Doe (only for us): Slow |D:6"} {
		if !strings.Contains(edl.Text, line) {
			t.Errorf("no %q in %s", line, edl.Text)
		}
	}
	xml := owner.Get(page + ".fcpxml").Is(200)
	for _, part := range []string{`<fcpxml version="1.10">`, `frameDuration="1/24s"`, `start="12/24s"`, `completed="1"`} {
		if !strings.Contains(xml.Text, part) {
			t.Errorf("no %q in %s", part, xml.Text)
		}
	}
}

func TestAVideoTakesOnlySoManyNotes(t *testing.T) {
	h, owner, _, _, video := newTalk(t)
	for i := range review.MaxNotes {
		must(t, h.Store.Notes.AddNote(t.Context(), &review.Note{TaskID: video.ID, Author: review.Author{UserID: 1}, Body: fmt.Sprint(i), CreatedAt: db.Now()}, nil))
	}
	owner.Post(fmt.Sprintf("/tasks/%d/notes", video.ID), noteForm("at", "0", "body", "kept")).Is(422).Shows("500 notes", ">kept</textarea>")
}
