package room_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"dailies/db/review"
	"dailies/handlers/handlerstest"
	"dailies/web/htmltest"
)

// buttons returns the words of the buttons that send the form.
func buttons(a *handlerstest.Answer, form string) (words []string) {
	for _, b := range htmltest.All(a.Root(), form+" button") {
		if htmltest.Attr(b, "type") != "button" {
			words = append(words, strings.TrimSpace(htmltest.Text(b)))
		}
	}
	return words
}

// Without script, the answer is given with plain forms. In each of them, Enter presses what the
// guest sees, and nothing else.
func TestTheAnswerIsGivenInPlainForms(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	film := h.KeptFilm(t, 1, "a boat")
	link := owner.Share(page(film), "Our boat", "may", "decide")
	mara := h.Stranger(t)
	at := func(answer string) string { return fmt.Sprintf("%s/notes?task=%d&answer=%s", link, film.ID, answer) }
	for path, want := range map[string]struct {
		verdict, note []string
		names         int // fields for a name
	}{
		link:           {[]string{"Changes wanted", "Approve"}, []string{"Send"}, 1},
		at("changes"):  {nil, []string{"Send"}, 1},
		at("approved"): {[]string{"Approve"}, []string{"Send"}, 2},
		at("nonsense"): {[]string{"Changes wanted", "Approve"}, []string{"Send"}, 1},
	} {
		a := mara.Get(path).Is(200)
		if got := buttons(a, "#verdict"); !slices.Equal(got, want.verdict) {
			t.Errorf("%s: the answer has %q", path, got)
		}
		if got := buttons(a, "#note-form"); !slices.Equal(got, want.note) {
			t.Errorf("%s: the form for notes has %q", path, got)
		}
		if n := len(htmltest.All(a.Root(), "main [name=name]")); n != want.names {
			t.Errorf("%s asks %d times for a name", path, n)
		}
	}
	mara.Get(at("changes")).Has(`#note-form.answering[action="`+link+`/verdict"] [name=verdict][value=changes]`, "#note-form #note-body", "#note-form #note-name").Shows("What should change?", "Cancel").Hides("Approve").Lacks("[name=verdict][disabled]")
	mara.Get(link).Has(`#note-form[action="`+link+`/notes"] [name=verdict][disabled]`, ".verdict [value=changes][formmethod=get]").Lacks(".answering")
	mara.Get(at("approved")).Shows("Approve as").Has("#verdict-name[autofocus]", "#verdict[method=post] [name=verdict][value=approved]")

	// What was refused is in the form with which it was sent, with the focus where something is
	// missing.
	mara.Post(link+"/verdict", talkForm(film, "verdict", "changes", "body", "kept", "at", "0:00.5", "mark", mark)).Is(422).
		Has("#note-form.answering.open", "#note-name[autofocus][aria-invalid]", `[name=mark][value='`+mark+`']`, `[name=at][value="0:00.5"]`).Lacks("#verdict").Shows(">kept</textarea>", "Add your name, so that Kim knows who wrote this.")
	mara.Post(link+"/verdict", talkForm(film, "verdict", "changes", "name", "Mara")).Is(422).Has("#note-form.answering", "#note-body[autofocus][aria-invalid]", "[name=name][value=Mara]").Lacks("#verdict")
	mara.Post(link+"/verdict", talkForm(film, "verdict", "approved")).Is(422).Has("#verdict-name[autofocus][aria-invalid]").Shows("Add your name")
	for _, bad := range []url.Values{
		talkForm(film, "verdict", "changes", "body", "x", "name", "Mara", "at", "NaN"),
		talkForm(film, "verdict", "changes", "body", "x", "name", "Mara", "at", "99:00"),
		talkForm(film, "verdict", "changes", "body", "x", "name", "Mara", "until", "0:0"),
		talkForm(film, "verdict", "changes", "body", "x", "name", "Mara", "mark", "{}"),
		{"task": {fmt.Sprint(film.ID)}, "verdict": {"changes"}, "body": {"x"}, "name": {"Mara"}, "mark": {mark}}, // at which moment?
	} {
		mara.Post(link+"/verdict", bad).Is(422).Has("#note-form.answering .error")
	}
	found, err := h.Store.Notes.Of(t.Context(), film.ID)
	if err != nil || len(found) != 0 {
		t.Errorf("%+v, %v", found, err)
	}

	// A guest with a name gives none again, and can answer otherwise.
	mara.Post(link+"/verdict", talkForm(film, "verdict", "approved", "name", "Mara")).Is(303).LeadsTo(fmt.Sprintf("%s/notes?task=%d#verdict", link, film.ID))
	mara.Get(link).Has("section#verdict").Shows("You approved this. Kim has been told.", "Change", "Writing as").Lacks("main [name=name]")
	a := mara.Get(at("again")).Is(200).Lacks("main [name=name]").Shows("Cancel")
	if got := buttons(a, "#verdict"); !slices.Equal(got, []string{"Changes wanted", "Approve"}) {
		t.Errorf("answered again with %q", got)
	}
	mara.Get(at("again")).Has("#verdict [name=verdict][value=approved]")
}

const mark = `{"kind":"rect","points":[[0.1,0.2],[0.3,0.4]]}`

// A guest's words are the first note of the video, ticked, and in every list and file of notes.
func TestWhatShouldChangeIsTheFirstNote(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	film := h.KeptFilm(t, 1, "a boat")
	link := owner.Share(page(film), "Our boat", "may", "decide")
	mara, jo, tim := h.Stranger(t), h.Stranger(t), h.Stranger(t)
	owner.Post(page(film)+"/notes", talkForm(film, "body", "ours")).Is(303)
	mara.Post(link+"/verdict", talkForm(film, "verdict", "changes", "body", "a red boat", "at", "0:00.5", "until", "0:00.8", "mark", mark, "name", "Mara")).Is(303)
	mara.Post(link+"/notes", talkForm(film, "body", "and nearer")).Is(303)
	jo.Post(link+"/verdict", talkForm(film, "verdict", "approved", "name", "Jo")).Is(303)
	jo.Post(link+"/notes", talkForm(film, "body", "lovely light")).Is(303)
	tim.Post(link+"/notes", talkForm(film, "body", "hm", "name", "Tim")).Is(303)

	// One entry in the list of what is new, with the words.
	if shown := htmltest.All(owner.Get("/notes").Is(200).Shows("a red boat", "Changes wanted").Root(), ".inbox-item"); len(shown) != 5 {
		t.Errorf("%d entries", len(shown))
	}
	a := owner.Get(page(film)).Is(200).Reads(".remark .pill", "Changes wanted")
	ticked := map[string]bool{}
	for _, note := range htmltest.All(a.Root(), ".remark") {
		if htmltest.Has(note, ".pick-note") {
			ticked[htmltest.Text(htmltest.First(t, note, ".body"))] = htmltest.Has(note, ".pick-note[checked]")
		}
	}
	if want := map[string]bool{"a red boat": true, "and nearer": true, "ours": false, "lovely light": false, "hm": false}; fmt.Sprint(ticked) != fmt.Sprint(want) {
		t.Errorf("ticked %v, not %v", ticked, want)
	}
	first := htmltest.First(t, a.Root(), ".remark")
	if id := htmltest.Attr(first, "data-at"); id != "500" || htmltest.Attr(first, "data-mark") != mark {
		t.Errorf("at %s, mark %s", id, htmltest.Attr(first, "data-mark"))
	}
	owner.Get(page(film)+"/next-take?note="+strings.TrimPrefix(htmltest.Attr(first, "id"), "note-")).Is(200).Shows("What was asked", "a red boat", "0:00.5")

	csv := owner.Get(page(film) + "/notes.csv").Is(200).Text
	rows := strings.Split(strings.TrimSpace(csv), "\n")
	if len(rows) != 7 || !strings.HasPrefix(rows[1], "0:00.5,") || !strings.Contains(rows[1], ",0:00.8,Mara,true,a red boat,false,false") || strings.TrimSpace(rows[2]) != ",,,Jo,true,Approved,false,false" {
		t.Errorf("%q", rows)
	}
	for _, file := range []string{"/notes.edl", "/notes.fcpxml"} {
		text := owner.Get(page(film) + file).Is(200).Text
		if !strings.Contains(text, "Mara: a red boat") || strings.Contains(text, "Approved") || strings.Contains(text, "Jo: \n") {
			t.Errorf("%s: %s", file, text)
		}
	}

	// The team closes the answer, and does not delete it.
	id := strings.TrimPrefix(htmltest.Attr(first, "id"), "note-")
	owner.Post("/notes/"+id+"/delete", nil).Is(403).Shows("Only the guest can delete an answer")
	owner.Post("/notes/"+id+"/done", url.Values{"done": {"true"}}).Is(303)
	owner.Get(page(film)).Shows("1 note done").Lacks(`form[action="/notes/` + id + `/delete"]`)

	// The guest changes the words, answers otherwise, and withdraws that.
	mara.Post(link+"/notes/"+id, url.Values{"body": {"a dark red boat"}}).Is(303)
	owner.Get(page(film)).Shows("a dark red boat", "Mara wants changes")
	mara.Post(link+"/verdict", talkForm(film, "verdict", "approved", "body", "thank you")).Is(303)
	owner.Get(page(film)).Shows("Approved by 2 of 3", "Earlier answer", "a dark red boat")
	given, err := h.Store.Guests.Verdicts(t.Context(), []int64{film.ID})
	must(t, err)
	at := slices.IndexFunc(given, func(v review.Verdict) bool { return v.Guest.Name == "Mara" })
	mara.Post(fmt.Sprintf("%s/notes/%d/delete", link, given[at].NoteID), nil).Is(303)
	mara.Get(link).Is(200).Shows("Is this the one?").Hides("thank you")
	owner.Get(page(film)).Shows("Approved by 1 of 3").Hides("thank you")
}

func TestRepliesStayWhereAGuestDeletesTheirNote(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	film := h.KeptFilm(t, 1, "a boat")
	link := owner.Share(page(film), "Our boat", "may", "decide")
	mara := h.Stranger(t)
	mara.Post(link+"/notes", talkForm(film, "body", "secret words", "name", "Mara", "mark", mark)).Is(303)
	owner.Post(page(film)+"/notes", talkForm(film, "body", "Like this?", "parent", "1")).Is(303)
	mara.Post(link+"/notes/1/delete", nil).Is(303)
	for _, a := range []*handlerstest.Answer{mara.Get(link), owner.Get(page(film))} {
		a.Is(200).Shows("Deleted by its author", "Like this?").Hides("secret words").Lacks("[data-mark]", ".pick-note", `form[action="/notes/1/delete"]`, `form[action="/notes/1/done"]`, `form[action="`+link+`/notes/1/delete"]`)
	}
	mara.Post(link+"/notes/1", url.Values{"body": {"x"}}).Is(403)
	mara.Post(link+"/notes/1/delete", nil).Is(404)
	owner.Post("/notes/1/delete", nil).Is(403)
	owner.Get("/notes?show=open").Is(200).Shows("No open notes")
	owner.Get("/audit").Is(200).Shows("1 reply stays")
	csv := owner.Get(page(film) + "/notes.csv").Is(200).Text
	if !strings.Contains(csv, "Mara,true,Deleted by its author,false,false") || !strings.Contains(csv, "Like this?") {
		t.Errorf("%s", csv)
	}
	mara.Post(link+"/notes", talkForm(film, "body", "more", "parent", "1")).Is(303)
	owner.Post("/notes/2/delete", nil).Is(303)
	mara.Post(link+"/notes/3/delete", nil).Is(303)
	mara.Get(link).Is(200).Hides("Deleted by its author")
}

// A script gets what it shows in place of the form, also for a guest whom it names just now.
func TestAScriptGetsTheAnswerAndTheNotes(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	film := h.KeptFilm(t, 1, "a boat")
	link := owner.Share(page(film), "Our boat", "may", "decide")
	mara := h.Stranger(t)
	partial := []string{"HX-Request-Type", "partial"}
	mara.Send("GET", fmt.Sprintf("%s/notes?task=%d&answer=approved", link, film.ID), nil, partial...).Is(200).Has("#answer #verdict-name", "#talk").Lacks("body main")
	mara.Send("POST", link+"/verdict", talkForm(film, "verdict", "changes", "body", "red"), partial...).Is(422).Has("#note-name[aria-invalid]", "#answer").Lacks("#verdict")
	mara.Send("POST", link+"/verdict", talkForm(film, "verdict", "changes", "body", "red", "name", "Mara"), partial...).Is(200).
		Shows("You asked for changes", "red").Has("#talk .remark .pill", "#answer section#verdict", "#me").Lacks(".answering", "#note-name")
	found, err := h.Store.Notes.Of(t.Context(), film.ID)
	if err != nil || len(found) != 1 || !found[0].IsAnswer() || found[0].At != 0 {
		t.Errorf("%+v, %v", found, err)
	}
	if n, err := h.Store.Notes.HowMuchIsNew(t.Context(), 1); err != nil || n != 1 {
		t.Errorf("%d news, %v", n, err)
	}
}
