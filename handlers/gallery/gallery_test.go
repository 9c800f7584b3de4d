package gallery_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/cast"
	"dailies/db/secrets"
	"dailies/db/spending"
	"dailies/db/store/sampletest"
	"dailies/handlers/handlerstest"
	"dailies/handlers/watch"
	"dailies/web/htmltest"
)

func TestGalleryShowsTheTeamsFinishedVideos(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	mine := h.AddTask(t, 1, db.Success)
	failed := h.AddTask(t, 1, db.Failed)
	hers := h.AddTask(t, 2, db.Success)
	link := func(t db.Task) string { return fmt.Sprintf(`id="task-%d"`, t.ID) }
	kim.Get("/gallery").Is(200).Shows(link(mine), link(hers), link(failed)) // among the others, for whoever made it
	ada.Get("/gallery").Is(200).Shows(link(mine), link(hers)).Hides(link(failed))
	kim.Get("/gallery?who=me").Is(200).Shows(link(mine)).Hides(link(hers))
	kim.Get("/gallery?status=all").Is(200).Shows(link(mine), link(hers), link(failed))
	ada.Get("/gallery?status=all").Is(200).Shows(link(mine), link(hers)).Hides(link(failed))
	ada.Get("/gallery?status=failed").Is(200).Hides(link(failed))
	kim.Get("/gallery?model=veo3&scene=text-to-video&q=PAPER+bo").Is(200).Shows(link(mine))
	kim.Get("/gallery?model=veo3_fast").Is(200).Hides(link(mine))
}

func TestInvalidFilterValuesAreIgnored(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	h.AddTask(t, 1, db.Success)
	for _, query := range []string{
		"status=nonsense", "scene=x", "before=-3", "who=you", "who=-1", "starred=yes", "through=x", "through=-1", "date=tomorrow",
		"from=2026-13-01", "until=yesterday", "collection=99", "collection=x", "tag=%00%01", "from=0001-01-01",
		"model=%ff", "who=99999999999999999999", "status=", "scene=&model=&ratio=&who=&q=&tag=&date=&from=&until=",
	} {
		for _, part := range []string{"full", "partial"} {
			kim.Get("/gallery?"+query, "HX-Request-Type", part).Is(200).Shows(`id="task-1"`)
		}
	}
}

func TestGalleryIsFilteredByEverything(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	h.Joiner(t, kim, "ada")
	starred, tagged, hers := h.AddTask(t, 1, db.Success), h.AddTask(t, 1, db.Success), h.AddTask(t, 2, db.Success)
	user := db.User{ID: 1}
	_, err := h.Store.Tasks.StarTasks(t.Context(), user, []int64{starred.ID}, true)
	must(t, err)
	_, err = h.Store.Tags.TagTasks(t.Context(), user, []int64{tagged.ID}, []string{"Night, harbour"}, nil, db.Now())
	must(t, err)
	today, tomorrow := db.Now().Format(time.DateOnly), db.Now().AddDate(0, 0, 1).Format(time.DateOnly)
	all := []int64{starred.ID, tagged.ID, hers.ID}
	for query, want := range map[string][]int64{
		"starred=1": {starred.ID}, "tag=night%2C+HARBOUR": {tagged.ID}, "who=2": {hers.ID}, "who=me": {starred.ID, tagged.ID},
		"date=today": all, "date=week": all, "date=year": all, "from=" + today: all, "from=" + tomorrow: nil, "until=" + today: all,
		"until=2020-01-01": nil, "from=" + today + "&until=" + today: all, "ratio=21:9": nil,
		"model=x&model=veo3": all, "who=me&who=2": all, "who=2&who=x": {hers.ID}, "tag=none&tag=night%2C+HARBOUR": {tagged.ID},
		"status=failed": nil, "status=failed&status=success": all, "status=failed&status=all": all, "status=all&status=failed": all,
		"status=x&status=failed": nil, "scene=image-to-video": nil, "scene=image-to-video&scene=text-to-video": all,
		"who=me&starred=1&date=month&q=paper": {starred.ID},
	} {
		page := kim.Get("/gallery?" + query).Is(200)
		for _, id := range all {
			if shown := strings.Contains(page.Text, fmt.Sprintf(`id="task-%d"`, id)); shown != slices.Contains(want, id) {
				t.Errorf("%s: video %d shows: %v", query, id, shown)
			}
		}
	}
}

func TestGalleryIsPagedByKey(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	for range 30 {
		h.AddTask(t, 1, db.Success)
	}
	older := regexp.MustCompile(`rel="next" href="(/gallery\?before=\d+)"`)
	first := older.FindStringSubmatch(p.Get("/gallery").Is(200).Text)
	if first == nil {
		t.Fatal("no link to older videos")
	}
	next := first[1]
	h.AddTask(t, 1, db.Success) // a new video does not shift the pages
	second := p.Get(next).Is(200).Shows(`id="task-6"`, `id="task-1"`).Hides(`id="task-7"`)
	if older.MatchString(second.Text) {
		t.Error("a link to older videos behind the oldest one")
	}
	if part := p.Get(next, "HX-Request-Type", "partial").Is(200); regexp.MustCompile(`<html`).MatchString(part.Text) {
		t.Error("a part brings the whole page")
	}
}

func TestLongFiltersMakeNoLargePage(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	for range 24 {
		h.AddTask(t, 1, db.Success)
	}
	filter := url.Values{}
	for i := range 50 {
		for _, name := range []string{"model", "ratio", "tag"} {
			filter.Add(name, strings.Repeat(string(rune('一'+i)), 66))
		}
	}
	page := kim.Get("/gallery?" + filter.Encode()).Is(200)
	if len(page.Text) > 2<<20 {
		t.Errorf("an address of %d bytes makes a page of %d", len(filter.Encode()), len(page.Text))
	}
	short := url.Values{}
	for i := range 60 {
		short.Add("model", fmt.Sprintf("model-%d", i))
	}
	kim.Get("/gallery?" + short.Encode()).Is(200).Has(`input[name="model"][value="model-49"]`).
		Lacks(`input[name="model"][value="model-50"]`)
}

// The page of a large team has only the names of chosen people. Its menu has those with
// videos once it is opened, and a link to everybody.
func TestLargeTeamIsNotNamedOnEveryPage(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	h.Joiner(t, kim, "ada")
	h.AddTask(t, 2, db.Success)
	kim.Get("/gallery").Is(200).Shows("ada, ada@example.com").Hides("Show everybody")
	for i := range 60 {
		must(t, sampletest.AddUser(t, h.Store, &db.User{Name: fmt.Sprintf("Member %d", i), Email: fmt.Sprintf("m%d@example.com", i),
			Password: "x", Role: db.Member, CreatedAt: db.Now()}))
	}
	kim.Get("/gallery").Is(200).Shows("Show everybody", `href="/gallery?people=all"`).Hides("ada, ada@example.com", "Member 7,")
	kim.Get("/gallery?who=2").Is(200).Shows("ada, ada@example.com", `href="/gallery?people=all&amp;who=2"`).Hides("Member 7,")
	kim.Get("/gallery/counts?menu=who", "HX-Request-Type", "partial").Is(200).Shows("ada, ada@example.com", "Show everybody").
		Hides("Member 7,")
	kim.Get("/gallery?people=all&who=2").Is(200).Shows("ada, ada@example.com", "Member 7, m7@example.com").Hides("Show everybody")
}

// The menu of a small cast lists it; that of a large one has those with videos once they are
// counted.
func TestTheMenuOfALargeCastStaysShort(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.AddTask(t, 1, db.Success)
	var first cast.Member
	for i := range 60 {
		m := handlerstest.AddMember(t, h, 1, fmt.Sprintf("m%d", i))
		if i == 0 {
			first = m
		}
	}
	task := db.Task{UserID: 1, FormToken: "with m0", Request: db.Request{Scene: "text-to-video", Model: "veo3", Prompt: "@m0"},
		CreatedAt: db.Now(),
		Cast:      []cast.Appearance{cast.AppearanceOf(first)}}
	_, err := h.Store.AddTasks(t.Context(), []db.Task{task})
	must(t, err)
	_, err = h.Store.Tasks.UpdateTask(t.Context(), 2, func(t *db.Task) error { t.State = db.Success; return nil })
	must(t, err)
	p.Get("/gallery").Is(200).Has("[name=cast][value='1']", "[name=cast][value='60']").Hides("Show everybody")
	handlerstest.AddMember(t, h, 1, "another")
	p.Get("/gallery").Is(200).Lacks("[name=cast]").Shows("Show everybody")
	p.Get("/gallery?cast=7").Is(200).Has("[name=cast][value='7'][checked]").Lacks("[name=cast][value='1']")
	p.Get("/gallery?people=all").Is(200).Has("[name=cast][value='1']", "[name=cast][value='61']")
	p.Get("/gallery/counts?menu=cast", "HX-Request-Type", "partial").Is(200).Has("[name=cast][value='1']").Lacks("[name=cast][value='2']")
}

func TestGalleryIsFilteredByWhatGuestsDecided(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	wanted, approved, silent := h.KeptFilm(t, 1, "a boat"), h.KeptFilm(t, 1, "a tram"), h.KeptFilm(t, 1, "a lake")
	guest := h.Stranger(t)
	link := func(id int64) string {
		return kim.Share(fmt.Sprintf("/tasks/%d", id), "For the fair", "may", "decide")
	}
	decide := func(id int64, answer, words string) {
		guest.Post(link(id)+"/verdict", url.Values{"task": {fmt.Sprint(id)}, "verdict": {answer}, "body": {words}, "name": {"Mara <b>"}}).
			Is(303)
	}
	decide(wanted.ID, "changes", "a larger sail")
	decide(approved.ID, "approved", "")
	link(silent.ID)
	tile := func(id int64) string { return fmt.Sprintf("#task-%d", id) }
	kim.Get("/gallery?verdict=changes").Is(200).Has(tile(wanted.ID)).Lacks(tile(approved.ID), tile(silent.ID)).
		Shows("Mara &lt;b&gt; wants changes", "Answer: ", "Changes wanted")
	kim.Get("/gallery?verdict=approved").Is(200).Has(tile(approved.ID), tile(approved.ID)+" .stands.good").
		Lacks(tile(wanted.ID), tile(silent.ID))
	kim.Get("/gallery?verdict=waiting").Is(200).Has(tile(silent.ID)).Lacks(tile(wanted.ID), tile(approved.ID))
	kim.Get("/gallery?verdict=waiting&verdict=changes").Is(200).Has(tile(silent.ID), tile(wanted.ID)).Lacks(tile(approved.ID))
	kim.Get("/gallery?verdict=perhaps").Is(200).Has(tile(silent.ID), tile(wanted.ID), tile(approved.ID))
	kim.Get("/gallery/counts?menu=verdict&verdict=waiting").Is(200).Has(`[name=verdict][value=waiting][checked]`,
		`[name=verdict][value=changes]`, `[name=verdict][value=approved]`).Shows("1<span")
	// The viewer says who, on which link, and who has not answered.
	kim.Get(fmt.Sprintf("/tasks/%d?verdict=changes", wanted.ID)).Is(200).Shows("1 of 1", "Mara &lt;b&gt;", "(name typed by a guest)",
		"For the fair", "a larger sail")
	kim.Post("/shares/3/revoke", nil).Is(303)
	kim.Get("/gallery?verdict=waiting").Is(200).Lacks(tile(silent.ID))
	kim.Get("/gallery?verdict=approved").Is(200).Has(tile(approved.ID))
}

func TestGalleryReturnsEverythingDownToWhereTheUserWas(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	for range 80 {
		h.AddTask(t, 1, db.Success)
	}
	page := p.Get("/gallery?through=9").Is(200).Shows(`id="task-80"`, `id="task-9"`).Has(`[href="/gallery?before=9"]`).Hides(`id="task-8"`)
	if n := strings.Count(page.Text, `<li class="cell`); n != 72 {
		t.Errorf("%d videos, want 72", n)
	}
	p.Get("/gallery?through=1").Is(200).Shows(`id="task-1"`).Hides("before=")
	p.Get("/gallery?before=50&through=40").Is(200).Shows(`id="task-49"`, `id="task-40"`).Hides(`id="task-50"`, `id="task-39"`)
	p.Get("/gallery?through=70&q=boat").Is(200).Shows(`"/gallery?before=70&amp;q=boat"`)
	part := p.Get("/gallery?before=9", "HX-Request-Type", "partial").Is(200).Shows(`id="task-8"`)
	if strings.Contains(part.Text, "<html") || strings.Contains(part.Text, `id="results"`) {
		t.Error("the older videos bring more than themselves")
	}
}

func TestGalleryGoesOnWhereAVeryLongPageEnds(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	tasks := make([]db.Task, 1010)
	for i := range tasks {
		tasks[i] = db.Task{UserID: 1, FormToken: secrets.NewToken(),
			Request:   db.Request{Scene: "text-to-video", Model: "veo3", Prompt: "a boat"},
			CreatedAt: db.Now()}
	}
	_, err := h.Store.AddTasks(t.Context(), tasks)
	must(t, err)
	p.Get("/gallery?status=all&through=2").Is(200).Shows(`"/gallery?before=11&amp;status=all"`).Hides(`id="task-10"`)
	p.Get("/gallery?status=all&through=11").Is(200).Shows(`"/gallery?before=11&amp;status=all"`)

	// All tiles' links repeat the filter, so that a long one shortens the page.
	models := "&model=veo3"
	for i := range 30 {
		models += "&model=" + strings.Repeat("海", 20) + strconv.Itoa(i)
	}
	long := p.Get("/gallery?status=all&through=2" + models).Is(200).Shows(`rel="next"`)
	if n := strings.Count(long.Text, `<li class="cell`); n < 24 || n > 400 || len(long.Text) > 4<<20 {
		t.Errorf("%d videos in %d bytes", n, len(long.Text))
	}
}

// marks returns the dates on the tiles of the page, in order.
func marks(p *handlerstest.Answer) (texts []string) {
	for _, n := range htmltest.All(p.Root(), ".daymark") {
		texts = append(texts, htmltest.Text(n))
	}
	return texts
}

// The wall is one list. The first video of each day says how many there are on that day,
// also if the page ends before the day does.
func TestDaysShareOneWallWithTheirDatesBetweenThem(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	day := db.Now().AddDate(0, 0, -40)
	day = time.Date(day.Year(), day.Month(), day.Day(), 12, 0, 0, 0, time.UTC)
	add := func(at time.Time, n int) {
		for range n {
			h.Film(t, 1, func(t *db.Task) { t.Prompt, t.CreatedAt = "a paper boat", at })
		}
	}
	add(day, 27)
	add(day.AddDate(0, 0, 1), 1)
	add(day.AddDate(0, 0, 3), 2)
	title := func(after int) string {
		at := day.AddDate(0, 0, after)
		if at.Year() == db.Now().Year() {
			return at.Format("Mon 2 Jan")
		}
		return at.Format("Mon 2 Jan 2006")
	}
	first := kim.Get("/gallery").Is(200)
	if got, want := marks(first), []string{title(3) + " · 2", title(1) + " · 1", title(0) + " · 27"}; !slices.Equal(got, want) {
		t.Errorf("the marks are %q, want %q", got, want)
	}
	if lists := len(htmltest.All(first.Root(), "#cards .rows")); lists != 1 {
		t.Errorf("there are %d lists", lists)
	}
	first.Reads("[data-month-line]", day.AddDate(0, 0, 3).Format("January 2006"))
	next := regexp.MustCompile(`rel="next" href="(/gallery\?before=\d+)"`).FindStringSubmatch(first.Text)[1]
	if got, want := marks(kim.Get(next, "HX-Request-Type", "partial").Is(200)), []string{title(0) + " · 27"}; !slices.Equal(got, want) {
		t.Errorf("a page that begins within a day has the marks %q, want %q", got, want)
	}
	kim.Get("/gallery?q=boat").Is(200).Lacks(".daymark", "[data-month-line]").Reads("#found", "30 videos for “boat”")
}

// A video that is being made is on the wall of the person who made it, where it will be
// once it is ready. It does not count.
func TestUnfinishedVideosAreOnTheirMakersWall(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	boat := func(t *db.Task) { t.Prompt = "a boat" }
	h.Film(t, 1, boat)
	running, failed := h.AddTask(t, 1, db.Processing), h.AddTask(t, 1, db.Failed)
	h.Film(t, 1, boat)
	old := db.Task{UserID: 1, FormToken: "old", Request: db.Request{Scene: "text-to-video", Model: "veo3", Prompt: "a boat"},
		State:     db.Queued,
		CreatedAt: db.Now().AddDate(0, 0, -8)}
	handlerstest.Queue(t, h.Store, &old)
	h.Bring(t, old.ID, db.Failed)
	page := kim.Get("/gallery").Is(200)
	if got, want := marks(page), []string{"Today · 2"}; !slices.Equal(got, want) {
		t.Errorf("the marks are %q, want %q", got, want)
	}
	order := regexp.MustCompile(`<li class="[^"]*" id="task-(\d+)"`).FindAllStringSubmatch(page.Text, -1)
	var ids []string
	for _, id := range order {
		ids = append(ids, id[1])
	}
	if want := []string{"4", "3", "2", "1"}; !slices.Equal(ids, want) {
		t.Errorf("the wall shows %q, want %q", ids, want)
	}
	page.Has(fmt.Sprintf("#task-%d.run", running.ID), fmt.Sprintf("#task-%d.failed", failed.ID)).Reads("#found", "2 videos")
	ada.Get("/gallery").Is(200).Lacks(".cell.run", ".cell.failed")
	for _, filter := range []string{"?who=me", "?q=boat", "?date=today"} {
		kim.Get("/gallery"+filter).Is(200).Lacks(".cell.run", ".cell.failed")
	}
	h.Change(t, failed.ID, func(t *db.Task) error { t.DecidedAt = db.Now(); return nil })
	kim.Get("/gallery").Is(200).Lacks(".cell.failed")
}

// The first video of a day keeps its date when it is shown anew.
func TestATileKeepsTheMarkOfItsDay(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	h.Film(t, 1, func(t *db.Task) { t.Prompt = "a boat" })
	task := h.AddTask(t, 1, db.Processing)
	address := regexp.MustCompile(`hx-get="(/gallery/tile[^"]+)"`).FindStringSubmatch(kim.Get("/gallery").Is(200).Text)[1]
	address = strings.ReplaceAll(address, "&amp;", "&")
	kim.Get(address).Is(204)
	kim.Get(strings.Split(address, "&seen")[0]).Is(200).Reads(".daymark", "Today · 1")
	kim.Get(fmt.Sprintf("/gallery/tile?id=%d", task.ID)).Is(200).Lacks(".daymark")
}

func TestWordsNameThePeopleAndTagsThatFit(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	hers := h.AddTask(t, 2, db.Success)
	_, err := h.Store.Tags.TagTasks(t.Context(), db.User{ID: 2}, []int64{hers.ID}, []string{"Adagio"}, nil, db.Now())
	must(t, err)
	kim.Get("/gallery?q=AD").Is(200).Reads("#found", "1 video for “AD”").Has(`.also a[href="/gallery?who=2"]`,
		`.also a[href="/gallery?tag=Adagio"]`)
	kim.Get("/gallery?q=boat").Is(200).Lacks(".also")
	kim.Get("/gallery?q=ada+elephant").Is(200).Shows("Nothing for “ada elephant”", "ada has 1 video, but not with “elephant”.").
		Has(`.nothing a[href="/gallery?who=2"]`)
	_, err = h.Store.Tasks.PrivateTasks(t.Context(), db.User{ID: 2}, []int64{hers.ID}, true)
	must(t, err)
	kim.Get("/gallery?q=ada").Is(200).Shows("Nothing for “ada”").Lacks(".also", `.nothing a[href="/gallery?who=2"]`).Hides("Adagio")
	ada.Get("/gallery?q=ada").Is(200).Reads("#found", "1 video for “ada”")
}

// TestWhoSeesWhatIsOneRule requests every kind of video, as every kind of user, by
// every route that leads to it, and checks every list and count.
func TestWhoSeesWhatIsOneRule(t *testing.T) {
	h := handlerstest.New(t)
	admin := h.Founder(t)
	maker, other := h.Joiner(t, admin, "Maker"), h.Joiner(t, admin, "Other")
	stranger := h.Stranger(t)
	users, err := h.Store.Accounts.Users(t.Context())
	must(t, err)
	ids := map[*handlerstest.Browser]int64{admin: users[0].ID, maker: users[1].ID, other: users[2].ID}
	videos := map[string]db.Task{}
	for name, change := range map[string]func(*db.Task){
		"finished":         func(*db.Task) {},
		"private":          func(t *db.Task) { t.Private = true },
		"failed":           func(t *db.Task) { t.State, t.Media, t.Keeping = db.Failed, nil, "" },
		"deleted":          func(t *db.Task) { t.DeletedAt, t.DeletedBy = db.Now(), ids[maker] },
		"private, deleted": func(t *db.Task) { t.Private, t.DeletedAt, t.DeletedBy = true, db.Now(), ids[maker] },
		"gone for good":    func(t *db.Task) { t.DeletedAt, t.PurgedAt = db.Now().Add(-time.Hour), db.Now() },
	} {
		video := h.Film(t, ids[maker], handlerstest.Saying(name))
		if name == "failed" {
			video = h.AddTask(t, ids[maker], db.Failed)
		}
		video, err = h.Store.Tasks.UpdateTask(t.Context(), video.ID, func(t *db.Task) error {
			t.Model = "model of " + strings.ReplaceAll(name, ",", "")
			change(t)
			return nil
		})
		must(t, err)
		videos[name] = video
	}
	second := h.Film(t, ids[admin], handlerstest.Saying("to compare with"))
	collection := h.AddCollection(t, ids[admin])
	for name, video := range videos {
		for who, p := range map[string]*handlerstest.Browser{"its maker": maker, "a colleague": other, "an admin": admin,
			"a stranger": stranger} {
			sees := p != stranger && video.VisibleTo(ids[p])
			lists := p != stranger && video.ListedFor(ids[p])
			plays := p != stranger && video.PlayableFor(ids[p])
			id := fmt.Sprint(video.ID)
			check := func(what string, got, want bool) {
				t.Helper()
				if got != want {
					t.Errorf("%s, %s, %s: %t, want %t", name, who, what, got, want)
				}
			}
			found := func(path string) bool { return p.Get(path).StatusCode == http.StatusOK }
			check("its page", found("/tasks/"+id), sees)
			check("its state", found("/tasks/"+id+"/status"), sees)
			check("how it was made", found("/tasks/"+id+"/recipe"), sees)
			for _, m := range video.Media {
				check("its file", found(fmt.Sprint("/media/", m.ID)), sees)
			}
			check("the archive", found("/tasks/download?id="+id), lists)
			check("the comparison", strings.Contains(p.Get("/compare?id="+id+"&id="+fmt.Sprint(second.ID)).Text, player(video)), plays)
			model := url.QueryEscape(video.Model)
			check("the gallery", strings.Contains(p.Get("/gallery?status=all&model="+model).Text, `id="task-`+id+`"`), lists)
			check("the count", strings.Contains(p.Get("/gallery?status=all&model="+model).Text, "1 video found"), lists)
			check("the menu", strings.Contains(p.Get("/gallery/counts?status=all&menu=model").Text, video.Model), lists)
			check("a picture from a browser", p.SendPoster(t, video.ID, nil).StatusCode != http.StatusNotFound && p != stranger, sees)
			if p == stranger {
				continue
			}
			check("a new link", p.Post("/tasks/"+id+"/share", url.Values{"days": {"7"}}).StatusCode == http.StatusSeeOther, plays)
			added, err := h.Store.Collections.AddToCollection(t.Context(), collection.ID, ids[p], []int64{video.ID}, db.Now())
			must(t, err)
			c, err := h.Store.Collections.Collection(t.Context(), ids[p], collection.ID)
			must(t, err)
			check("a collection", added == 1 && c.Count == 1, lists)
			_, err = h.Store.Collections.RemoveFromCollection(t.Context(), collection.ID, ids[p], []int64{video.ID}, db.Now())
			must(t, err)
		}
	}
}

func TestDaysAreThoseOfTheTeamsTimeZone(t *testing.T) {
	h := handlerstest.New(t)
	admin := h.Founder(t)
	h.Film(t, 1, func(t *db.Task) {
		t.Prompt, t.CreatedAt = "late on the last of October", time.Date(2025, 10, 31, 20, 0, 0, 0, time.UTC)
	})
	admin.Post("/members/zone", url.Values{"zone": {"Berlin"}}).Is(422).Shows("No such time zone.").Has("[value=Berlin]")
	admin.Post("/members/zone", url.Values{"zone": {" "}}).Is(422).Shows("No such time zone.")
	admin.Get("/gallery?until=2025-10-31").Is(200).Shows("late on the last")
	admin.Get("/gallery?from=2025-11-01").Is(200).Hides("late on the last")
	admin.Post("/members/zone", url.Values{"zone": {"Asia/Tokyo"}}).Is(303).LeadsTo("/team/spending#zone-section")
	admin.Get("/team/spending").Is(200).Shows("Time zone changed.").Has(`[value="Asia/Tokyo"]`)
	admin.Get("/gallery?until=2025-10-31").Is(200).Hides("late on the last")
	admin.Get("/gallery?from=2025-11-01").Is(200).Shows("late on the last")
	zone := watch.NewZone(h.Store, h.Config.Log)
	running, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- zone.Run(running) }()
	handlerstest.Eventually(t, "what was spent counts for November", func() bool {
		usage, err := h.Store.Usage.Spending(t.Context(), spending.Filter{}, spending.ByPerson)
		must(t, err)
		return len(usage) == 1 && db.MonthOf(usage[0].Day) == "2025-11" && usage[0].Videos == 1
	})
	stop()
	must(t, <-ended)
}
