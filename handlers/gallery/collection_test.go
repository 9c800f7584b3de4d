package gallery_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/secrets"
	"dailies/handlers/handlerstest"
)

func TestTeamPutsVideosTogether(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	ada := h.Joiner(t, owner, "ada")
	one, two, three := h.KeptFilm(t, 1, "a boat"), h.KeptFilm(t, 1, "a kite"), h.KeptFilm(t, 1, "a fox")
	owner.Get("/collections").Is(200).Shows("No collections yet")
	owner.Post("/collections", url.Values{"name": {"  Spring \n fair "}}).Is(303).LeadsTo("/collections/1")
	owner.Get("/collections/1").Is(200).Shows("Spring fair", "Nothing in here yet")
	ids := url.Values{"id": {fmt.Sprint(one.ID), fmt.Sprint(two.ID)}, "collection": {"1"}, "next": {"/gallery?q=a"}}
	ada.Post("/collections/add", ids).Is(303).LeadsTo("/gallery?q=a")
	ada.Get("/collections").Is(200).Shows("2 videos added to “Spring fair”", "2 videos")
	ids.Set("next", "//evil.example.com")
	ada.Post("/collections/add", ids).Is(303).LeadsTo("/")
	ada.Get("/collections/1").Is(200).Shows("They’re already in “Spring fair”", "a boat", "a kite",
		fmt.Sprintf("/tasks/download?id=%d&amp;id=%d", one.ID, two.ID), "/gallery?collection=1")
	move := func(task db.Task, to string) {
		t.Helper()
		ada.Post("/collections/1/move", url.Values{"id": {fmt.Sprint(task.ID)}, "to": {to}}).Is(303).
			LeadsTo(fmt.Sprintf("/collections/1?through=%d#task-%d", task.ID, task.ID))
	}
	move(two, "earlier")
	if body := owner.Get("/collections/1").Text; strings.Index(body, "a kite") > strings.Index(body, "a boat") {
		t.Error("the kite is not before the boat")
	}
	owner.Post("/collections/add", url.Values{"id": {fmt.Sprint(three.ID)}, "name": {"spring FAIR"}}).Is(303).LeadsTo("/collections/1")
	owner.Post("/collections/1/remove", url.Values{"id": {fmt.Sprint(one.ID)}}).Is(303).LeadsTo("/collections/1")
	owner.Get("/collections/1").Is(200).Shows("It stays in the gallery", "a kite", "a fox").Hides("a boat")
	ada.Post("/collections/1", url.Values{"name": {"Autumn"}, "note": {"<b>for</b> the fair"}}).Is(303)
	owner.Get("/collections").Is(200).Shows("Autumn", "&lt;b&gt;for&lt;/b&gt; the fair")
	owner.Get(handlerstest.TaskPage(three)).Is(200).Shows("Autumn").Has(`[href="/collections/1"]`)
	ada.Post("/collections/1/delete", nil).Is(403) // she did not make the collection
	owner.Post("/collections/1/delete", nil).Is(303).LeadsTo("/collections")
	owner.Get("/collections/1").Is(404)
	owner.Get(handlerstest.TaskPage(three)).Is(200).Hides("Autumn")
}

func TestCollectionHidesWhatOthersKeepToThemselves(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	ada := h.Joiner(t, owner, "ada")
	seen, hidden, binned := h.KeptFilm(t, 1, "a boat"), h.KeptFilm(t, 1, "a hidden kite"), h.KeptFilm(t, 1, "a thrown fox")
	for _, film := range []db.Task{hidden, binned, seen} {
		owner.Post("/collections/add", url.Values{"id": {fmt.Sprint(film.ID)}, "name": {"Spring"}}).Is(303)
	}
	h.Alter(t, hidden.ID, func(t *db.Task) { t.Private = true })
	h.Alter(t, binned.ID, func(t *db.Task) { t.DeletedAt, t.DeletedBy = db.Now(), 1 })
	ada.Get("/collections").Is(200).Shows("1 video").Hides("2 videos", "3 videos", fmt.Sprintf("/media/%d", hidden.Media[1].ID))
	ada.Get("/collections/1").Is(200).Shows("a boat", "1 video").Hides("a hidden kite", "thrown", fmt.Sprintf("id=%d", hidden.ID))
	owner.Get("/collections/1").Is(200).Shows("a boat", "a hidden kite", "2 videos").Hides("thrown")
	// Nobody can add, move or remove a video that they cannot see.
	id := url.Values{"id": {fmt.Sprint(hidden.ID)}, "name": {"Mine"}}
	ada.Post("/collections/add", id).Is(404)
	ada.Post("/collections/1/move", id).Is(404)
	ada.Post("/collections/1/remove", id).Is(303)
	owner.Get("/collections/1").Is(200).Shows("a hidden kite")
	ada.Get("/collections").Is(200).Hides("Mine")
}

func TestCollectionFormsRefuseInvalidInput(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	film := h.KeptFilm(t, 1, "a boat")
	h.AddCollection(t, 1)
	p.Post("/collections", url.Values{"name": {"spring"}}).Is(422).Shows("This name is taken").Has("[value=spring]")
	p.Post("/collections", url.Values{"name": {"Winter"}}).Is(303)
	p.Post("/collections/1", url.Values{"name": {"WINTER"}, "note": {"typed"}}).Is(422).Shows("This name is taken", "WINTER", "typed")
	long := strings.Repeat("ü", gallery.MaxCollectionName+1)
	p.Post("/collections", url.Values{"name": {long}}).Is(422).Shows(long, "letters at most")
	p.Post("/collections/1", url.Values{"name": {"x"}, "note": {strings.Repeat("n", gallery.MaxCollectionNote+1)}}).Is(422).
		Shows("1,000 letters at most")
	id := fmt.Sprint(film.ID)
	many := make([]string, 501)
	for i := range many {
		many[i] = fmt.Sprint(i + 1)
	}
	for name, tt := range map[string]struct {
		form url.Values
		want int
	}{
		"no video":             {url.Values{"name": {"Nope"}}, 422},
		"too many":             {url.Values{"name": {"Nope"}, "id": many}, 422},
		"no collection":        {url.Values{"id": {id}}, 422},
		"a name without end":   {url.Values{"id": {id}, "name": {long}}, 422},
		"no number":            {url.Values{"id": {"x"}, "name": {"Nope"}}, 404},
		"a number below zero":  {url.Values{"id": {"-1"}, "name": {"Nope"}}, 404},
		"a strange video":      {url.Values{"id": {"99999"}, "name": {"Nope"}}, 404},
		"a strange collection": {url.Values{"id": {id}, "collection": {"99999"}}, 404},
		"no collection's id":   {url.Values{"id": {id}, "collection": {"x"}}, 404},
	} {
		if got := p.Post("/collections/add", tt.form); got.StatusCode != tt.want {
			t.Errorf("%s: %d", name, got.StatusCode)
		}
	}
	p.Get("/collections").Is(200).Shows("Winter").Hides("Nope", "1 video")
}

func TestLongCollectionIsShownInParts(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	c := gallery.Collection{Name: "Spring", CreatedBy: 1, CreatedAt: db.Now()}
	must(t, h.Store.Collections.AddCollection(t.Context(), &c))
	var ids []int64
	for range 60 {
		ids = append(ids, h.Film(t, 1, func(*db.Task) {}).ID)
	}
	_, err := h.Store.Collections.AddToCollection(t.Context(), c.ID, 1, ids, db.Now())
	must(t, err)
	tile := func(id int64) string { return fmt.Sprintf(`id="task-%d"`, id) }
	after := fmt.Sprintf("/collections/%d?after=%d", c.ID, ids[47])
	p.Get("/collections/1").Is(200).Shows("60 videos", tile(ids[0]), tile(ids[47]), `rel="next" href="`+after+`"`).Hides(tile(ids[48]))
	p.Get(after).Is(200).Shows("60 videos", "Back to the first", tile(ids[48]), tile(ids[59])).Hides(tile(ids[47]), `rel="next"`)
	p.Get(after, "HX-Request-Type", "partial").Is(200).Shows(tile(ids[48]), tile(ids[59])).Hides(tile(ids[47]), "60 videos", `rel="next"`)
	p.Get(fmt.Sprintf("/collections/1?through=%d", ids[52])).Is(200).Shows(tile(ids[0]), tile(ids[52]), `rel="next"`).Hides(tile(ids[53]))
	p.Get("/collections/1?after=x&through=-1").Is(200).Shows(tile(ids[0]), tile(ids[47])).Hides(tile(ids[48]))

	// A video that is moved beyond the first part can be moved further.
	p.Post("/collections/1/move", url.Values{"id": {fmt.Sprint(ids[47])}, "to": {"later"}}).Is(303).
		LeadsTo(fmt.Sprintf("/collections/1?through=%d#task-%d", ids[47], ids[47]))
	p.Get(fmt.Sprintf("/collections/1?through=%d", ids[47])).Is(200).Shows(tile(ids[48]), tile(ids[47])).Hides(tile(ids[49]))
	p.Get(fmt.Sprintf("/collections/1?after=%d", ids[58])).Is(200).Has(`[value="later"][disabled]`).Hides(`value="earlier" disabled`)
	p.Get("/collections/1").Is(200).Has(`[value="earlier"][disabled]`).Hides(`value="later" disabled`)
}

func TestWhoMayDeleteACollection(t *testing.T) {
	h := handlerstest.New(t)
	root := h.Founder(t)
	people := map[string]*handlerstest.Browser{"root": root, "ada": h.Joiner(t, root, "ada"), "bo": h.Joiner(t, root, "bo")}
	film := h.KeptFilm(t, 3, "a paper boat")
	for name, may := range map[string]bool{"root": true, "ada": true, "bo": false} {
		people["ada"].Post("/collections", url.Values{"name": {"Spring"}}).Is(303)
		c, err := h.Store.Collections.NamedCollection(t.Context(), "Spring")
		must(t, err)
		page := fmt.Sprintf("/collections/%d", c.ID)
		people["bo"].Post("/collections/add", url.Values{"id": {fmt.Sprint(film.ID)}, "name": {"spring"}}).Is(303)
		link := people["bo"].Share(page, "Boats")
		who := people[name]
		if !may {
			who.Get(page).Is(200).Shows("or an admin can delete it").Hides(page + "/delete")
			who.Post(page+"/delete", nil).Is(403).Shows("ada made this collection")
			h.Stranger(t).Get(link).Is(200)
			who.Post(page+"/restore", nil).Is(404)
			root.Post(page+"/delete", nil).Is(303)
			continue
		}
		who.Get(page).Is(200).Shows(page + "/delete")
		who.Post(page+"/delete", nil).Is(303)
		h.Stranger(t).Get(link).Is(404)
		who.Get("/collections").Is(200).Shows("deleted collection", page+"/restore", "Undo")
		people["bo"].Get("/collections").Is(200).Hides("Spring", "deleted collection", page)
		people["bo"].Post(page+"/restore", nil).Is(404)
		people["bo"].Get("/gallery").Is(200).Hides("Spring")
		for path, status := range map[string]int{page: 404, page + "/share": 404, page + "/move": 404, page + "/remove": 404} {
			form := url.Values{"id": {fmt.Sprint(film.ID)}, "title": {"x"}}
			if path == page {
				form = url.Values{"name": {"Autumn"}}
			}
			people["ada"].Post(path, form).Is(status)
		}
		people["ada"].Post("/collections/add", url.Values{"id": {fmt.Sprint(film.ID)}, "collection": {fmt.Sprint(c.ID)}}).Is(404)
		who.Post(page+"/restore", nil).Is(303).LeadsTo(page)
		h.Stranger(t).Get(link).Is(200)
		people["bo"].Get(page).Is(200).Shows("Spring", "a paper boat")
		people["bo"].Get("/gallery?collection="+fmt.Sprint(c.ID)).Is(200).Shows("a paper boat", "Collection: Spring")
		people["ada"].Post(page+"/delete", nil).Is(303)
	}
}

func TestARestoredCollectionFindsAName(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	for range 2 {
		p.Post("/collections", url.Values{"name": {"Spring"}}).Is(303)
		c, err := h.Store.Collections.NamedCollection(t.Context(), "Spring")
		must(t, err)
		p.Post(fmt.Sprintf("/collections/%d/delete", c.ID), nil).Is(303)
	}
	p.Post("/collections/1/restore", nil).Is(303)
	p.Post("/collections/2/restore", nil).Is(303)
	p.Get("/collections").Is(200).Shows("“Spring (2)” is back", "Spring (2)")
	p.Post("/collections/2/restore", nil).Is(404)
}

// Each user's bin of collections is limited, so that nobody can fill it without end or
// push out what others deleted.
func TestBinOfCollectionsHasAnEnd(t *testing.T) {
	h := handlerstest.New(t)
	root := h.Founder(t)
	h.Joiner(t, root, "ada")
	add := func(by int64) int64 {
		c := gallery.Collection{Name: secrets.NewToken(), CreatedBy: by, CreatedAt: db.Now()}
		must(t, h.Store.Collections.AddCollection(t.Context(), &c))
		must(t, h.Store.Collections.DeleteCollection(t.Context(), c.ID, by, db.Now()))
		return c.ID
	}
	roots, first := add(1), add(2)
	for range gallery.BinnedCollections {
		add(2)
	}
	_, err := h.Store.Collections.BinnedCollection(t.Context(), roots)
	must(t, err)
	if _, err := h.Store.Collections.BinnedCollection(t.Context(), first); err == nil {
		t.Error("the oldest is still there")
	}
}

func TestOnlyTheMakerAndAdminsChangeADrawnCover(t *testing.T) {
	h := handlerstest.New(t)
	root := h.Founder(t)
	ada, bo := h.Joiner(t, root, "ada"), h.Joiner(t, root, "bo")
	film := h.AddKept(t, 2, "film")
	poster := fmt.Sprintf(`data-poster="/tasks/%d/poster"`, film.ID)
	remove := fmt.Sprintf("/tasks/%d/poster/remove", film.ID)
	bo.Get("/gallery").Is(200).Hides(poster)
	bo.SendPoster(t, film.ID, handlerstest.FrameOf(t, 64, 36)).Is(403)
	root.Get("/gallery").Is(200).Shows(poster)
	at := root.SendPoster(t, film.ID, handlerstest.FrameOf(t, 64, 36)).Is(204).Header.Get("Location")
	bo.Get(handlerstest.TaskPage(film)).Is(200).Hides(remove)
	bo.Post(remove, nil).Is(404)
	bo.Get(at).Is(200)
	for _, who := range []*handlerstest.Browser{ada, root} {
		who.Get(handlerstest.TaskPage(film)).Is(200).Shows(remove)
		who.Post(remove, nil).Is(303).LeadsTo(handlerstest.TaskPage(film))
		bo.Get(at).Is(404)
		who.Get("/gallery").Is(200).Shows(poster)
		at = who.SendPoster(t, film.ID, handlerstest.FrameOf(t, 65, 36)).Is(204).Header.Get("Location")
	}
	// A cover from the service cannot be removed.
	made := h.KeptFilm(t, 2, "a paper boat")
	h.Alter(t, made.ID, func(t *db.Task) {
		t.Media[1].Hash, t.Media[1].Source = film.Media[0].Hash, "https://cdn.example.com/c.jpg"
	})
	ada.Get(handlerstest.TaskPage(made)).Is(200).Hides("/poster/remove")
	ada.Post(fmt.Sprintf("/tasks/%d/poster/remove", made.ID), nil).Is(409)
}

func TestAThousandCollectionsLeavePagesSmall(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	film := h.KeptFilm(t, 1, "a paper boat")
	pages := []string{"/gallery", handlerstest.TaskPage(film)}
	var before []int
	for _, page := range pages {
		before = append(before, len(p.Get(page).Is(200).Text))
	}
	h.ManyCollections(t, 0)
	for id := range int64(100) { // the video is in 100 of them
		_, err := h.Store.Collections.AddToCollection(t.Context(), id+1, 1, []int64{film.ID}, db.Now())
		must(t, err)
	}
	for i, page := range pages {
		got := p.Get(page).Is(200)
		t.Logf("%s: %d bytes without, %d with", page, before[i], len(got.Text))
		if grown := len(got.Text) - before[i]; grown > 16<<10 {
			t.Errorf("%s: %d bytes more", page, grown)
		}
		if n := len(got.Options()); n > 20 {
			t.Errorf("%s proposes %d", page, n)
		}
	}
	p.Get(handlerstest.TaskPage(film)).Shows("and in 80 more collections")
	seen, page := map[string]bool{}, "/collections"
	for more := true; more; {
		text := p.Get(page).Is(200).Text
		names := regexp.MustCompile(`Collection \d{4} of the harbour`).FindAllString(text, -1)
		if len(text) > 64<<10 {
			t.Errorf("%s: %d bytes", page, len(text))
		}
		for _, name := range names {
			seen[name] = true
		}
		var next []string
		if next = regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(text); next != nil {
			page = next[1]
		}
		more = next != nil
	}
	if len(seen) != gallery.MaxCollections {
		t.Errorf("the pages name %d collections", len(seen))
	}
}

func TestACollectionIsFoundByAFewLetters(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.ManyCollections(t, 3)
	for _, name := range []string{"Ärger am Hafen", "Über allem", "New & <b>bold</b>"} {
		c := gallery.Collection{Name: name, CreatedBy: 1, CreatedAt: db.Now()}
		must(t, h.Store.Collections.AddCollection(t.Context(), &c))
	}
	find := func(text string) []string {
		t.Helper()
		a := p.Get("/collections/find?name="+url.QueryEscape(text), "HX-Request-Type", "partial").Is(200)
		if len(a.Text) > 2000 {
			t.Errorf("%q: %d bytes", text, len(a.Text))
		}
		return a.Options()
	}
	for text, want := range map[string]string{
		"über": "Über allem", "ÄRGER": "Ärger am Hafen", "hafen": "Ärger am Hafen", " 0123  of": "Collection 0123 of the harbour",
		"bold": "New &amp; &lt;b&gt;bold&lt;/b&gt;",
	} {
		if got := find(text); len(got) != 1 || got[0] != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	if got := find(""); len(got) != 8 || got[0] != "New &amp; &lt;b&gt;bold&lt;/b&gt;" {
		t.Errorf("nothing typed: %q", got)
	}
	if got := find("collection"); len(got) != 8 {
		t.Errorf("many fit: %q", got)
	}
	if got := find(strings.Repeat("zebra", 500)); len(got) != 0 {
		t.Errorf("none fits: %q", got)
	}
	// A form without the ID of a collection uses the name.
	film := h.KeptFilm(t, 1, "a paper boat")
	p.Post("/collections/add", url.Values{"id": {fmt.Sprint(film.ID)}, "collection": {""}, "name": {"ÜBER ALLEM"}})
	p.Post("/collections/add", url.Values{"id": {fmt.Sprint(film.ID)}, "name": {"New & <b>bold</b>"}}).Is(303)
	p.Get(handlerstest.TaskPage(film)).Is(200).Shows("New &amp; &lt;b&gt;bold")
}

func TestNoMoreThanAThousandCollections(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	film := h.KeptFilm(t, 1, "a paper boat")
	h.ManyCollections(t, 2)
	statuses := make(chan int, 8)
	var pressing sync.WaitGroup
	for i := range cap(statuses) {
		pressing.Go(func() {
			statuses <- p.Post("/collections", url.Values{"name": {fmt.Sprintf("At once %d", i)}}).StatusCode
		})
	}
	pressing.Wait()
	close(statuses)
	made := 0
	for status := range statuses {
		if status == 303 {
			made++
		} else if status != 422 {
			t.Errorf("refused with %d", status)
		}
	}
	if made != 2 {
		t.Errorf("%d were made, with room for 2", made)
	}
	full := "1,000 collections is the most"
	p.Post("/collections", url.Values{"name": {"One more"}}).Is(422).Shows(full).Has(`[value="One more"]`)
	p.Post("/collections/add", url.Values{"id": {fmt.Sprint(film.ID)}, "name": {"One more"}}).Is(422).Shows(full)
	p.Post("/collections/add", url.Values{"id": {fmt.Sprint(film.ID)}, "name": {"Collection 0001 of the harbour"}}).Is(303)
	p.Post("/collections/1/delete", nil).Is(303)
	p.Post("/collections", url.Values{"name": {"One more"}}).Is(303)
	p.Post("/collections/1/restore", nil).Is(422).Shows(full)
}

func TestAStarIsSharedByTheTeam(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	boats := []db.Task{h.AddTask(t, 1, db.Success), h.AddTask(t, 2, db.Success)}
	failed := h.AddTask(t, 1, db.Failed)
	ada.Post("/tasks/star", handlerstest.ChosenForm(boats, "on", "true", "next", "/gallery?who=me")).Is(303).LeadsTo("/gallery?who=me")
	ada.Get("/gallery").Is(200).Shows("2 videos starred.").Hides(`aria-pressed="false" aria-label="Star`)
	kim.Get("/tasks/1").Is(200).Has("[aria-pressed=true]")
	part := kim.Post("/tasks/star", handlerstest.ChosenForm(boats[:1], "on", "false"), "HX-Request-Type", "partial").Is(200)
	part.Has("#star-1", "[aria-pressed=false]", "[value=true]").Hides("<html", "star now")
	ada.Post("/tasks/star", handlerstest.ChosenForm([]db.Task{failed}, "on", "true")).Is(404)
	ada.Post("/tasks/star", handlerstest.ChosenForm(boats)).Is(422)
	kim.Post("/tasks/star", url.Values{"on": {"true"}, "id": {"1", "x"}}).Is(404)
	kim.Post("/tasks/star", url.Values{"on": {"true"}, "id": strings.Fields(strings.Repeat("1 ", 501))}).Is(422)
}

func TestAFormThatNamesNoPageLeadsBack(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	form := handlerstest.ChosenForm([]db.Task{h.AddTask(t, 1, db.Success)}, "on", "true")
	kim.Post("/tasks/star", form, "Referer", h.URL+"/gallery?q=boat").Is(303).LeadsTo("/gallery?q=boat")
	kim.Post("/tasks/star", form, "Referer", "https://evil.example.com/gallery").Is(303).LeadsTo("/gallery")
	kim.Post("/tasks/star", form).Is(303).LeadsTo("/gallery")
	form.Set("next", "//evil.example.com")
	kim.Post("/tasks/star", form).Is(303).LeadsTo("/")
}

func TestTagsAreAddedAndTakenAway(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	boats := []db.Task{h.AddTask(t, 1, db.Success), h.AddTask(t, 1, db.Success)}
	kim.Post("/tasks/tag", handlerstest.ChosenForm(boats, "add", "harbour, <b>fog</b>", "next", "/tasks/1")).Is(303).LeadsTo("/tasks/1")
	kim.Get("/tasks/1").Is(200).Shows("2 videos tagged “harbour”, “&lt;b&gt;fog&lt;/b&gt;”.").
		Has(`[href="/gallery?tag=harbour"]`, "[value=harbour]").Hides("<b>fog")
	kim.Get("/tasks/1").Is(200).Has(`[href="/gallery?tag=%3Cb%3Efog%3C%2Fb%3E"]`)
	kim.Post("/tasks/tag", handlerstest.ChosenForm(boats[:1], "remove", "HARBOUR")).Is(303)
	kim.Get("/tasks/1").Is(200).Shows("No longer tagged “HARBOUR”.").Hides(`?tag=harbour"`)
	kim.Get("/tasks/2").Is(200).Has(`[href="/gallery?tag=harbour"]`)
	kim.Post("/tasks/tag", handlerstest.ChosenForm(boats, "add", " , ")).Is(422)
	many := make([]string, 20)
	for i := range many {
		many[i] = fmt.Sprint("tag", i)
	}
	kim.Post("/tasks/tag", handlerstest.ChosenForm(boats, "add", strings.Join(many, ","))).Is(422).Shows("20 tags at most")
}

func TestAPrivateVideoIsVisibleOnlyToItsMaker(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	hers, mine := h.AddTask(t, 2, db.Success), h.AddTask(t, 1, db.Success)
	ada.Get("/tasks/1").Is(200).Has("#private-false[checked]")
	ada.Post("/tasks/private", handlerstest.ChosenForm([]db.Task{hers, mine}, "on", "true", "next", "/tasks/1")).Is(303)
	ada.Get("/tasks/1").Is(200).Shows("Private: only you see it. 1 isn’t yours and stays as it is.").Has("#private-true[checked]")
	for _, path := range []string{"/tasks/1", "/tasks/1/status", "/tasks/1/recipe", "/tasks/download?id=1"} {
		kim.Get(path).Is(404)
	}
	kim.Get("/gallery").Is(200).Hides(`"/tasks/1"`)
	ada.Get("/gallery").Is(200).Shows(`"/tasks/1"`, "Private")
	kim.Get("/tasks/2").Is(200).Has("[name=on][value=true][type=radio]")
	ada.Get("/tasks/2").Is(200).Hides("Only me", "Only you")
	kim.Post("/tasks/private", handlerstest.ChosenForm([]db.Task{hers}, "on", "false")).Is(404)
	ada.Post("/tasks/private", handlerstest.ChosenForm([]db.Task{mine}, "on", "true")).Is(303)
	ada.Get("/gallery").Is(200).Shows("It isn’t yours, so it stays as it is.")
	ada.Post("/tasks/private", handlerstest.ChosenForm([]db.Task{hers}, "on", "false")).Is(303)
	kim.Get("/tasks/1").Is(200)
}

func TestDeletingIsUndone(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	tasks := []db.Task{h.AddTask(t, 1, db.Success), h.AddTask(t, 1, db.Failed), h.AddTask(t, 1, db.Processing)}
	kim.Post("/tasks/delete", handlerstest.ChosenForm(tasks, "next", "/gallery?status=all")).Is(303).LeadsTo("/gallery?status=all")
	page := kim.Get("/gallery?status=all").Is(200)
	page.Shows("2 videos are in the bin. 1 isn’t done yet and stays.", "Undo").Has(`[action="/tasks/restore"]`, "[name=id][value=2]",
		`[value="/gallery?status=all"]`)
	page.Hides(`id="task-1"`, `id="task-2"`).Shows(`id="task-3"`)
	kim.Get("/gallery").Is(200).Hides("Undo")
	ada.Get("/tasks/1").Is(404)
	kim.Get("/tasks/1").Is(200).Shows("is in the bin", "30 days left", "Restore")
	ada.Post("/tasks/restore", handlerstest.ChosenForm(tasks)).Is(404)
	kim.Post("/tasks/delete", handlerstest.ChosenForm(tasks[:1])).Is(303) // the same form once more
	kim.Post("/tasks/restore", handlerstest.ChosenForm(tasks[:2], "next", "/gallery?status=all")).Is(303)
	kim.Post("/tasks/restore", handlerstest.ChosenForm(tasks[:2])).Is(303)
	kim.Get("/gallery?status=all").Is(200).Shows(`id="task-1"`, `id="task-2"`)
	ada.Get("/tasks/1").Is(200)
}

func TestOnlyTheMakerAndAdminsDelete(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t) // an admin
	ada := h.Joiner(t, kim, "ada")
	mine, hers := h.AddTask(t, 1, db.Success), h.AddTask(t, 2, db.Success)
	ada.Get("/tasks/1").Is(200).Lacks(`[action="/tasks/delete"]`)
	kim.Get("/tasks/2").Is(200).Has(`[action="/tasks/delete"]`)
	ada.Post("/tasks/delete", handlerstest.ChosenForm([]db.Task{mine})).Is(303)
	ada.Get("/gallery").Is(200).Shows("It isn’t yours, so it stays.", `"/tasks/1"`).Hides("Undo")
	kim.Post("/tasks/delete", handlerstest.ChosenForm([]db.Task{hers})).Is(303)
	kim.Get("/gallery").Is(200).Shows("It’s in the bin.", "Undo").Hides(`"/tasks/2"`)
	ada.Get("/tasks/2").Is(200).Shows("Restore")
}

func TestAnUndoOfManyLeadsToTheBin(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	form := url.Values{}
	for range 400 {
		form.Add("id", fmt.Sprint(h.AddTask(t, 1, db.Success).ID))
	}
	kim.Post("/tasks/delete", form).Is(303)
	kim.Get("/usage").Is(200).Shows("400 videos are in the bin.").Has(`[href="/bin"]`).Hides("Undo")
}

func TestACookieIsNeverTooLarge(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	var ids []string
	other := h.AddTask(t, 1, db.Success)
	for range 315 {
		ids = append(ids, fmt.Sprint(h.AddTask(t, 1, db.Success).ID))
	}
	selection := url.Values{"id": append(ids[:1:1], "1000000000", "2000000000"), "on": {"true"}, "selected": {"1"}, "next": {"/usage"}}
	for i := range 400 {
		selection.Add("id", fmt.Sprint(3_000_000_000+1000*i))
	}
	tags := make([]string, 20)
	for i := range tags {
		tags[i] = strings.Repeat(string(rune('一'+i)), 40)
	}
	kim.Post("/tasks/star", selection).Is(303)
	kim.Post("/tasks/delete", url.Values{"id": ids}).Is(303)
	kim.Get("/usage").Is(200).Has(`[action="/tasks/restore"]`)
	kim.Post("/tasks/tag", url.Values{"id": {fmt.Sprint(other.ID)}, "add": {strings.Join(tags, ",")}}).Is(303)
	kim.Get("/usage").Is(200).Shows("Tagged")
}

func TestAMalformedQueryIsNoServerError(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	form := handlerstest.ChosenForm([]db.Task{h.AddTask(t, 1, db.Success)}, "on", "true")
	kim.Post("/tasks/star?x=%zz;", form).Is(303)
}

func TestDeletedVideosAreNotAmongTheLatest(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	boat := []db.Task{h.AddTask(t, 1, db.Failed)}
	kim.Get("/tasks/latest").Is(200).Shows("a paper boat")
	kim.Post("/tasks/delete", handlerstest.ChosenForm(boat)).Is(303)
	kim.Get("/tasks/latest").Is(200).Hides("a paper boat")
	kim.Post("/tasks/restore", handlerstest.ChosenForm(boat)).Is(303)
	kim.Get("/tasks/latest").Is(200).Shows("a paper boat")
}

func TestTheMessageAboutManyTagsIsShort(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	var names []string
	for i := range 20 {
		names = append(names, fmt.Sprintf("%s%02d", strings.Repeat("港", 38), i))
	}
	kim.Post("/tasks/tag", handlerstest.ChosenForm([]db.Task{h.AddTask(t, 1, db.Success)}, "add", strings.Join(names, ","))).Is(303)
	kim.Get("/gallery").Is(200).Shows("Tagged “"+names[0]+"”", "17 more.")
}
