package room_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/review"
	"dailies/handlers/handlerstest"
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
