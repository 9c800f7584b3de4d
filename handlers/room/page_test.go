package room_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/gallery"
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
	mara.Get(open).Is(200).Shows("Is take 2 the one?").Has(
		`#takes [href="`+take(open, second)+`"][aria-current=page]`, `#takes [href="`+take(open, first)+`"]`,
	).
		Hides(take(open, hidden), "Take 3", "boat leaves", "red boat")
	mara.Get(take(open, first)).Is(200).Shows("Is take 1 the one?")
	mara.Get(
		open+fmt.Sprintf("/compare?take=%d&take=%d", first.ID, second.ID),
	).Is(200).Shows("Take 1", "Take 2", "Is take 2 the one?", `content="noindex`).Has(".together video", ".together [data-sound]")
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
	approvals, err := h.Store.Guests.Approvals(t.Context(), []int64{first.ID, second.ID}, db.Now())
	must(t, err)
	if approvals[first.ID].Answer() != review.Changes || approvals[second.ID].Answer() != review.Approved {
		t.Errorf("%+v", approvals)
	}

	// The team shows a take on the other link with one press.
	show := "/shares/1/takes"
	owner.Get(page(second)).Is(200).Shows("Show take 2 to the client").Has(
		`form[action="/shares/1/takes"] [name=task][value="` + fmt.Sprint(second.ID) + `"]`,
	).Lacks(`form[action="/shares/2/takes"]`)
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
	answer := db.Task{
		UserID: 1, FormToken: "answer", Request: db.Request{Scene: "text-to-video", Model: "veo3", Prompt: "a red boat"},
		ParentID: first.ID, Reuse: db.Answered, NoteIDs: []int64{1}, CreatedAt: db.Now(), NextAt: db.Now().AddDate(1, 0, 0),
	}
	handlerstest.Queue(t, h.Store, &answer)
	owner.Get(page(first) + "/notes").Shows("Take 2").Has(`.answered a[href="` + page(answer) + `"]`)
	mara.Get(link).Is(200).Hides("Take 2").Lacks(".answered", "#takes")
	video := h.File(t, db.Video, "video/webm", []byte("a red boat"))
	h.Alter(t, answer.ID, func(t *db.Task) {
		t.State, t.Keeping, t.Media = db.Success, db.Kept, []db.Media{video}
	})
	mara.Get(fmt.Sprintf("%s?take=%d", link, first.ID)).Is(200).Reads(
		fmt.Sprintf(`.answered a[href="%s?take=%d"]`, link, answer.ID), "take 2",
	)
	mara.Get(link).Is(200).Has("#takes").Hides("Red, please")
}

// A link to a long collection begins with the first videos, as the page of the team does, leads to
// the others without script, and opens each of them where it belongs.
func TestALinkShowsALongCollectionInParts(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	c := h.AddCollection(t, 1)
	const most = gallery.PerCollection
	var films []db.Task
	var ids []int64
	for i := range most + 2 {
		film := h.KeptFilm(t, 1, fmt.Sprint("boat ", i))
		films, ids = append(films, film), append(ids, film.ID)
	}
	_, err := h.Store.Collections.AddToCollection(t.Context(), c.ID, 1, ids, db.Now())
	must(t, err)
	take := stacked(t, h, 1, "another boat", films[most+1])
	link := owner.Share(fmt.Sprintf("/collections/%d", c.ID), "Boats", "may", "decide", "takes", "on")
	mara := h.Stranger(t)
	at := func(film db.Task) string {
		video, _ := film.Video()
		return fmt.Sprintf("%s?video=%d", link, video.ID)
	}
	item := func(film db.Task) string { return fmt.Sprintf(`.playlist [href="%s"]`, at(film)) }
	next := fmt.Sprintf("%s?after=%d", link, films[most-1].ID)

	first := mara.Get(link).Is(200)
	first.Shows(fmt.Sprintf("Video 1 of %d", most+2), "More videos").Has(
		item(films[0])+"[aria-current]", item(films[most-1]), `a[rel=next][href="`+next+`"]`, "#takes",
	).Lacks(item(films[most]), ".dots")
	mara.Get(next).Is(200).Shows(fmt.Sprintf("Video %d of %d", most+1, most+2), "Back to the first").Hides("More videos").
		Has(item(films[most])+"[aria-current]", item(films[most+1])).Lacks(item(films[0]))
	mara.Get(next, "HX-Request-Type", "partial").Is(200).Shows(fmt.Sprintf("Video %d of %d", most+2, most+2)).Lacks("nav", "[aria-current]")
	mara.Get(at(films[most+1])).Is(200).Shows(fmt.Sprintf("Video %d of %d", most+2, most+2)).Has(
		`#takes a[href="` + fmt.Sprintf("%s?take=%d", link, take.ID) + `"]`,
	)
	mara.Get(link + "?after=4711").Is(200).Shows(fmt.Sprintf("Video 1 of %d", most+2))
	mara.Get(link+"/compare").Is(200).Shows("Take 1", "Take 2")

	// What a guest says about the last video is shown beside it, and files are guarded as ever.
	mara.Get(link + fmt.Sprintf("/notes?task=%d", films[most+1].ID)).Is(200).Shows(fmt.Sprintf("Video %d of %d", most+2, most+2))
	mara.Post(link+"/notes", talkForm(films[most], "body", "A larger sail", "name", "Mara")).Is(303)
	mara.Get(link + fmt.Sprintf("/notes?task=%d", films[most].ID)).Is(200).Shows("A larger sail")
	mara.Post(link+"/verdict", url.Values{"task": {fmt.Sprint(take.ID)}, "verdict": {"approved"}}).Is(303)
	foreign := h.KeptFilm(t, 1, "a tram")
	mara.Post(link+"/notes", talkForm(foreign, "body", "x")).Is(404)
	mara.Get(files(link, films[most+1])[0]).Is(200)
	mara.Get(files(link, foreign)[0]).Is(404)

	// An open page is told of what changes far below it.
	seen := mara.Get(link).Is(200)
	_, mark, _ := strings.Cut(seen.Text, `data-seen="`)
	mark, _, _ = strings.Cut(mark, `"`)
	mara.Get(link + "/state?seen=" + mark).Is(204)
	h.Alter(t, films[most].ID, func(t *db.Task) { t.Private = true })
	mara.Get(link + "/state?seen=" + mark).Is(200)
	mara.Get(link).Is(200).Shows(fmt.Sprintf("Video 1 of %d", most+1))
	mara.Get(files(link, films[most])[0]).Is(404)
}

// Notes and answers of guests of a storyline are about single scenes.
func TestGuestsOfAStorylineWriteAboutItsScenes(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	first, other := h.KeptFilm(t, 1, "a paper boat"), h.KeptFilm(t, 1, "a tram")
	second := h.Film(t, 1, func(t *db.Task) { t.ParentID, t.Reuse = first.ID, db.Continued })
	link := owner.Share(fmt.Sprintf("/story/%d", first.ID), "Our film", "may", "decide")
	guest := h.Stranger(t)
	about := func(task db.Task, more ...string) url.Values {
		form := url.Values{"task": {fmt.Sprint(task.ID)}, "at": {"0"}, "name": {"Mara"}}
		for i := 0; i < len(more); i += 2 {
			form.Set(more[i], more[i+1])
		}
		return form
	}
	guest.Get(link).Is(200).Has("#note-form", "#verdict").Shows("Scene 1 of 2")
	guest.Post(link+"/notes", about(second, "body", "a larger crane")).Is(303)
	guest.Post(link+"/notes", about(other, "body", "elsewhere")).Is(404)
	guest.Post(link+"/verdict", about(second, "verdict", "approved")).Is(303)
	guest.Post(link+"/verdict", about(other, "verdict", "approved")).Is(404)
	scene := fmt.Sprintf("%s/notes?task=%d", link, second.ID)
	guest.Get(scene).Is(200).Shows("a larger crane", "Scene 2 of 2", "You approved this").Has(
		fmt.Sprintf(`[data-reel-list] a[href="%s?video=%d"]`, link, first.Media[0].ID),
	)
	guest.Get(link).Is(200).Hides("a larger crane", "You approved this")
	owner.Get(fmt.Sprintf("/tasks/%d/notes", second.ID)).Is(200).Shows("a larger crane", "Approved by Mara")
	owner.Get("/gallery?verdict=approved").Is(200).Has(fmt.Sprintf("#task-%d", second.ID)).Lacks(fmt.Sprintf("#task-%d", first.ID))
	owner.Get("/gallery?verdict=waiting").Is(200).Has(fmt.Sprintf("#task-%d", first.ID)).Lacks(
		fmt.Sprintf("#task-%d", second.ID), fmt.Sprintf("#task-%d", other.ID),
	)
	// What becomes of the video that somebody watches.
	for _, change := range []func(*db.Task){
		func(t *db.Task) { t.Private = true }, func(t *db.Task) { t.Private, t.DeletedAt = false, db.Now() },
	} {
		h.Alter(t, second.ID, change)
		guest.Get(scene).Is(404)
		guest.Post(link+"/notes", about(second, "body", "too late")).Is(404)
	}
}

// A take of a scene is shown in its place, and compared with the others; the film goes on with the
// other scenes.
func TestTakesOfAScene(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	first := h.KeptFilm(t, 1, "a paper boat")
	scene := h.Film(t, 1, func(t *db.Task) { t.ParentID, t.Reuse = first.ID, db.Continued })
	link := owner.Share(fmt.Sprintf("/story/%d", first.ID), "Our film", "may", "decide", "takes", "on", "download", "on")
	guest := h.Stranger(t)
	mark := seen(guest.Get(link).Is(200).Lacks("#takes"))
	second := stacked(t, h, 1, "a tram", scene)
	guest.Get(link + "/state?seen=" + mark).Is(200).Shows("something new")
	old, fresh := scene.Media[0].ID, second.Media[0].ID
	take := func(t db.Task) string { return fmt.Sprintf("%s?take=%d", link, t.ID) }
	plays := func(scene, file int64) string {
		return fmt.Sprintf(`[data-reel-list] [data-task="%d"][data-download="%s/media/%d?download=1"]`, scene, link, file)
	}
	guest.Get(link).Is(200).Has(
		"#takes", plays(first.ID, first.Media[0].ID), plays(second.ID, fresh), `[data-reel-download]`,
	).Lacks("#takes a")
	guest.Get(take(second)).Is(200).Shows("Is take 2 the one?", "Scene 2 of 2").Has(
		fmt.Sprintf(`#takes [href="%s"]`, take(scene)), plays(second.ID, fresh),
	)
	guest.Get(take(scene)).Is(200).Shows("Is take 1 the one?", "Scene 2 of 2").Has(plays(scene.ID, old), plays(first.ID, first.Media[0].ID))
	// What leads to a scene in the list of such a page, leads to the same take.
	guest.Get(fmt.Sprintf("%s?video=%d", link, old)).Is(200).Shows("Is take 1 the one?", "Scene 2 of 2")
	guest.Get(fmt.Sprintf("%s/compare?take=%d&take=%d", link, scene.ID, second.ID)).Is(200).Shows("Take 1", "Take 2").Has(
		fmt.Sprintf(`.together video[src="%s/media/%d"]`, link, fresh),
	)
	guest.Post(link+"/verdict", url.Values{"task": {fmt.Sprint(second.ID)}, "verdict": {"approved"}, "name": {"Mara"}}).Is(303)
	guest.Get(take(second)).Is(200).Shows("You approved this")
	guest.Get(take(scene)).Is(200).Hides("You approved this")
	owner.Get(fmt.Sprintf("/tasks/%d", second.ID)).Is(200).Shows("Approved by Mara")
	// On a link that shows no takes, one press shows it.
	closed := owner.Share(fmt.Sprintf("/story/%d", first.ID), "Closed", "may", "decide")
	guest.Get(closed).Is(200).Lacks("#takes")
	owner.Get(fmt.Sprintf("/tasks/%d", second.ID)).Is(200).Has(`form[action="/shares/2/takes"]`)
	owner.Post("/shares/2/takes", url.Values{"task": {fmt.Sprint(second.ID)}}).Is(303)
	guest.Get(closed).Is(200).Has("#takes")
}

// A guest who watches a video is told when it is deleted, made private or replaced.
func TestAnOpenPageIsToldWhatBecomesOfItsVideo(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*testing.T, *handlerstest.Server, db.Task)
		want   int
	}{
		"deleted": {func(t *testing.T, h *handlerstest.Server, task db.Task) {
			h.Alter(t, task.ID, func(t *db.Task) { t.DeletedAt = db.Now() })
		}, 404},
		"private": {func(t *testing.T, h *handlerstest.Server, task db.Task) {
			h.Alter(t, task.ID, func(t *db.Task) { t.Private = true })
		}, 404},
		"with another file": {func(t *testing.T, h *handlerstest.Server, task db.Task) {
			h.Alter(t, task.ID, func(t *db.Task) { t.Media[0].Hash = "0123456789abcdef" })
		}, 200},
	} {
		t.Run(name, func(t *testing.T) {
			h := handlerstest.New(t)
			owner := h.Founder(t)
			film := h.KeptFilm(t, 1, "a paper boat")
			link := h.Joiner(t, owner, "ada").Share(page(film), "Our boat", "may", "decide")
			guest := h.Stranger(t)
			mark := seen(guest.Get(link).Is(200))
			guest.Get(link + "/state?seen=" + mark).Is(204)
			tt.change(t, h, film)
			guest.Get(link + "/state?seen=" + mark).Is(tt.want)
		})
	}
}
