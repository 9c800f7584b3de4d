package room_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/review"
	"dailies/handlers/handlerstest"
)

// stacked adds a video of the user that is a take of the other one.
func stacked(t *testing.T, h *handlerstest.Server, userID int64, prompt string, of db.Task) db.Task {
	t.Helper()
	take := h.KeptFilm(t, userID, prompt)
	u, err := h.Store.Accounts.User(t.Context(), userID)
	must(t, err)
	must(t, h.Store.Takes.Stack(t.Context(), u, take.ID, of.ID))
	take, err = h.Store.Tasks.Task(t.Context(), take.ID)
	must(t, err)
	return take
}

// files returns the paths of the files of the task under the link.
func files(link string, task db.Task) (paths []string) {
	for _, m := range task.Media {
		paths = append(paths, fmt.Sprintf("%s/media/%d", link, m.ID))
	}
	return paths
}

func TestALinkShowsItsTakesAndNoOthers(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	other := h.Joiner(t, owner, "other")
	first := h.KeptFilm(t, 1, "a boat")
	closed, open := owner.Share(page(first), "Our boat", "may", "decide"), owner.Share(page(first), "Open", "may", "decide", "takes", "on")
	mara := h.Stranger(t)
	mara.Get(open).Is(200).Shows("Is this the one?").Lacks("#takes")
	seen := mara.Get(open).Is(200)
	mark := seen.Text[strings.Index(seen.Text, `data-seen="`)+len(`data-seen="`):]
	mark, _, _ = strings.Cut(mark, `"`)
	mara.Get(open + "/state?seen=" + mark).Is(204)
	second := stacked(t, h, 1, "a red boat", first)
	hidden := stacked(t, h, 2, "a blue boat", first)
	h.Alter(t, hidden.ID, func(t *db.Task) { t.Private = true })
	foreign := h.KeptFilm(t, 1, "a tram")

	// What is new is announced on the open page, and comes first on the next visit.
	mara.Get(open + "/state?seen=" + mark).Is(200).Shows("something new")
	take := func(link string, t db.Task) string { return fmt.Sprintf("%s?take=%d", link, t.ID) }
	mara.Get(open).Is(200).Shows("Is take 2 the one?").Has(`#takes [href="`+take(open, second)+`"][aria-current=page]`, `#takes [href="`+take(open, first)+`"]`).
		Hides(take(open, hidden), "Take 3", "boat leaves", "red boat")
	mara.Get(take(open, first)).Is(200).Shows("Is take 1 the one?")
	mara.Get(open+fmt.Sprintf("/compare?take=%d&take=%d", first.ID, second.ID)).Is(200).Shows("Take 1", "Take 2", "Is take 2 the one?", `content="noindex`).Has(".together video", ".together [data-sound]")
	mara.Get(open + "/compare").Is(200)
	for _, pair := range [][2]int64{{first.ID, hidden.ID}, {first.ID, first.ID}, {first.ID, foreign.ID}, {first.ID, 4711}} {
		mara.Get(open + fmt.Sprintf("/compare?take=%d&take=%d", pair[0], pair[1])).Is(404)
	}
	for _, path := range files(open, second) {
		mara.Get(path).Is(200)
	}
	for _, path := range slices.Concat(files(open, hidden), files(open, foreign), files(closed, second), files(closed, hidden)) {
		mara.Get(path).Is(404)
	}
	mara.Get(closed).Is(200).Lacks("#takes")
	mara.Get(closed + "/compare").Is(404)
	mara.Post(closed+"/notes", talkForm(second, "body", "x", "name", "Mara")).Is(404)
	mara.Post(open+"/notes", talkForm(hidden, "body", "x", "name", "Mara")).Is(404)
	mara.Post(open+"/notes", talkForm(second, "body", "Redder", "name", "Mara")).Is(303)
	mara.Post(open+"/notes/1", url.Values{"body": {"Much redder"}}).Is(303)

	// Answers belong to one take.
	mara.Post(open+"/verdict", url.Values{"task": {fmt.Sprint(first.ID)}, "verdict": {"changes"}, "body": {"Red"}}).Is(303)
	mara.Get(take(open, second)).Shows("Is take 2 the one?").Hides("You asked for changes")
	mara.Get(take(open, first)).Shows("You asked for changes").Hides("Much redder")
	mara.Post(open+"/verdict", url.Values{"task": {fmt.Sprint(second.ID)}, "verdict": {"approved"}}).Is(303)
	standings, err := h.Store.Guests.Standings(t.Context(), []int64{first.ID, second.ID}, db.Now())
	must(t, err)
	if standings[first.ID].Answer() != review.Changes || standings[second.ID].Answer() != review.Approved {
		t.Errorf("%+v", standings)
	}

	// The team shows a take on the other link with one press.
	show := "/shares/1/takes"
	owner.Get(page(second)).Is(200).Shows("Show take 2 to the client").Has(`form[action="/shares/1/takes"] [name=task][value="` + fmt.Sprint(second.ID) + `"]`).Lacks(`form[action="/shares/2/takes"]`)
	for _, bad := range []int64{first.ID, hidden.ID, foreign.ID, 4711} {
		owner.Post(show, url.Values{"task": {fmt.Sprint(bad)}}).Is(422)
	}
	other.Post(show, url.Values{"task": {fmt.Sprint(second.ID)}}).Is(404) // the link of somebody else
	for range 2 {
		owner.Post(show, url.Values{"task": {fmt.Sprint(second.ID)}}).Is(303)
	}
	owner.Get(page(second)).Is(200).Lacks(`form[action="/shares/1/takes"]`)
	entries, err := h.Store.Audit.Entries(t.Context(), audit.Search{Action: audit.ShareChanged, Limit: 9})
	must(t, err)
	if len(entries) != 1 {
		t.Errorf("%+v", entries)
	}
	mara.Get(closed).Is(200).Shows("Is take 2 the one?")
	for _, path := range files(closed, second) {
		mara.Get(path).Is(200)
	}
	// What becomes private, is deleted or is no take any more is closed at once.
	h.Alter(t, second.ID, func(t *db.Task) { t.Private = true })
	mara.Get(files(open, second)[0]).Is(404)
	mara.Get(files(closed, second)[0]).Is(200) // picked by its maker, on their own link
	h.Alter(t, second.ID, func(t *db.Task) { t.Private = false })
	mara.Get(files(open, second)[0]).Is(200)
	owner.Post(page(second)+"/stack", url.Values{"with": {""}}).Is(303)
	for _, link := range []string{open, closed} {
		mara.Get(files(link, second)[0]).Is(404)
		mara.Get(link).Is(200).Lacks("#takes")
	}
	owner.Post(page(second)+"/stack", url.Values{"with": {fmt.Sprint(first.ID)}}).Is(303)
	mara.Get(files(open, second)[0]).Is(200)
	owner.Post("/shares/2/revoke", nil).Is(303)
	mara.Get(files(open, second)[0]).Is(404)
	mara.Get(open + "/compare").Is(404)
}

// Guests read which take answers a note once they can see it.
func TestGuestsReadWhichTakeAnswersTheirNote(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	first := h.KeptFilm(t, 1, "a boat")
	link := owner.Share(page(first), "Our boat", "may", "talk", "takes", "on")
	mara := h.Stranger(t)
	mara.Post(link+"/notes", talkForm(first, "body", "Red, please", "name", "Mara")).Is(303)
	answer := db.Task{UserID: 1, FormToken: "answer", Scene: "text-to-video", Model: "veo3", Prompt: "a red boat", ParentID: first.ID, Reuse: db.Answered, NoteIDs: []int64{1}, CreatedAt: db.Now(), NextAt: db.Now().AddDate(1, 0, 0)}
	handlerstest.Queue(t, h.Store, &answer)
	owner.Get(page(first) + "/notes").Shows("Take 2").Has(`.answered a[href="` + page(answer) + `"]`)
	mara.Get(link).Is(200).Hides("Take 2").Lacks(".answered", "#takes")
	video := h.File(t, db.Video, "video/webm", []byte("a red boat"))
	h.Alter(t, answer.ID, func(t *db.Task) {
		t.State, t.Keeping, t.Media = db.Success, db.Kept, []db.Media{video}
	})
	mara.Get(fmt.Sprintf("%s?take=%d", link, first.ID)).Is(200).Reads(fmt.Sprintf(`.answered a[href="%s?take=%d"]`, link, answer.ID), "take 2")
	mara.Get(link).Is(200).Has("#takes").Hides("Red, please")
}
