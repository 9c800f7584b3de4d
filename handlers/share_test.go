package handlers_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"dailies/db"
	"dailies/handlers"
)

// keptFilm is a finished video of the person's that is kept here, with a cover.
func (h *house) keptFilm(t testing.TB, userID int64, prompt string) db.Task {
	t.Helper()
	task := db.Task{
		UserID: userID, FormToken: db.NewToken(), Scene: "text-to-video", Model: "veo3", Prompt: prompt,
		State: db.Queued, CreatedAt: db.Now(), Options: db.Options{AspectRatio: "16:9"},
	}
	queue(t, h.store, &task)
	var picture bytes.Buffer
	must(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 64, 36))))
	video := h.file(t, db.Video, "video/webm", []byte("film of "+prompt))
	cover := h.file(t, db.Cover, "image/png", picture.Bytes())
	return h.alter(t, task.ID, func(t *db.Task) {
		t.State, t.Keeping, t.Charged = db.Success, db.Kept, db.CreditsOf(30)
		t.Media = append(t.Media, video, cover)
	})
}

func (h *house) file(t testing.TB, kind db.MediaKind, mime string, content []byte) db.Media {
	t.Helper()
	hash, size, err := h.config.Media.Put(t.Context(), bytes.NewReader(content), 1<<20)
	must(t, err)
	return db.Media{Kind: kind, Hash: hash, Type: mime, Size: size, CreatedAt: db.Now()}
}

func (h *house) alter(t testing.TB, id int64, change func(*db.Task)) db.Task {
	t.Helper()
	task, err := h.store.UpdateTask(t.Context(), id, func(t *db.Task) error {
		change(t)
		return nil
	})
	must(t, err)
	return task
}

var shareLink = regexp.MustCompile(`/share/[A-Z0-9]{26}`)

// share makes a link on the page, such as "/tasks/7", and returns its path.
func (p *person) share(page, title string) string {
	p.t.Helper()
	p.post(page+"/share", url.Values{"title": {title}, "days": {"30"}}).is(303).leadsTo(page + "#share")
	links := shareLink.FindAllString(p.get(page).is(200).body, -1)
	if len(links) == 0 {
		p.t.Fatalf("%s lists no link", page)
	}
	return links[0] // the newest
}

// files are the addresses of the files on a shared page.
func (a *answer) files() []string {
	var files []string
	for _, m := range regexp.MustCompile(`(?:src|poster)="(/media/[^"#]+)`).FindAllStringSubmatch(a.body, -1) {
		files = append(files, html.UnescapeString(m[1]))
	}
	return files
}

func taskPage(t db.Task) string { return fmt.Sprintf("/tasks/%d", t.ID) }

func TestLinkShowsAVideoToAStranger(t *testing.T) {
	h := newHouse(t)
	owner := h.founder(t)
	film, other := h.keptFilm(t, 1, "a paper boat"), h.keptFilm(t, 1, "a red kite")
	link := owner.share(taskPage(film), "Our boat & <b>yours</b>")
	stranger := h.stranger(t)
	page := stranger.get(link).is(200).shows("Our boat &amp; &lt;b&gt;yours", "noindex", "Made with Dailies").hides("<nav", "htmx", "<script")
	for name, want := range map[string]string{
		"X-Robots-Tag": "noindex, nofollow", "Referrer-Policy": "no-referrer", "Cache-Control": "private, no-store",
	} {
		if got := page.Header.Get(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	files := page.files()
	if len(files) != 2 {
		t.Fatalf("files %q", files)
	}
	for _, file := range files {
		whole := stranger.get(file).is(200)
		if got := whole.Header.Get("Cache-Control"); got != "private, max-age=0, must-revalidate" {
			t.Errorf("%s: Cache-Control %q", file, got)
		}
		if got := whole.Header.Get("X-Robots-Tag"); got != "noindex, nofollow" {
			t.Errorf("%s: X-Robots-Tag %q", file, got)
		}
		if part := stranger.get(file, "Range", "bytes=2-5").is(206); part.body != whole.body[2:6] {
			t.Errorf("%s: the range is %q", file, part.body)
		}
		stranger.get(file, "If-None-Match", whole.Header.Get("ETag")).is(304)
	}
	if got := stranger.get(files[0] + "&download=1").is(200).Header.Get("Content-Disposition"); got != fmt.Sprintf(`attachment; filename="dailies-%d.webm"`, film.Media[0].ID) {
		t.Errorf("downloaded as %q", got)
	}
	_, query, _ := strings.Cut(files[0], "?")
	stranger.get(fmt.Sprintf("/media/%d?%s", other.Media[0].ID, query)).is(404)
	stranger.get(fmt.Sprintf("/media/x?%s", query)).is(404)
	stranger.get(fmt.Sprintf("/media/%d?share=", film.Media[0].ID)).is(404)
	stranger.get(fmt.Sprintf("/media/%d", film.Media[0].ID)).is(303)
	if len(stranger.Jar.Cookies(mustURL(t, h.URL))) != 0 {
		t.Error("the page sets a cookie")
	}
	// The team sees it like everybody, and the files that it may see anyway.
	ada := h.joiner(t, owner, "ada")
	ada.get(link).is(200).shows("Our boat")
	ada.get(fmt.Sprintf("/media/%d?share=nothing", other.Media[0].ID)).is(200)
}

func mustURL(t testing.TB, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	must(t, err)
	return u
}

func TestSharedPageTellsNothingElse(t *testing.T) {
	h := newHouse(t)
	owner := h.founder(t)
	for range 20 { // so that the numbers of videos are not those of files
		h.addTask(t, 1, db.Failed)
	}
	film := h.keptFilm(t, 1, "zebra secretly crossing")
	c := h.addCollection(t, 1)
	must(t, h.store.SetCollection(t.Context(), c.ID, "Whispered name", "For the fair", db.Now()))
	_, err := h.store.AddToCollection(t.Context(), c.ID, 1, []int64{film.ID}, db.Now())
	must(t, err)
	h.alter(t, film.ID, func(t *db.Task) { t.RemoteID, t.UpstreamID = "remote-77", "upstream-77" })
	for _, page := range []string{taskPage(film), fmt.Sprintf("/collections/%d", c.ID)} {
		link := owner.share(page, "Only this")
		shown := h.stranger(t).get(link).is(200).shows("Only this")
		shown.hides("Kim", "kim@", "Doe", "zebra", "secretly", "crossing", "Whispered", "veo3", "Veo", "text-to-video", "credits", "remote-77", "upstream-77", "/tasks/", "/collections/", "/gallery", "/login")
		if number := regexp.MustCompile(fmt.Sprintf(`\b(%d|30)\b`, film.ID)).FindString(shown.body); number != "" {
			t.Errorf("%s: the page has the number %s", page, number)
		}
		for _, file := range shown.files() {
			for name, values := range h.stranger(t).get(file + "&download=1").is(200).Header {
				if value := strings.Join(values, " "); strings.Contains(value, "zebra") || strings.Contains(value, fmt.Sprintf("dailies-%d.", film.ID)) {
					t.Errorf("%s: %s is %q", file, name, value)
				}
			}
		}
	}
}

func TestLinkEnds(t *testing.T) {
	for how, end := range map[string]func(t *testing.T, h *house, owner *person, film db.Task){
		"taken back": func(t *testing.T, h *house, owner *person, film db.Task) {
			owner.post("/shares/1/revoke", url.Values{"next": {taskPage(film)}}).is(303).leadsTo(taskPage(film))
			owner.get(taskPage(film)).is(200).shows("does not work any more").hides("/share/")
		},
		"in the bin": func(t *testing.T, h *house, _ *person, film db.Task) {
			h.alter(t, film.ID, func(t *db.Task) { t.DeletedAt, t.DeletedBy = db.Now(), 1 })
		},
		"private": func(t *testing.T, h *house, _ *person, film db.Task) {
			h.alter(t, film.ID, func(t *db.Task) { t.Private = true })
		},
		"gone for good": func(t *testing.T, h *house, _ *person, film db.Task) {
			h.alter(t, film.ID, func(t *db.Task) { t.DeletedAt, t.PurgedAt = db.Now(), db.Now() })
		},
	} {
		t.Run(how, func(t *testing.T) {
			h := newHouse(t)
			owner := h.founder(t)
			ada := h.joiner(t, owner, "ada")
			film := h.keptFilm(t, 1, "a paper boat")
			link := ada.share(taskPage(film), "Our boat")
			stranger := h.stranger(t)
			files := stranger.get(link).is(200).files()
			end(t, h, owner, film)
			unknown := stranger.get("/share/ABCDEFGHIJKLMNOPQRSTUVWXYZ").is(404)
			over := stranger.get(link).is(404).shows("This link no longer works.", "Ask whoever sent it for a new one.")
			if over.body != unknown.body {
				t.Error("one can tell that there was a link")
			}
			if over.Header.Get("X-Robots-Tag") == "" || over.Header.Get("Cache-Control") != "private, no-store" {
				t.Errorf("headers %v", over.Header)
			}
			for _, file := range files {
				stranger.get(file).is(404)
				stranger.get(file, "Range", "bytes=0-1").is(404)
			}
		})
	}
}

func TestLinkEndsWithItsTime(t *testing.T) {
	h := newHouse(t)
	h.founder(t)
	film := h.keptFilm(t, 1, "a paper boat")
	for _, left := range []time.Duration{time.Hour, -time.Second} {
		s := db.Share{Token: db.NewToken(), TaskID: film.ID, Title: "Boat", CreatedBy: 1, CreatedAt: db.Now().AddDate(0, 0, -7), ExpiresAt: db.Now().Add(left)}
		must(t, h.store.AddShare(t.Context(), &s))
		want := 200
		if left < 0 {
			want = 404
		}
		h.stranger(t).get("/share/" + s.Token).is(want)
		h.stranger(t).get(fmt.Sprintf("/media/%d?share=%s", film.Media[0].ID, s.Token)).is(want)
	}
}

func TestPrivateVideoIsSharedByItsMakerAlone(t *testing.T) {
	h := newHouse(t)
	owner := h.founder(t)
	ada := h.joiner(t, owner, "ada")
	film := h.keptFilm(t, 2, "a paper boat")
	adas, owners := ada.share(taskPage(film), "From Ada"), owner.share(taskPage(film), "From Kim")
	h.alter(t, film.ID, func(t *db.Task) { t.Private = true })
	stranger := h.stranger(t)
	files := stranger.get(adas).is(200).files()
	stranger.get(files[0]).is(200)
	stranger.get(owners).is(404)
	_, token, _ := strings.Cut(owners, "/share/")
	stranger.get(fmt.Sprintf("/media/%d?share=%s", film.Media[0].ID, token)).is(404)
	owner.post(taskPage(film)+"/share", url.Values{"title": {"x"}}).is(404)
	ada.get(taskPage(film)).is(200).shows("Shows nothing while the video is private", "From Kim")
	// An admin can take links to it back, and learns nothing about it.
	owner.get("/settings").is(200).shows("A private video", "/shares/1/revoke").hides("From Ada", adas, owners, "paper boat", `href="/tasks/`)
	owner.post("/shares/1/revoke", nil).is(303).leadsTo("/settings#links")
	stranger.get(adas).is(404)
	h.alter(t, film.ID, func(t *db.Task) { t.Private = false })
	stranger.get(owners).is(200)
	h.alter(t, film.ID, func(t *db.Task) { t.DeletedAt, t.DeletedBy = db.Now(), 2 })
	owner.get("/settings").is(200).shows("A deleted video", "in the bin").hides("A private video", `href="/tasks/`)
}

func TestWhoMayTakeBackWhichLink(t *testing.T) {
	h := newHouse(t)
	root := h.founder(t)
	people := map[string]*person{"root": root, "ada": h.joiner(t, root, "ada"), "bo": h.joiner(t, root, "bo"), "cy": h.joiner(t, root, "cy")}
	film := h.keptFilm(t, 2, "a paper boat") // Ada's
	for name, want := range map[string]int{"root": 303, "ada": 303, "bo": 303, "cy": 404} {
		link := people["bo"].share(taskPage(film), "Boat")
		path := regexp.MustCompile(`/shares/\d+/revoke`).FindString(people["bo"].get(taskPage(film)).body)
		people[name].post(path, nil).is(want)
		h.stranger(t).get(link).is(map[int]int{303: 404, 404: 200}[want])
		if want == 404 {
			if strings.Contains(people[name].get(taskPage(film)).body, path) {
				t.Errorf("%s is offered %s", name, path)
			}
			people["bo"].post(path, nil).is(303)
		}
	}
}

func TestFormOfALinkKeepsWhatWasTyped(t *testing.T) {
	h := newHouse(t)
	owner := h.founder(t)
	film := h.keptFilm(t, 1, "a paper boat")
	c := h.addCollection(t, 1)
	_, err := h.store.AddToCollection(t.Context(), c.ID, 1, []int64{film.ID}, db.Now())
	must(t, err)
	for _, page := range []string{taskPage(film), fmt.Sprintf("/collections/%d", c.ID)} {
		long := strings.Repeat("é", db.MaxShareTitle+1)
		owner.post(page+"/share", url.Values{"title": {long}, "days": {"90"}}).is(422).shows(long, "letters at most", `value="90" checked`)
		for _, days := range []string{"2", "-1", "x", "99999999999999999999"} {
			owner.post(page+"/share", url.Values{"title": {"Kept title"}, "days": {days}}).is(422).shows("Kept title", "Choose one of these")
		}
		owner.post(page+"/share", url.Values{"title": {long[:db.MaxShareTitle]}}).is(303)
	}
	list, err := h.store.Shares(t.Context(), 1, db.Now(), 10)
	must(t, err)
	for _, s := range list {
		if d := s.ExpiresAt.Sub(s.CreatedAt); d != db.UsualShareDays*24*time.Hour || s.Token != "" || len(s.Sealed) < 26 {
			t.Errorf("a link lives %v, sealed as %q", d, s.Sealed)
		}
	}
	if len(list) != 2 {
		t.Errorf("%d links", len(list))
	}
}

func TestCollectionIsSharedAsItIsNow(t *testing.T) {
	h := newHouse(t)
	owner := h.founder(t)
	ada := h.joiner(t, owner, "ada")
	one, two, mine := h.keptFilm(t, 1, "boat"), h.keptFilm(t, 2, "kite"), h.keptFilm(t, 1, "secret")
	h.alter(t, mine.ID, func(t *db.Task) { t.Private = true })
	c := h.addCollection(t, 1)
	page := fmt.Sprintf("/collections/%d", c.ID)
	add := func(ids ...int64) {
		t.Helper()
		_, err := h.store.AddToCollection(t.Context(), c.ID, 1, ids, db.Now())
		must(t, err)
	}
	add(mine.ID)
	owner.post(page+"/share", url.Values{"title": {"x"}}).is(409)
	add(one.ID)
	link := ada.share(page, "Both")
	stranger := h.stranger(t)
	address := func(t db.Task) string {
		return fmt.Sprintf("/media/%d?share=%s", t.Media[0].ID, strings.TrimPrefix(link, "/share/"))
	}
	stranger.get(link).is(200).shows("Video 1 of 1")
	stranger.get(address(two)).is(404)
	stranger.get(address(mine)).is(404)
	add(two.ID)
	body := stranger.get(link).is(200).shows("Video 1 of 2", "Video 2 of 2").body
	if strings.Index(body, fmt.Sprintf("/media/%d?", one.Media[0].ID)) > strings.Index(body, fmt.Sprintf("/media/%d?", two.Media[0].ID)) {
		t.Error("not in the order of the collection")
	}
	stranger.get(address(two)).is(200)
	ada.post(page+"/remove", url.Values{"id": {fmt.Sprint(one.ID), fmt.Sprint(two.ID)}}).is(303)
	stranger.get(address(two)).is(404)
	stranger.get(link).is(200).shows("no video in here at the moment")
	add(one.ID)
	owner.post(page+"/delete", nil).is(303).leadsTo("/collections")
	stranger.get(link).is(404)
	stranger.get(address(one)).is(404)
	owner.get(taskPage(one)).is(200)
	ada.get("/settings").is(200).hides(link)
	owner.post(page+"/restore", nil).is(303).leadsTo(page)
	stranger.get(link).is(200).shows("Video 1 of 1")
	stranger.get(address(one)).is(200)
	ada.get("/settings").is(200).shows(link)
}

func TestSettingsListTheLinks(t *testing.T) {
	h := newHouse(t)
	owner := h.founder(t)
	ada := h.joiner(t, owner, "ada")
	film := h.keptFilm(t, 1, "a paper boat")
	owners, adas := owner.share(taskPage(film), "By Kim"), ada.share(taskPage(film), "By Ada")
	ada.get("/settings").is(200).shows("Links you gave away", adas, h.URL).hides(owners, "By Kim")
	owner.get("/settings").is(200).shows("Links that were given away", adas, owners)
}

func TestLinkSaysNothingOfTheVideoUnlessItsMakerDoes(t *testing.T) {
	h := newHouse(t)
	owner := h.founder(t)
	film := h.keptFilm(t, 1, "zebra secretly crossing")
	c := h.addCollection(t, 1)
	must(t, h.store.SetCollection(t.Context(), c.ID, "Whispered name", "", db.Now()))
	_, err := h.store.AddToCollection(t.Context(), c.ID, 1, []int64{film.ID}, db.Now())
	must(t, err)
	for page, heading := range map[string]string{taskPage(film): "A video for you", fmt.Sprintf("/collections/%d", c.ID): "Videos for you"} {
		_, form, _ := strings.Cut(owner.get(page).is(200).body, `<section class="stack share"`)
		if form, _, _ = strings.Cut(form, "</section>"); !strings.Contains(form, `name="title"`) || strings.Contains(form, "zebra") || strings.Contains(form, "Whispered") {
			t.Errorf("%s: the form proposes a title: %s", page, form)
		}
		link := owner.share(page, " ")
		h.stranger(t).get(link).is(200).shows("<h1>"+heading, "<title>"+heading).hides("zebra", "crossing", "Whispered")
		owner.get(page).is(200).shows("without a title", link)
	}
}

// The file of the database gives no link away, and neither does one that was
// copied to another row.
func TestTokensOfLinksAreSealed(t *testing.T) {
	h := newHouse(t)
	owner := h.founder(t)
	ada := h.joiner(t, owner, "ada")
	film := h.keptFilm(t, 1, "a paper boat")
	link := owner.share(taskPage(film), "Boat")
	owner.get("/settings").is(200).shows(link)
	ada.get(taskPage(film)).is(200).shows(link)
	token := strings.TrimPrefix(link, "/share/")
	for _, path := range []string{h.path, h.path + "-wal"} {
		if content, err := os.ReadFile(path); err != nil || bytes.Contains(content, []byte(token)) {
			t.Errorf("%s: the token is in the clear, or %v", path, err)
		}
	}
	s, err := h.store.Share(t.Context(), 1)
	must(t, err)
	if _, err := h.config.Vault.OpenToken(2, s.Sealed); err == nil {
		t.Error("it opens for another person")
	}
	if _, err := h.config.Vault.Open(1, s.Sealed); err == nil {
		t.Error("it can be taken for an API key")
	}
}

func TestLinkWorksWithoutTheSecretItWasSealedWith(t *testing.T) {
	h := newHouse(t)
	owner := h.founder(t)
	film := h.keptFilm(t, 1, "a paper boat")
	link := owner.share(taskPage(film), "Our boat")
	other, err := db.NewVault([]byte("the secret of another house"))
	must(t, err)
	h.elsewhere(t, func(c *handlers.Config) { c.Vault = other })
	h.stranger(t).get(link).is(200).shows("Our boat")
	for _, page := range []string{taskPage(film), "/settings"} {
		owner.get(page).is(200).shows("Our boat", "cannot be shown again", "/shares/1/revoke").hides("/share/")
	}
	again := owner.share(taskPage(film), "Again")
	owner.get(taskPage(film)).is(200).shows(again)
	owner.post("/shares/1/revoke", nil).is(303)
	h.stranger(t).get(link).is(404)
}

// head are the meta tags of the page, by property or name.
func head(t testing.TB, body string) map[string]string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(body))
	must(t, err)
	tags := map[string]string{}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.Data != "meta" {
			continue
		}
		values := map[string]string{}
		for _, a := range n.Attr {
			values[a.Key] = a.Val
		}
		tags[values["property"]+values["name"]] = values["content"]
	}
	return tags
}

func TestPostedLinkHasItsPicture(t *testing.T) {
	h := newHouse(t)
	owner := h.founder(t)
	film := h.keptFilm(t, 1, "a paper boat")
	link := owner.share(taskPage(film), `Our "boat"`)
	tags := head(t, h.stranger(t).get(link).is(200).body)
	for name, want := range map[string]string{
		"og:title": `Our "boat"`, "og:type": "video.other", "og:url": h.URL + link, "og:image:width": "64", "og:image:height": "36",
		"og:image:type": "image/png", "og:video:type": "video/webm", "twitter:card": "summary_large_image", "robots": "noindex, nofollow",
	} {
		if tags[name] != want {
			t.Errorf("%s is %q, want %q", name, tags[name], want)
		}
	}
	for name, kind := range map[string]string{"og:image": "image/png", "og:video": "video/webm"} {
		path, ok := strings.CutPrefix(tags[name], h.URL)
		if !ok {
			t.Fatalf("%s is %q", name, tags[name])
		}
		if got := h.stranger(t).get(path).is(200).Header.Get("Content-Type"); got != kind {
			t.Errorf("%s is %s", name, got)
		}
	}
	h.app.PublicURL = "https://dailies.example.com"
	tags = head(t, h.stranger(t).get(link).is(200).body)
	if !strings.HasPrefix(tags["og:image"], "https://dailies.example.com/media/") || tags["og:url"] != "https://dailies.example.com"+link {
		t.Errorf("with a public address: %v", tags)
	}
}

func TestPostedLinkWithoutACoverHasNoPicture(t *testing.T) {
	h := newHouse(t)
	owner := h.founder(t)
	film := h.addTask(t, 1, db.Success)
	film = h.alter(t, film.ID, func(task *db.Task) {
		task.Keeping, task.Media = db.Kept, append(task.Media, h.file(t, db.Video, "video/webm", []byte("film")))
	})
	page := h.stranger(t).get(owner.share(taskPage(film), "Boat")).is(200).shows("#t=0.1").hides("poster")
	if tags := head(t, page.body); tags["og:image"] != "" || tags["twitter:card"] != "summary" || tags["og:video"] == "" {
		t.Errorf("tags %v", tags)
	}
}
