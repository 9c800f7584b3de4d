package room_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"dailies/db"
	"dailies/db/review"
	"dailies/handlers/handlerstest"
	"dailies/web/htmltest"
)

func talkForm(film db.Task, fields ...string) url.Values {
	v := url.Values{"task": {fmt.Sprint(film.ID)}, "at": {"0"}}
	for i := 0; i < len(fields); i += 2 {
		v.Set(fields[i], fields[i+1])
	}
	return v
}

func TestGuestsWriteNotesUnderTheirName(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	film := h.KeptFilm(t, 1, "a secret prompt")
	link, other := owner.Share(page(film), "Our boat", "may", "talk"), owner.Share(page(film), "Another", "may", "talk")
	mara, jo := h.Stranger(t), h.Stranger(t)
	mara.Get(link).Is(200).Shows("Pause where something should change", "Your name").Hides("a secret prompt").Lacks("#verdict")
	mara.Post(link+"/notes", talkForm(film, "body", "kept")).Is(422).Shows("Add your name, so that Kim knows who wrote this.", ">kept</textarea>").Has("#note-name[autofocus]")
	mara.Post(link+"/notes", talkForm(film, "body", "Larger <b>sail", "name", "Mara", "internal", "on")).Is(303).LeadsTo(fmt.Sprintf("%s/notes?task=%d#note-1", link, film.ID))
	mara.Get(link).Is(200).Shows("Larger &lt;b&gt;sail", "Writing as").Lacks("#note-name")
	jo.Post(link+"/notes", talkForm(film, "body", "Smaller", "name", "mara")).Is(303)
	jo.Post(other+"/notes", talkForm(film, "body", "Elsewhere", "name", "Jo")).Is(303)
	owner.Post(page(film)+"/notes", talkForm(film, "body", "For all", "internal", "")).Is(303)
	owner.Post(page(film)+"/notes", talkForm(film, "body", "Hush", "internal", "on")).Is(303)
	mara.Get(link).Is(200).Shows("Smaller", "mara 2", "For all", "Kim Doe").Hides("Elsewhere", "Hush", "kim@example.com")
	owner.Get(page(film)).Is(200).Shows("Elsewhere", "Hush", "(name typed by a guest)", "Mara", "mara 2")
	owner.Get("/notes").Is(200).Shows("Nothing new") // they were seen on the video's page

	// A colleague who is signed in writes under their own account.
	ada := h.Joiner(t, owner, "ada")
	ada.Get(link).Is(200).Has("#note-form").Lacks("#note-name")
	ada.Post(link+"/notes", talkForm(film, "body", "By Ada, @Kim")).Is(303)
	mara.Get(link).Is(200).Shows("By Ada")
	found, err := h.Store.Notes.Of(t.Context(), film.ID)
	must(t, err)
	for _, n := range found {
		if n.Body == "By Ada, @Kim" && (n.Author.UserID != 2 || n.ShareID == 0) || n.Internal != (n.Body == "Hush") {
			t.Errorf("%+v", n)
		}
	}
	mara.Post(link+"/name", url.Values{"name": {"Mara Lind"}}).Is(303)
	mara.Get(link).Is(200).Shows("Mara Lind")
	mara.Post(link+"/name", url.Values{"name": {strings.Repeat("x", review.MaxName+1)}}).Is(422)
}

func TestGuestsChangeOnlyTheirOwnNotes(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	film, secret := h.KeptFilm(t, 1, "a boat"), h.KeptFilm(t, 1, "a secret")
	link, other := owner.Share(page(film), "Our boat", "may", "talk"), owner.Share(page(film), "Another", "may", "talk")
	mara, jo := h.Stranger(t), h.Stranger(t)
	mara.Post(link+"/notes", talkForm(film, "body", "Larger", "name", "Mara")).Is(303)
	jo.Post(other+"/notes", talkForm(film, "body", "x", "name", "Jo")).Is(303)
	owner.Post(page(film)+"/notes", talkForm(film, "body", "Hush", "internal", "on")).Is(303)
	mara.Post(link+"/notes/1", url.Values{"body": {""}}).Is(422).Shows("Write something first", `action="`+link+`/notes/1"`)
	mara.Post(link+"/notes/1", url.Values{"body": {"Smaller"}}).Is(303)
	for _, path := range []string{"/notes/2", "/notes/3", "/notes/99", "/notes/2/delete", "/notes/3/delete"} { // of another link, or internal
		mara.Post(link+path, url.Values{"body": {"x"}}).Is(404)
	}
	for _, path := range []string{"/notes/1", "/notes/1/delete"} {
		h.Stranger(t).Post(link+path, url.Values{"body": {"x"}}).Is(403)
		mara.Post(other+path, url.Values{"body": {"x"}}).Is(404)
	}
	mara.Post(link+"/notes", talkForm(film, "parent", "3", "body", "x")).Is(422)
	mara.Post(link+"/notes", talkForm(secret, "body", "x")).Is(404)
	mara.Get(fmt.Sprintf("%s/notes?task=%d", link, secret.ID)).Is(404)
	for _, form := range []url.Values{talkForm(film, "at", "NaN", "body", "kept"), talkForm(film, "at", "99:00", "body", "kept"), talkForm(film, "body", "kept", "mark", "x")} {
		mara.Post(link+"/notes", form).Is(422).Shows(">kept</textarea>")
	}
	mara.Post(link+"/notes/1/delete", nil).Is(303)
	mara.Get(link).Is(200).Shows("Pause where something should change")
	owner.Post("/shares/1/revoke", nil).Is(303)
	mara.Post(link+"/notes", talkForm(film, "body", "x")).Is(404)
}

func TestGuestsDecideOncePerVideo(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	film := h.KeptFilm(t, 1, "a boat")
	link, talking := owner.Share(page(film), "Our boat", "may", "decide"), owner.Share(page(film), "Another", "may", "talk")
	owner.Get(page(film)).Is(200).Reads(".side .pill", "Waiting")
	mara, jo := h.Stranger(t), h.Stranger(t)
	mara.Get(link).Is(200).Has("#verdict").Shows("Is this the one?")
	mara.Post(talking+"/verdict", talkForm(film, "verdict", "approved", "name", "Mara")).Is(403)
	for says, form := range map[string]url.Values{
		"Add your name, so that": talkForm(film, "verdict", "approved"),
		"Choose one of the two":  talkForm(film, "verdict", "maybe", "name", "Mara"),
		"Say what should change": talkForm(film, "verdict", "changes", "name", "Mara"),
		"2,000 characters":       talkForm(film, "verdict", "approved", "name", "Mara", "body", strings.Repeat("x", review.MaxBody+1)),
	} {
		mara.Post(link+"/verdict", form).Is(422).Shows(says)
	}
	mara.Post(link+"/verdict", talkForm(film, "verdict", "changes", "body", "A red sail", "name", "Mara")).Is(303)
	mara.Get(link).Is(200).Shows("You asked for changes. Kim has been told.", "A red sail", "Changes wanted")
	owner.Get(page(film)).Is(200).Shows("Mara wants changes")
	owner.Get("/notes").Is(200) // seen on the page
	mara.Post(link+"/verdict", talkForm(film, "verdict", "approved")).Is(303)
	mara.Get(link).Is(200).Shows("You approved this. Kim has been told.", "A red sail", "Earlier answer")
	jo.Get(link).Is(200).Shows("Is this the one?").Hides("You approved")
	jo.Post(link+"/name", url.Values{"name": {"Jo"}}).Is(303)
	owner.Get(page(film)).Is(200).Shows("Approved by 1 of 2")
	owner.Post(link+"/verdict", talkForm(film, "verdict", "approved")).Is(403).Shows("Guests decide here")
	mara.Post(link+"/verdict", url.Values{"task": {"99"}, "verdict": {"approved"}}).Is(404)
}

func TestGuestsWriteOnlySoMuch(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	film := h.KeptFilm(t, 1, "a boat")
	link := owner.Share(page(film), "Our boat", "may", "talk")
	mara := h.Stranger(t)
	mara.Post(link+"/name", url.Values{"name": {"Mara"}}).Is(303)
	for i := range 10 {
		mara.Post(link+"/notes", talkForm(film, "body", fmt.Sprint(i))).Is(303)
	}
	if a := mara.Post(link+"/notes", talkForm(film, "body", "kept")).Is(429).Shows(">kept</textarea>"); a.Header.Get("Retry-After") == "" {
		t.Error("it does not say how long to wait")
	}
}

func TestNobodyTakesThePlacesOfOthers(t *testing.T) {
	h := behindProxies(t, "127.0.0.1")
	owner := h.Founder(t)
	film := h.KeptFilm(t, 1, "a boat")
	link := owner.Share(page(film), "Our boat", "may", "decide")
	crowd, elsewhere := []string{"X-Forwarded-For", "203.0.113.9"}, []string{"X-Forwarded-For", "203.0.113.10"}
	for range review.MaxGuestsFrom {
		h.Stranger(t).Post(link+"/name", url.Values{"name": {"x"}}, crowd...).Is(303)
	}
	for _, what := range []string{"/notes", "/verdict"} {
		form := talkForm(film, "body", "kept", "name", "Jo", "verdict", "changes")
		h.Stranger(t).Post(link+what, form, crowd...).Is(429).Shows("Too many people", ">kept</textarea>")
		h.Stranger(t).Post(link+what, form, elsewhere...).Is(303)
	}
}

func TestOnlyAFewCookiesOfGuestsAreLookedUp(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	film := h.KeptFilm(t, 1, "a boat")
	link := owner.Share(page(film), "Our boat", "may", "talk")
	mara := h.Stranger(t)
	named := mara.Post(link+"/name", url.Values{"name": {"Mara"}}).Is(303)
	own := named.Cookies()[0].Name + "=" + named.Cookies()[0].Value
	strangers := func(n int) string { return strings.Repeat("dailies-guest=x; ", n) }
	h.Stranger(t).Post(link+"/notes", talkForm(film, "body", "Larger"), "Cookie", strangers(3)+own).Is(303)
	h.Stranger(t).Post(link+"/notes", talkForm(film, "body", "Smaller"), "Cookie", strangers(2500)+own).Is(422)
}

// Other words for a note that was deleted, in another tab or by the team, are not lost: they are in
// the form for a new note.
func TestWordsForANoteThatIsGoneAreKept(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	film := h.KeptFilm(t, 1, "a boat")
	link := owner.Share(page(film), "Our boat", "may", "talk")
	mara := h.Stranger(t)
	deletes := url.Values{"task": {fmt.Sprint(film.ID)}}
	mara.Post(link+"/notes", talkForm(film, "body", "Redder", "name", "Mara")).Is(303)
	mara.Post(link+"/notes/1/delete", deletes).Is(303)
	words := talkForm(film, "body", "Redder, and nearer")
	mara.Post(link+"/notes/1", words).Is(404).Shows("That note was deleted. Your text is kept: send it as a new one.", "Redder, and nearer").Has(`#note-form[action="` + link + `/notes"]`)
	mara.Post(link+"/notes/1/delete", deletes).Is(404).Shows("That note is gone: it was deleted.")
	mara.Post(link+"/notes", words).Is(303)
	mara.Post(link+"/notes", talkForm(film, "body", "Yes", "parent", "2")).Is(303)
	mara.Post(link+"/notes/2/delete", deletes).Is(303)
	mara.Post(link+"/notes/2", words).Is(403).Shows("That note was deleted.", "Redder, and nearer")
}

// buttons returns the words of the buttons that send the form.
func buttons(a *handlerstest.Answer, form string) (words []string) {
	for _, b := range htmltest.All(a.Root(), form+" button") {
		if htmltest.Attr(b, "type") != "button" && htmltest.Attr(b, "aria-hidden") == "" {
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
		link:           {[]string{"Changes wanted", "Approve"}, []string{"Cancel", "Send"}, 1},
		at("changes"):  {nil, []string{"Cancel", "Send"}, 1},
		at("approved"): {[]string{"Approve"}, []string{"Cancel", "Send"}, 2},
		at("nonsense"): {[]string{"Changes wanted", "Approve"}, []string{"Cancel", "Send"}, 1},
	} {
		a := mara.Get(path).Is(200)
		if got := buttons(a, "#verdict"); !slices.Equal(got, want.verdict) {
			t.Errorf("%s: the answer has %q", path, got)
		}
		if got := buttons(a, "#note-form"); !slices.Equal(got, want.note) {
			t.Errorf("%s: the form for notes has %q", path, got)
		}
		for form, want := range map[string]string{"note-form": "", "verdict": "approved"} {
			if got, is := onEnter(a, form); is && got != want {
				t.Errorf("%s: Enter in %s presses %q", path, form, got)
			}
		}
		if n := len(htmltest.All(a.Root(), "main [name=name]")); n != want.names {
			t.Errorf("%s asks %d times for a name", path, n)
		}
	}
	mara.Get(at("changes")).Has(`#note-form.answering[action="`+link+`/verdict"] [name=verdict][value=changes]`, "#note-form #note-body", "#note-form #note-name").Shows("What should change?", "Cancel").Hides("Approve").Lacks("[name=verdict][disabled]")
	mara.Get(link).Has(`#note-form[action="`+link+`/notes"] [name=verdict][disabled]`, ".verdict [value=changes][form=note-form]").Lacks(".answering")
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
	if got := buttons(a, "#verdict"); !slices.Equal(got, []string{"Cancel", "Changes wanted", "Approve"}) {
		t.Errorf("answered again with %q", got)
	}
	if got, is := onEnter(a, "note-form"); !is || got != "" {
		t.Errorf("Enter presses %q", got)
	}
}

// Without script, a step of the answer takes what was typed as a note along, and back again.
func TestWhatWasTypedGoesAlongWithTheAnswer(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	film := h.KeptFilm(t, 1, "a boat")
	link := owner.Share(page(film), "Our boat", "may", "decide")
	mara := h.Stranger(t)
	typed := func(answer string) url.Values {
		return talkForm(film, "answer", answer, "body", "Redder, <b>please", "at", "0:00.5", "name", "Mara", "guest", "EXAMPLEEXAMPLEEXAMPLEEXAM")
	}
	const words = ">Redder, &lt;b&gt;please</textarea>"
	step := func(answer string) *handlerstest.Answer { return mara.Post(link+"/notes", typed(answer)).Is(200) }
	step("changes").Has(`#note-form.answering[action="`+link+`/verdict"] #note-body`, `#note-form [name=at][value="0:00.5"]`, "#note-form [name=name][value=Mara]", "#note-form [name=verdict][value=changes]").
		Shows(words).Lacks("#verdict", "[name=verdict][disabled]", "[aria-invalid]", ".error")
	a := step("approved").Has("#verdict #verdict-body", "#verdict-name[value=Mara]", `#verdict [name=at][value="0:00.5"]`, "#verdict [name=answer][value='']").Shows(words).Lacks("#note-form")
	if got, is := onEnter(a, "verdict"); !is || got != "approved" {
		t.Errorf("Enter presses %q", got)
	}
	for _, back := range []string{"", "again", "nonsense"} {
		step(back).Has(`#note-form[action="`+link+`/notes"] #note-body`, `[name=at][value="0:00.5"]`, "[name=name][value=Mara]", "#verdict [value=changes]").Shows(words).Lacks(".answering", "#verdict-body", ".error")
	}
	// What cannot be sent is kept until it is.
	wrong := typed("changes")
	wrong.Set("body", strings.Repeat("x", review.MaxBody+1))
	wrong.Set("at", "soon")
	mara.Post(link+"/notes", wrong).Is(200).Has("#note-form.answering", "[name=at][value=soon]").Shows(strings.Repeat("x", review.MaxBody+1))
	wrong.Set("verdict", "approved")
	wrong.Del("answer")
	mara.Post(link+"/verdict", wrong).Is(422).Has("#verdict-body[aria-invalid]", "#verdict-error", "#verdict-name").Shows(strings.Repeat("x", review.MaxBody+1)).Lacks("#note-form")
	found, err := h.Store.Notes.Of(t.Context(), film.ID)
	if err != nil || len(found) != 0 {
		t.Errorf("a step has stored %+v, %v", found, err)
	}
	// The answer is forgotten if the link lets guests only talk meanwhile: the words are not.
	other := owner.Share(page(film), "Another", "may", "talk")
	mara.Post(other+"/notes", typed("changes")).Is(200).Shows(words).Lacks("#verdict", ".answering")

	// A name, and nothing typed: Approve is one press. With words, it shows them first.
	mara.Post(link+"/verdict", talkForm(film, "verdict", "changes", "body", "a red boat", "name", "Mara")).Is(303)
	mara.Post(link+"/notes", typed("approved")).Is(200).Has("#verdict #verdict-body").Shows(words).Lacks("main [name=name]", "#note-form")
	mara.Post(link+"/verdict", talkForm(film, "verdict", "approved", "body", "Lovely")).Is(303)
	mara.Get(link).Shows("You approved this", "Lovely")
	mara.Post(link+"/notes", talkForm(film, "answer", "approved", "body", " ")).Is(303).LeadsTo(fmt.Sprintf("%s/notes?task=%d#verdict", link, film.ID))
	mara.Post(link+"/notes", talkForm(film, "answer", "approved", "verdict", "changes", "body", "")).Is(303) // the form was about changes
	mara.Get(link).Shows("You approved this")

	// A reply and other words for a note stay what they are.
	mara.Post(link+"/notes", talkForm(film, "body", "nearer")).Is(303)
	notes, err := h.Store.Notes.Of(t.Context(), film.ID)
	must(t, err)
	id := fmt.Sprint(notes[slices.IndexFunc(notes, func(n review.Note) bool { return n.Body == "nearer" })].ID)
	mara.Post(link+"/notes", talkForm(film, "answer", "again", "body", "much", "parent", id)).Is(200).Has("#note-form [name=parent][value='" + id + "']").Shows(">much</textarea>")
	mara.Post(link+"/notes", talkForm(film, "answer", "again", "body", "farther", "edit", id)).Is(200).Has(`#note-form[action="` + link + `/notes/` + id + `"]`).Shows(">farther</textarea>")
	mara.Post(link+"/notes", talkForm(film, "answer", "changes", "body", "much", "parent", id)).Is(200).Has("#note-form.answering").Shows(">much</textarea>").Lacks("[name=parent]")
}

// A form that is sent twice by somebody who gives a name with it, such as with a second press
// before the first is answered, adds one guest who has written once. Both presses are answered
// with that guest.
func TestAFormThatIsSentTwiceCountsOnce(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	film := h.KeptFilm(t, 1, "a boat")
	for i, path := range []string{"/notes", "/verdict"} {
		link := owner.Share(page(film), "Our boat", "may", "decide")
		first, second := h.Stranger(t), h.Stranger(t)
		guest := htmltest.Attr(htmltest.First(t, first.Get(link).Is(200).Root(), "#note-form [name=guest]"), "value")
		form := talkForm(film, "body", "a red boat", "name", "Mara", "guest", guest, "verdict", "changes")
		var both sync.WaitGroup
		for _, g := range []*handlerstest.Browser{first, second} {
			both.Go(func() { g.Send("POST", link+path, form) })
		}
		both.Wait()
		for _, g := range []*handlerstest.Browser{first, second} {
			a := g.Get(link).Is(200).Shows("Writing as <b>", "Mara").Hides("Mara (2)")
			if n := len(htmltest.All(a.Root(), ".remark")); n != 1 {
				t.Errorf("%s: %d notes", path, n)
			}
		}
		// Another form, and one that names none, are another guest.
		for _, other := range []string{"", "short", strings.Repeat("A", len(guest))} {
			form.Set("guest", other)
			h.Stranger(t).Post(link+path, form).Is(303)
		}
		visitors, err := h.Store.Guests.Visitors(t.Context(), []int64{int64(i + 1)})
		if found := visitors[int64(i+1)]; err != nil || len(found) != 4 {
			t.Errorf("%s: %d guests, %v", path, len(found), err)
		}
	}
}

// onEnter returns what the button that Enter presses in the form sends with it, and whether there
// is one.
func onEnter(a *handlerstest.Answer, form string) (value string, ok bool) {
	for _, b := range htmltest.All(a.Root(), "button") {
		owner := htmltest.Attr(b, "form")
		for n := b.Parent; owner == "" && n != nil; n = n.Parent {
			if n.Data == "form" {
				owner = htmltest.Attr(n, "id")
				break
			}
		}
		if owner == form && htmltest.Attr(b, "type") != "button" {
			return htmltest.Attr(b, "value"), true
		}
	}
	return "", false
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
