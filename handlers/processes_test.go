package handlers_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/store/postgres/postgrestest"
	"dailies/handlers/handlerstest"
	"dailies/handlers/site"
	"dailies/web/scopetest"
)

// balanced starts two processes on the same database and files, and a load balancer
// that sends requests to them in turn.
func balanced(t *testing.T) (a, b, both *handlerstest.Server, database *postgrestest.Server) {
	t.Helper()
	scopetest.Whole(t)
	database = postgrestest.Need(t)
	address, err := database.Database(t.Context())
	must(t, err)
	a = handlerstest.NewOn(t, address)
	b = a.Beside(t)
	var asked atomic.Int64
	targets := []*url.URL{handlerstest.MustURL(t, a.URL), handlerstest.MustURL(t, b.URL)}
	balancer := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(targets[int(asked.Add(1))%2])
		r.Out.Host = r.In.Host
	}})
	t.Cleanup(balancer.Close)
	front := *a
	front.Server = balancer
	return a, b, &front, database
}

// A user whose requests are answered by two processes in turn notices nothing:
// everything that a page does is stored in the database, in files or in a cookie.
func TestTwoProcessesAnswerOneBrowser(t *testing.T) {
	a, b, both, database := balanced(t)
	kim := foundTogether(t, a, b)
	for range 2 { // each page once from each process
		for _, path := range strings.Fields("/create/text-to-video /gallery /settings /members /usage /recipes /collections /bin /pictures /keys") {
			kim.At(t, both).Get(path).Is(200)
		}
		kim.At(t, both).Post("/settings", url.Values{"name": {"Kim"}}).Is(303)
		kim.At(t, both).Get("/settings").Is(200).Shows("Saved.")
	}
	part := func(name string, walk func(t *testing.T, a, b *handlerstest.Browser)) {
		t.Run(name, func(t *testing.T) { walk(t, kim.At(t, a), kim.At(t, b)) })
	}
	part("prices", walkPrices)
	part("a storyline", walkStory) // of videos that are written into the database as finished
	part("posters", walkPosters)
	part("a number", walkNumber)
	a.Run(t)
	part("accounts", walkAccounts)
	part("settings", walkSettings)
	part("a video", walkVideo)
	part("recipes and batches", walkRecipes)
	part("pictures", walkPictures)
	part("guesses", walkGuesses)
	if said := a.Log.String(); strings.Contains(said, "SQLSTATE") {
		t.Errorf("the log says\n%s", said)
	}
	t.Run("without the database", func(t *testing.T) { walkWithout(t, kim.At(t, a), database) })
}

// foundTogether lets two people create the first account at the same moment, on
// different processes, and returns the browser of the one who succeeded.
func foundTogether(t *testing.T, a, b *handlerstest.Server) (first *handlerstest.Browser) {
	t.Helper()
	browsers := []*handlerstest.Browser{a.Stranger(t), b.Stranger(t)}
	answers := make([]*handlerstest.Answer, len(browsers))
	var all sync.WaitGroup
	for i, p := range browsers {
		all.Go(func() {
			answers[i] = p.Post("/setup?token="+handlerstest.SetupToken, url.Values{
				"name": {"Kim"}, "email": {fmt.Sprintf("kim%d@example.com", i)}, "password": {handlerstest.Password},
			})
		})
	}
	all.Wait()
	for i, answer := range answers {
		switch to := answer.Is(303).Header.Get("Location"); {
		case to == "/" && first == nil:
			first = browsers[i]
		case to != "/login":
			t.Fatalf("process %d leads to %s", i, to)
		}
	}
	users, err := b.Store.Accounts.Users(t.Context())
	must(t, err)
	if first == nil || len(users) != 1 || !users[0].IsAdmin() {
		t.Fatalf("the accounts are %+v", users)
	}
	return first
}

func walkAccounts(t *testing.T, a, b *handlerstest.Browser) {
	for _, p := range []*handlerstest.Browser{a, b} {
		p.Get("/create/text-to-video").Is(200)
		p.Server.Stranger(t).Get("/setup").Is(303).LeadsTo("/login")
	}
	// The user joins at B with a link from A, and the link is then invalid at A.
	a.Post("/members/invites", nil).Is(303)
	link := handlerstest.JoinLink(b.Get("/members").Is(200).Text)
	form := url.Values{"name": {"Ada"}, "email": {"ada@example.com"}, "password": {handlerstest.Password}}
	b.Server.Stranger(t).Post(link, form).Is(303)
	a.Server.Stranger(t).Post(link, form).Is(404)
	// Sign in at A, out at B, and in at B.
	ada := a.Server.Stranger(t)
	ada.Post("/login", handlerstest.Credentials("ada@example.com", handlerstest.Password)).Is(303)
	ada.At(t, b.Server).Get("/settings").Is(200)
	home, copied := handlerstest.MustURL(t, a.Server.URL), a.Server.Stranger(t) // a second browser with a copy of the cookie
	copied.Jar.SetCookies(home, ada.Jar.Cookies(home))
	copied.Get("/settings").Is(200)
	ada.At(t, b.Server).Post("/logout", nil).Is(303)
	copied.Get("/settings").Is(303)
	ada.At(t, b.Server).Post("/login", handlerstest.Credentials("ada@example.com", handlerstest.Password)).Is(303)
	ada.Get("/settings").Is(200)
	// End all other sessions at A; they are then over at B too.
	second := b.Server.Stranger(t)
	second.Post("/login", handlerstest.Credentials("ada@example.com", handlerstest.Password)).Is(303)
	ada.Post("/settings/sessions/end-others", nil).Is(303)
	second.Get("/settings").Is(303)
}

func walkSettings(t *testing.T, a, b *handlerstest.Browser) {
	a.Post("/settings/theme", url.Values{"theme": {"dark"}}).Is(303)
	b.Get("/settings").Is(200).Has(`html[data-theme=dark]`)
	a.Post("/members/zone", url.Values{"zone": {"Asia/Kathmandu"}}).Is(303)
	b.Get("/team/spending").Is(200).Has(`[name=zone][value="Asia/Kathmandu"]`).Shows("Time zone changed.") // the flash message is in a cookie
	page := a.Post("/settings/webhooks", url.Values{"webhook": {"https://example.com/done"}}).Is(303).Header.Get("Location")
	b.Get(page).Is(200).Shows("https://example.com/done", "whsec") // the secret is shown once, from a cookie
	a.Get(page).Is(200).Hides("whsec")
	b.Post(page+"/delete", nil).Is(303)
	a.Get("/settings").Is(200).Hides("https://example.com/done")
	a.Post("/settings/key/delete", nil).Is(303)
	b.Post("/settings/key/test", nil).Is(303)
	a.Get("/settings").Is(200).Shows("No key to test yet")
	a.Post("/settings/sandbox/key", nil).Is(303)
	b.Post("/settings/key/test", nil).Is(303)
	a.Get("/settings").Is(200).Shows("It works.")
}

// The price hint is derived from all earlier videos, whichever process made them.
func walkPrices(t *testing.T, a, b *handlerstest.Browser) {
	for _, cost := range []float64{22, 26} {
		a.Server.LastCost(t, a.Server.AddTask(t, 1, db.Success).ID, cost)
	}
	for _, p := range []*handlerstest.Browser{a, b} {
		p.Get("/create/text-to-video?model=veo3").Is(200).Shows("last time 22 to 26")
	}
}

func walkVideo(t *testing.T, a, b *handlerstest.Browser) {
	form := handlerstest.GoodForm()
	made := handlerstest.Made(t, a.Post("/create/text-to-video", form))
	if again := handlerstest.Made(t, b.Post("/create/text-to-video", form)); again != made {
		t.Errorf("one form made %d at A and %d at B", made, again)
	}
	page := fmt.Sprintf("/tasks/%d", made)
	b.Get(page).Is(200)
	film := a.Server.Kept(t, made)
	video, _ := film.Video()
	b.Get(fmt.Sprintf("/media/%d", video.ID)).Is(200)
	b.Get("/gallery").Is(200).Shows(fmt.Sprintf(`id="task-%d"`, made))
	b.Post(page+"/title", url.Values{"title": {"The tram"}}).Is(303)
	a.Get(page).Is(200).Shows("The tram")

	link := a.Share(page, "Our tram")
	stranger := b.Server.Stranger(t)
	shared := stranger.Get(link).Is(200).Shows("Our tram")
	file := shared.Files()[0]
	stranger.Get(file).Is(200)
	a.Post("/shares/1/revoke", url.Values{"next": {page}}).Is(303)
	stranger.Get(link).Is(404)
	if closed := stranger.Get(file); closed.StatusCode == 200 {
		t.Error("a link that was taken back at A opens a file at B")
	}

	// A password that changes at A closes the link at B, and so does the end of downloads.
	locked := a.Share(page, "Our tram", "password", "harbour-47")
	stranger.Post(locked+"/enter", url.Values{"password": {"harbour-47"}}).Is(303)
	file = stranger.Get(locked).Is(200).Files()[0]
	stranger.Get(file + "?download=1").Is(200)
	a.Post("/shares/2", url.Values{"title": {"Our tram"}}).Is(303)
	stranger.Get(file).Is(200)
	stranger.Get(file + "?download=1").Is(403)
	a.Post("/shares/2", url.Values{"password": {"harbour-48"}}).Is(303)
	stranger.Get(file).Is(403)
	stranger.Get(locked + "/state").Is(403)

	a.Post("/tasks/delete", handlerstest.ChosenForm([]db.Task{film})).Is(303)
	stranger.Get(locked + "/brand.css").Is(404)
	b.Get("/gallery").Is(200).Hides(fmt.Sprintf(`id="task-%d"`, made)).Has(`[action="/tasks/restore"]`) // Undo is in a cookie
	b.Get("/bin").Is(200).Shows(fmt.Sprintf(`value="%d"`, made))
	b.Post("/tasks/restore", handlerstest.ChosenForm([]db.Task{film})).Is(303)
	a.Get("/gallery").Is(200).Shows(fmt.Sprintf(`id="task-%d"`, made))
}

func walkRecipes(t *testing.T, a, b *handlerstest.Browser) {
	recipe := fmt.Sprintf("/recipes/%d", a.Server.AddRecipe(t, 1).ID)
	filled := handlerstest.FilledForm("token", secrets.NewToken(), "blank:product", "cup", "blank:place", "oak")
	a.Get(recipe).Is(200)
	one, two := a.Post(recipe, filled).Is(303), b.Post(recipe, filled).Is(303)
	two.LeadsTo(one.Header.Get("Location"))
	rows := handlerstest.RowsOf(t, a.Post(recipe+"/batch", handlerstest.FilledForm("do", "check", "table", "cup\toak\nlamp\tstone")).Is(200), "make")
	batch := b.Post(recipe+"/batch", rows).Is(303).Header.Get("Location")
	a.Post(recipe+"/batch", rows).Is(303).LeadsTo(batch)
	a.Get(batch).Is(200).Shows("of 2 videos done")
}

func walkStory(t *testing.T, a, b *handlerstest.Browser) {
	boat := a.Server.Film(t, 1, handlerstest.Saying("the boat"))
	storm := a.Server.Film(t, 1, func(t *db.Task) {
		t.ParentID, t.Reuse, t.Prompt = boat.ID, db.Continued, "the storm"
	})
	page := fmt.Sprintf("/story/%d", boat.ID)
	b.Get(page).Is(200).Shows("Scene 1: the boat", "Scene 2: the storm")
	a.Post(page, url.Values{"scene": {fmt.Sprint(storm.ID), fmt.Sprint(boat.ID)}, "first": {"", ""}, "last": {"", ""}}).Is(303)
	b.Get(page).Is(200).Shows("Scene 1: the storm", "Scene 2: the boat")
}

func walkPictures(t *testing.T, a, b *handlerstest.Browser) {
	address := a.Uploaded(handlerstest.Photo(t, 400, 300))
	path := address[strings.Index(address, "/p/"):]
	b.Server.Stranger(t).Get(path).Is(200)
	form := handlerstest.WithField(handlerstest.GoodForm(), "image_input", address)
	handlerstest.Made(t, b.Post("/create/image-to-video", form))
	spare := b.Uploaded(handlerstest.Photo(t, 410, 300))
	pictures, err := a.Server.Store.Pictures.Latest(t.Context(), 1, 1)
	must(t, err)
	a.Post(fmt.Sprintf("/pictures/%d/delete", pictures[0].ID), nil).Is(303)
	b.Server.Stranger(t).Get(spare[strings.Index(spare, "/p/"):]).Is(404)
}

func walkPosters(t *testing.T, a, b *handlerstest.Browser) {
	for range 5 {
		bare := a.Server.AddKept(t, 1, "film")
		var answers [6]*handlerstest.Answer
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() {
				answers[i] = []*handlerstest.Browser{a, b}[i%2].SendPoster(t, bare.ID, handlerstest.FrameOf(t, 64+i, 36))
			})
		}
		all.Wait()
		for _, answer := range answers {
			answer.Is(http.StatusNoContent).LeadsTo(answers[0].Header.Get("Location"))
		}
		task, err := b.Server.Store.Tasks.Task(t.Context(), bare.ID)
		must(t, err)
		if len(task.Media) != 2 {
			t.Errorf("it has %+v", task.Media)
		}
	}
}

// Limits of guesses apply to both processes together, even for simultaneous guesses.
func walkGuesses(t *testing.T, a, b *handlerstest.Browser) {
	a.Post("/members/invites", nil).Is(303)
	link := handlerstest.JoinLink(b.Get("/members").Is(200).Text)
	bo := a.Server.Stranger(t)
	bo.Post(link, url.Values{"name": {"Bo"}, "email": {"bo@example.com"}, "password": {handlerstest.Password}}).Is(303)
	bo.Post("/logout", nil).Is(303)
	guess := func(n int, form func(i int) url.Values) map[int]int {
		strangers := []*handlerstest.Browser{a.Server.Stranger(t), b.Server.Stranger(t)}
		return handlerstest.AtOnce(n, func(i int) *handlerstest.Answer { return strangers[i%2].Post("/login", form(i)) })
	}
	began := time.Now()
	holds := func(what string, got map[int]int, tries, limit int) {
		t.Helper()
		most := limit + int(time.Since(began)/site.TriesEvery) // on a slow machine some attempts are available again
		if n := got[422]; n < limit || n > most || n+got[429] != tries {
			t.Errorf("%s: %v, want %d to %d of %d", what, got, limit, most, tries)
		}
	}
	got := guess(24, func(int) url.Values { return handlerstest.Credentials("bo@example.com", "a wrong password") })
	holds("of one account", got, 24, site.TriesPerAccount)
	bo.At(t, b.Server).Post("/login", handlerstest.Credentials("bo@example.com", handlerstest.Password)).Is(303) // a browser that the account has used before is not locked out
	got = guess(60, func(i int) url.Values {
		return handlerstest.Credentials(fmt.Sprint(i, "@example.com"), "a wrong password")
	})
	holds("from one address", got, 60, 30-site.TriesPerAccount)
}

// While the database is down, the process is alive but not ready, and every
// sign-in is told to come back.
func walkWithout(t *testing.T, a *handlerstest.Browser, database *postgrestest.Server) {
	a.Get("/readyz").Is(200)
	must(t, database.Stop())
	a.Get("/healthz").Is(200)
	handlerstest.Eventually(t, "it is not ready", func() bool { return a.Get("/readyz").StatusCode == 503 })
	stranger := a.Server.Stranger(t)
	for _, password := range []string{handlerstest.Password, "a wrong password"} {
		stranger.Post("/login", handlerstest.Credentials("kim0@example.com", password)).Is(503)
	}
}

// While one process asks the service about an ID that a user entered, the other
// process does not.
func walkNumber(t *testing.T, a, b *handlerstest.Browser) {
	id := a.Server.Made(t, a.Server.KeyOf(t, 1))
	one, two := a.Server.AddTask(t, 1, db.Unconfirmed), a.Server.AddTask(t, 1, db.Unconfirmed)
	asked, goOn := make(chan bool), make(chan bool)
	var once sync.Once
	a.Server.Wire.Divert(func(r *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if bytes.Contains(body, []byte(id)) {
			once.Do(func() { close(asked); <-goOn })
		}
		return nil, err
	})
	form := url.Values{"service_id": {id}}
	first := make(chan *handlerstest.Answer, 1)
	go func() { first <- a.Post(fmt.Sprintf("/tasks/%d/follow", one.ID), form) }()
	handlerstest.Ends(t, "the question", func() { <-asked })
	b.Post(fmt.Sprintf("/tasks/%d/follow", two.ID), form).Is(422).Shows("already asking about this ID")
	close(goOn)
	handlerstest.Ends(t, "the first answer", func() { (<-first).Is(303) })
	b.Post(fmt.Sprintf("/tasks/%d/follow", two.ID), form).Is(422).Shows("has this ID")
}
