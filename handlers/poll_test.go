package handlers_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/handlers/handlerstest"
	"dailies/web/htmltest"
)

// A part of a page that refreshes itself, as a browser has it.
type polled struct {
	*handlerstest.Browser
	id      string // of its element
	address string // from which it refreshes itself
}

// polledOn opens the page, and returns the part of it.
func polledOn(p *handlerstest.Browser, page, id string) *polled {
	p.T.Helper()
	part := &polled{p, id, ""}
	part.read(p.Get(page).Is(200))
	return part
}

func (p *polled) read(a *handlerstest.Answer) {
	p.T.Helper()
	p.address = htmltest.Attr(htmltest.First(p.T, a.Root(), "#"+p.id), "hx-get")
}

// ask sends the request that htmx sends, and fails the test unless it is answered with
// the status.
func (p *polled) ask(what string, status int) *handlerstest.Answer {
	p.T.Helper()
	a := p.Get(p.address, "HX-Request", "true", "HX-Request-Type", "partial", "Sec-Fetch-Dest", "empty")
	if a.StatusCode != status {
		p.T.Errorf("after %s, the poll of #%s at %s is answered with %d, want %d", what, p.id, p.address, a.StatusCode, status)
	}
	if a.StatusCode == http.StatusOK {
		p.read(a)
	}
	return a
}

// A viewing is an app with a browser that shows the latest videos of Lee, of which at
// least one is running.
type viewing struct {
	*handlerstest.Server
	founder, lee *handlerstest.Browser
	leeID, boID  int64
	runs, made   int64 // videos of Lee
	draft        int64
}

func newViewing(t *testing.T, h *handlerstest.Server, founder *handlerstest.Browser) *viewing {
	v := &viewing{Server: h, founder: founder, lee: h.Joiner(t, founder, "lee"), boID: 1}
	users, err := h.Store.Accounts.Users(t.Context())
	must(t, err)
	v.leeID = users[len(users)-1].ID
	v.made = h.KeptFilm(t, v.leeID, "a finished one").ID
	v.draft = h.KeptFilm(t, v.leeID, "a draft").ID
	h.Alter(t, v.draft, func(t *db.Task) { t.Model = "veo3_fast" })
	v.runs = h.AddTask(t, v.leeID, db.Pending).ID
	return v
}

// A change that somebody makes, and a text that the next poll shows.
type change struct {
	what  string
	make  func(*testing.T)
	shows string
}

// changes are of every kind that the list of the latest videos shows, in an order in
// which they are possible.
func (v *viewing) changes() []change {
	alter := func(id *int64, to func(*db.Task)) func(*testing.T) {
		return func(t *testing.T) { v.Alter(t, *id, to) }
	}
	post := func(p *handlerstest.Browser, path string, form url.Values) func(*testing.T) {
		return func(t *testing.T) { p.Post(path, form).Is(303) }
	}
	one := func(id int64) url.Values { return url.Values{"id": {fmt.Sprint(id)}, "on": {"true"}} }
	var other int64
	return []change{
		{"a video of another tab", func(t *testing.T) { other = v.AddTask(t, v.leeID, db.Queued).ID }, `data-running="2"`},
		{"the state", alter(&v.runs, func(t *db.Task) { t.State, t.Status = db.Processing, "processing" }), "In progress"},
		{"progress", alter(&v.runs, func(t *db.Task) { t.Progress = 0.37 }), `stroke-dasharray="37 100"`},
		{
			"a service that does not answer", alter(&v.runs, func(t *db.Task) { t.Attempts, t.ErrorKind = 1, db.ServiceError }),
			"We’ll keep asking",
		},
		{
			"a service that answers again", alter(&v.runs, func(t *db.Task) { t.Attempts, t.ErrorKind = 0, db.NoError }),
			"You can close this page",
		},
		{"a price", alter(&v.runs, func(t *db.Task) { t.Charged = db.CreditsOf(77) }), "77 credits"},
		{"a title", func(t *testing.T) {
			must(t, v.Store.Tasks.TitleTask(t.Context(), db.User{ID: v.leeID, Role: db.Member}, v.runs, "Another title"))
		}, "Another title"},
		{"a key that both share", func(t *testing.T) {
			v.AddTeamKey(t, "Everybody")
			for _, id := range []int64{v.leeID, v.boID} {
				if err := v.Store.Keys.DeleteKey(t.Context(), id); !errors.Is(err, db.ErrNotFound) {
					must(t, err)
				}
			}
		}, ""},
		{"a video of another person with the same key", func(t *testing.T) {
			v.AddTask(t, v.boID, db.Pending)
		}, "<b>2nd</b>"},
		{"videos of others that finish", func(t *testing.T) {
			for range 5 {
				film := v.AddTask(t, v.boID, db.Success)
				v.Alter(t, film.ID, func(t *db.Task) { t.MakingAt, t.DoneAt = db.Now().Add(-3*time.Minute), db.Now() })
			}
		}, "usually 3 min"},
		{"an end", alter(&other, func(t *db.Task) {
			t.State, t.Message, t.DoneAt = db.Failed, "too dark", db.Now()
		}), `aria-label="Hide this failed video`},
		{"hiding it", func(t *testing.T) { v.lee.Post(fmt.Sprintf("/tasks/%d/hide", other), nil).Is(303) }, ""},
		{"another video", func(t *testing.T) { other = v.AddTask(t, v.leeID, db.Processing).ID }, `data-running="2"`},
		{"that a video is ready", func(t *testing.T) {
			video := v.File(t, db.Video, "video/webm", []byte("film"))
			v.Alter(t, other, func(t *db.Task) {
				t.State, t.Keeping, t.DoneAt, t.Media = db.Success, db.Saving, db.Now(), append(t.Media, video)
			})
		}, "Ready: a paper boat"},
		{"that it is saved", alter(&other, func(t *db.Task) { t.Keeping = db.Kept }), ""},
		{"a cover", func(t *testing.T) {
			cover := v.File(t, db.Cover, "image/png", []byte("cover"))
			v.Alter(t, other, func(t *db.Task) { t.Media = append(t.Media, cover) })
		}, ""},
		{"a lost file", alter(&other, func(t *db.Task) { t.Media[0].LostAt = db.Now() }), ""},
		{"a star", func(t *testing.T) { post(v.founder, "/tasks/star", one(v.made))(t) }, ""},
		{"privacy", func(t *testing.T) { post(v.lee, "/tasks/private", one(v.made))(t) }, ""},
		{"deletion by the maker", func(t *testing.T) { post(v.lee, "/tasks/delete", one(other))(t) }, ""},
		{"restoring it", func(t *testing.T) { post(v.lee, "/tasks/restore", one(other))(t) }, ""},
		{"the maker's name", func(t *testing.T) { post(v.lee, "/settings", url.Values{"name": {"Lea"}})(t) }, ""},
		{"the role", func(t *testing.T) {
			post(v.founder, fmt.Sprintf("/members/%d/role", v.leeID), url.Values{"role": {"viewer"}})(t)
		}, ""},
		{"the role again", func(t *testing.T) {
			post(v.founder, fmt.Sprintf("/members/%d/role", v.leeID), url.Values{"role": {"admin"}})(t)
		}, ""},
	}
}

// As long as nothing has changed, the poll of the latest videos is answered without
// content; after every change, by whomever and on whichever process, it is answered with
// the whole list.
func TestAPollOfTheLatestVideosMissesNoChange(t *testing.T) {
	h := handlerstest.New(t)
	walkLatest(t, newViewing(t, h, h.Founder(t)))
}

func TestAPollMissesNoChangeOfAnotherProcess(t *testing.T) {
	a, b, both, _ := balanced(t)
	v := newViewing(t, a, foundTogether(t, a, b))
	v.lee = v.lee.At(t, both)
	walkLatest(t, v)
}

func walkLatest(t *testing.T, v *viewing) {
	t.Helper()
	latest := polledOn(v.lee, "/create/text-to-video", "latest")
	for _, c := range v.changes() {
		for range 2 { // once on each process
			latest.ask("nothing before "+c.what, 204)
		}
		c.make(t)
		if a := latest.ask(c.what, 200); a.StatusCode == 200 && c.shows != "" {
			a.Shows(c.shows)
		}
	}
	latest.ask("nothing", 204)
	onDraft := polledOn(v.lee, fmt.Sprintf("/create/text-to-video?take=%d", v.draft), "latest")
	onDraft.ask("nothing", 204)
	dear := v.AddTask(t, v.boID, db.Processing)
	v.Alter(t, dear.ID, func(t *db.Task) { t.Charged = db.CreditsOf(99) })
	onDraft.ask("another price of the final", 200)
	onDraft.ask("nothing", 204)
	latest.ask("a price that it does not show", 204)
	away := v.Stranger(t)
	away.Post("/login", handlerstest.Credentials("lee@example.com", handlerstest.Password)).Is(303)
	there := polledOn(away, "/create/text-to-video", "latest")
	there.ask("nothing", 204)
	away.Post("/logout", nil).Is(303)
	if a := there.ask("signing out", 401); a.Header.Get("HX-Redirect") != "/login" {
		t.Errorf("a signed-out browser is sent to %q", a.Header.Get("HX-Redirect"))
	}
	latest.ask("nothing", 204)
	v.founder.Post(fmt.Sprintf("/members/%d/sessions/end", v.leeID), nil).Is(303)
	latest.ask("the end of the session", 401)
}

// Other parts of pages that poll compare what they show.
func TestEveryPollIsAnsweredWithoutContentWhileNothingChanges(t *testing.T) {
	h := handlerstest.New(t)
	v := newViewing(t, h, h.Founder(t))
	task := h.AddTask(t, v.leeID, db.Queued)
	batch := task
	batch.ID, batch.FormToken, batch.Batch = 0, secrets.NewToken(), "batch-1"
	handlerstest.Queue(t, h.Store, &batch)
	card := fmt.Sprintf("task-%d", v.runs)
	for _, on := range [][2]string{
		{fmt.Sprintf("/tasks/%d", v.runs), "status"},
		{fmt.Sprintf("/tasks/%d?status=all&who=me", v.runs), "status"},
		{"/gallery?status=all&who=me", card},
		{"/batches/batch-1", "made"},
	} {
		part := polledOn(v.lee, on[0], on[1])
		part.ask("nothing", 204)
		part.ask("nothing again", 204)
		id := v.runs
		if part.id == "made" {
			id = batch.ID
		}
		h.Alter(t, id, func(t *db.Task) { t.State, t.Progress = db.Processing, t.Progress+0.1 })
		part.ask("progress", 200)
		part.ask("nothing after that", 204)
		h.Alter(t, v.made, func(t *db.Task) { t.Title += "!" })
		part.ask("a change of another video", 204)
		title := "Title " + part.address // a title cannot pass for the address
		must(t, h.Store.Tasks.TitleTask(t.Context(), db.User{ID: v.leeID, Role: db.Member}, id, title))
		part.ask("a title", 200)
		part.ask("nothing after the title", 204)
	}
	task = h.AddTask(t, v.leeID, db.Processing)
	status := polledOn(v.lee, fmt.Sprintf("/tasks/%d", task.ID), "status")
	v.founder.Post(fmt.Sprintf("/members/%d/role", v.leeID), url.Values{"role": {"viewer"}}).Is(303)
	status.ask("the role", 200)
	status.ask("nothing after the role", 204)
	video := h.File(t, db.Video, "video/webm", []byte("film"))
	h.Alter(t, task.ID, func(t *db.Task) { t.State, t.Keeping, t.Media = db.Success, db.Kept, append(t.Media, video) })
	status.ask("the end", 200).Has("#status video")
	if status.address != "" {
		t.Errorf("a finished video is polled at %s", status.address)
	}
}

// A list that says how long ago something was is answered in full again once that is
// something else.
func TestAPollIsAnsweredInFullWhenTimeHasPassed(t *testing.T) {
	h := handlerstest.New(t)
	v := newViewing(t, h, h.Founder(t))
	film := db.Task{
		UserID: v.leeID, FormToken: secrets.NewToken(),
		Request:   db.Request{Scene: "text-to-video", Model: "veo3", Prompt: "a kite"},
		CreatedAt: db.Now().Add(-43 * time.Second),
	}
	handlerstest.Queue(t, h.Store, &film)
	h.Alter(t, film.ID, func(t *db.Task) { t.State, t.Message = db.Failed, "too dark" })
	latest := polledOn(v.lee, fmt.Sprintf("/create/text-to-video?take=%d", film.ID), "latest")
	latest.Get(latest.address).Is(204)
	handlerstest.Eventually(t, "the list says “1 min ago”", func() bool {
		a := latest.Get(latest.address, "HX-Request-Type", "partial")
		return a.StatusCode == 200 && strings.Contains(a.Text, "1 min ago")
	})
}

// Whatever polls are answered while a video changes again and again, they end with what
// the video was last.
func TestPollsBesideChangesEndWithTheLast(t *testing.T) {
	h := handlerstest.New(t)
	v := newViewing(t, h, h.Founder(t))
	parts := []*polled{polledOn(v.lee, "/create/text-to-video", "latest"), polledOn(v.lee, fmt.Sprintf("/tasks/%d", v.runs), "status")}
	for round := range 60 {
		var changing sync.WaitGroup
		var done atomic.Bool
		shown := map[*polled]string{}
		percent := 0
		changing.Go(func() {
			for i := range 10 {
				percent = 1 + (10*round+i)%94
				h.Alter(t, v.runs, func(t *db.Task) { t.Progress = (float64(percent) + 0.5) / 100 })
			}
			done.Store(true)
		})
		for last := false; !last; {
			last = done.Load()
			for _, p := range parts {
				if a := p.Get(p.address, "HX-Request-Type", "partial"); a.StatusCode == 200 {
					p.read(a)
					shown[p] = a.Text
				}
			}
		}
		changing.Wait()
		for _, p := range parts {
			if want := fmt.Sprintf(`stroke-dasharray="%d 100"`, percent); !strings.Contains(shown[p], want) {
				t.Fatalf("after round %d, #%s does not show %s", round, p.id, want)
			}
		}
	}
}

// Whatever the address says, the response is never empty without a reason.
func TestForgedPollsAreAnsweredInFull(t *testing.T) {
	h := handlerstest.New(t)
	v := newViewing(t, h, h.Founder(t))
	latest := polledOn(v.lee, "/create/text-to-video", "latest")
	address, err := url.Parse(latest.address)
	must(t, err)
	own := address.Query().Get("seen")
	for _, seen := range []string{
		"", "-", "..", "...", own[:len(own)-1], own + "0", "x" + own, "qup" + own, "q.1" + own[1:], "%ff%00",
		fmt.Sprintf("%0200d", 7),
	} {
		q := address.Query()
		q.Set("seen", seen)
		v.lee.Get("/tasks/latest?"+q.Encode(), "HX-Request-Type", "partial").Is(200).Has("#latest")
		v.lee.Get(fmt.Sprintf("/tasks/%d/status?%s", v.runs, q.Encode()), "HX-Request-Type", "partial").Is(200).Has("#status")
	}
	other := v.Joiner(t, v.founder, "ann")
	other.Get(latest.address, "HX-Request-Type", "partial").Is(200)
}
