package share_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/gallery"
	"dailies/db/secrets"
	"dailies/handlers"
	"dailies/handlers/handlerstest"
)

// sharePage returns the path of the page with the links to the video.
func sharePage(t db.Task) string { return handlerstest.TaskPage(t) + "/share" }

func TestLinkShowsAVideoToAStranger(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	film, other := h.KeptFilm(t, 1, "a paper boat"), h.KeptFilm(t, 1, "a red kite")
	link := owner.Share(handlerstest.TaskPage(film), "Our boat & <b>yours</b>")
	stranger := h.Stranger(t)
	page := stranger.Get(link).Is(200).Shows("Our boat &amp; &lt;b&gt;yours", "noindex", "Made with AI", "Sent with Dailies").
		Hides("<nav", "htmx", "app.js", "a paper boat")
	for name, want := range map[string]string{
		"X-Robots-Tag": "noindex, nofollow", "Referrer-Policy": "same-origin", "Cache-Control": "private, no-store",
	} {
		if got := page.Header.Get(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	files := page.Files()
	if len(files) != 2 {
		t.Fatalf("files %q", files)
	}
	for _, file := range files {
		whole := stranger.Get(file).Is(200)
		if got := whole.Header.Get("Cache-Control"); got != "private, max-age=0, must-revalidate" {
			t.Errorf("%s: Cache-Control %q", file, got)
		}
		if got := whole.Header.Get("X-Robots-Tag"); got != "noindex, nofollow" {
			t.Errorf("%s: X-Robots-Tag %q", file, got)
		}
		if part := stranger.Get(file, "Range", "bytes=2-5").Is(206); part.Text != whole.Text[2:6] {
			t.Errorf("%s: the range is %q", file, part.Text)
		}
		stranger.Get(file, "If-None-Match", whole.Header.Get("ETag")).Is(304)
	}
	if got := stranger.Get(files[0] + "?download=1").Is(200).
		Header.Get("Content-Disposition"); got != `attachment; filename="Our boat & b yours b.webm"` {
		t.Errorf("downloaded as %q", got)
	}
	query := "share=" + strings.TrimPrefix(link, "/share/")
	for _, id := range []string{fmt.Sprint(other.Media[0].ID), "x", "0", "99999999999999999999"} {
		stranger.Get(link + "/media/" + id).Is(404)
	}
	// The addresses of the first version have ended: the link in them opens nothing.
	for _, earlier := range []string{"", "?share=", "?" + query, "?download=1&" + query} {
		stranger.Get(fmt.Sprintf("/media/%d%s", film.Media[0].ID, earlier)).Is(303)
	}
	if len(stranger.Jar.Cookies(handlerstest.MustURL(t, h.URL))) != 0 {
		t.Error("the page sets a cookie")
	}
	// Team members see the page like everybody else.
	ada := h.Joiner(t, owner, "ada")
	ada.Get(link).Is(200).Shows("Our boat")
	ada.Get(fmt.Sprintf("/media/%d?share=nothing", other.Media[0].ID)).Is(200)
}

func TestSharedPageTellsNothingElse(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	for range 20 { // so that the IDs of videos differ from those of files
		h.AddTask(t, 1, db.Failed)
	}
	film := h.KeptFilm(t, 1, "zebra secretly crossing")
	c := h.AddCollection(t, 1)
	must(t, h.Store.Collections.SetCollection(t.Context(), c.ID, "Whispered name", "For the fair", db.Now()))
	_, err := h.Store.Collections.AddToCollection(t.Context(), c.ID, 1, []int64{film.ID}, db.Now())
	must(t, err)
	h.Alter(t, film.ID, func(t *db.Task) { t.RemoteID, t.UpstreamID = "remote-77", "upstream-77" })
	for _, page := range []string{handlerstest.TaskPage(film), fmt.Sprintf("/collections/%d", c.ID)} {
		link := owner.Share(page, "Only this")
		shown := h.Stranger(t).Get(link).Is(200).Shows("Only this")
		shown.Shows("Kim Doe sent you").Hides("kim@", "zebra", "secretly", "crossing", "veo3", "Veo", "text-to-video", "credits",
			"remote-77", "upstream-77", "/tasks/", "/collections/", "/gallery", "/login")
		// The link's expiry date may contain any number.
		words := regexp.MustCompile(`<time datetime.*?</time>`).ReplaceAllString(shown.Text, "")
		if number := regexp.MustCompile(fmt.Sprintf(`\b(%d|30)\b`, film.ID)).FindString(words); number != "" {
			t.Errorf("%s: the page has the number %s", page, number)
		}
		for _, file := range shown.Files() {
			for name, values := range h.Stranger(t).Get(file + "?download=1").Is(200).Header {
				if value := strings.Join(values, " "); strings.Contains(value, "zebra") ||
					strings.Contains(value, fmt.Sprintf("dailies-%d.", film.ID)) {
					t.Errorf("%s: %s is %q", file, name, value)
				}
			}
		}
	}
}

func TestLinkEndsWithItsVideoOrWhenRevoked(t *testing.T) {
	for how, end := range map[string]func(t *testing.T, h *handlerstest.Server, owner *handlerstest.Browser, film db.Task){
		"taken back": func(t *testing.T, h *handlerstest.Server, owner *handlerstest.Browser, film db.Task) {
			owner.Post("/shares/1/revoke", url.Values{"next": {handlerstest.TaskPage(film)}}).Is(303).LeadsTo(handlerstest.TaskPage(film))
			owner.Get(handlerstest.TaskPage(film)).Is(200).Shows("Link turned off.")
			owner.Get(sharePage(film)).Is(200).Hides("/share/")
		},
		"in the bin": func(t *testing.T, h *handlerstest.Server, _ *handlerstest.Browser, film db.Task) {
			h.Alter(t, film.ID, func(t *db.Task) { t.DeletedAt, t.DeletedBy = db.Now(), 1 })
		},
		"private": func(t *testing.T, h *handlerstest.Server, _ *handlerstest.Browser, film db.Task) {
			h.Alter(t, film.ID, func(t *db.Task) { t.Private = true })
		},
		"gone for good": func(t *testing.T, h *handlerstest.Server, _ *handlerstest.Browser, film db.Task) {
			h.Alter(t, film.ID, func(t *db.Task) { t.DeletedAt, t.PurgedAt = db.Now(), db.Now() })
		},
	} {
		t.Run(how, func(t *testing.T) {
			h := handlerstest.New(t)
			owner := h.Founder(t)
			ada := h.Joiner(t, owner, "ada")
			film := h.KeptFilm(t, 1, "a paper boat")
			link := ada.Share(handlerstest.TaskPage(film), "Our boat")
			stranger := h.Stranger(t)
			files := stranger.Get(link).Is(200).Files()
			end(t, h, owner, film)
			unknown := stranger.Get("/share/ABCDEFGHIJKLMNOPQRSTUVWXYZ").Is(404)
			over := stranger.Get(link).Is(404).Shows("This link has ended", "Ask for a new one.")
			if over.Text != unknown.Text {
				t.Error("one can tell that there was a link")
			}
			if over.Header.Get("X-Robots-Tag") == "" || over.Header.Get("Cache-Control") != "private, no-store" {
				t.Errorf("headers %v", over.Header)
			}
			for _, file := range files {
				stranger.Get(file).Is(404)
				stranger.Get(file, "Range", "bytes=0-1").Is(404)
			}
		})
	}
}

func TestLinkExpires(t *testing.T) {
	h := handlerstest.New(t)
	h.Founder(t)
	film := h.KeptFilm(t, 1, "a paper boat")
	for _, left := range []time.Duration{time.Hour, -time.Second} {
		s := gallery.Share{Token: secrets.NewToken(), TaskID: film.ID, Title: "Boat", CreatedBy: 1, CreatedAt: db.Now().AddDate(0, 0, -7),
			ExpiresAt: db.Now().Add(left)}
		must(t, h.Store.Links.AddShare(t.Context(), &s))
		want := 200
		if left < 0 {
			want = 404
		}
		h.Stranger(t).Get("/share/" + s.Token).Is(want)
		h.Stranger(t).Get(fmt.Sprintf("/share/%s/media/%d", s.Token, film.Media[0].ID)).Is(want)
	}
}

func TestPrivateVideoIsSharedByItsMakerAlone(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	ada := h.Joiner(t, owner, "ada")
	film := h.KeptFilm(t, 2, "a paper boat")
	adas, owners := ada.Share(handlerstest.TaskPage(film), "From Ada"), owner.Share(handlerstest.TaskPage(film), "From Kim")
	h.Alter(t, film.ID, func(t *db.Task) { t.Private = true })
	stranger := h.Stranger(t)
	files := stranger.Get(adas).Is(200).Files()
	stranger.Get(files[0]).Is(200)
	stranger.Get(owners).Is(404)
	stranger.Get(fmt.Sprintf("%s/media/%d", owners, film.Media[0].ID)).Is(404)
	owner.Post(handlerstest.TaskPage(film)+"/share", url.Values{"title": {"x"}}).Is(404)
	ada.Get(sharePage(film)).Is(200).Shows("Off while the video is private", "From Kim")
	// An admin can revoke links to it, but learns nothing about it.
	owner.Get("/settings").Is(200).Shows("A private video", "/shares/1/revoke").Hides("From Ada", adas, owners, "paper boat",
		`href="/tasks/`)
	owner.Post("/shares/1/revoke", nil).Is(303).LeadsTo("/settings#links")
	stranger.Get(adas).Is(404)
	h.Alter(t, film.ID, func(t *db.Task) { t.Private = false })
	stranger.Get(owners).Is(200)
	h.Alter(t, film.ID, func(t *db.Task) { t.DeletedAt, t.DeletedBy = db.Now(), 2 })
	owner.Get("/settings").Is(200).Shows("A deleted video", "in the bin").Hides("A private video", `href="/tasks/`)
}

func TestWhoMayTakeBackWhichLink(t *testing.T) {
	h := handlerstest.New(t)
	root := h.Founder(t)
	people := map[string]*handlerstest.Browser{"root": root, "ada": h.Joiner(t, root, "ada"), "bo": h.Joiner(t, root, "bo"),
		"cy": h.Joiner(t, root, "cy")}
	film := h.KeptFilm(t, 2, "a paper boat") // made by Ada
	for name, want := range map[string]int{"root": 303, "ada": 303, "bo": 303, "cy": 404} {
		link := people["bo"].Share(handlerstest.TaskPage(film), "Boat")
		path := regexp.MustCompile(`/shares/\d+/revoke`).FindString(people["bo"].Get(sharePage(film)).Text)
		people[name].Post(path, nil).Is(want)
		h.Stranger(t).Get(link).Is(map[int]int{303: 404, 404: 200}[want])
		if want == 404 {
			if strings.Contains(people[name].Get(sharePage(film)).Text, path) {
				t.Errorf("%s is offered %s", name, path)
			}
			people["bo"].Post(path, nil).Is(303)
		}
	}
}

func TestFormOfALinkKeepsWhatWasTyped(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	film := h.KeptFilm(t, 1, "a paper boat")
	c := h.AddCollection(t, 1)
	_, err := h.Store.Collections.AddToCollection(t.Context(), c.ID, 1, []int64{film.ID}, db.Now())
	must(t, err)
	for _, page := range []string{handlerstest.TaskPage(film), fmt.Sprintf("/collections/%d", c.ID)} {
		long := strings.Repeat("é", db.MaxTitle+1)
		owner.Post(page+"/share", url.Values{"title": {long}, "days": {"90"}}).Is(422).Shows(long, "letters at most").
			Has("[value=90][checked]")
		for _, days := range []string{"2", "-1", "x", "99999999999999999999"} {
			owner.Post(page+"/share", url.Values{"title": {"Kept title"}, "days": {days}}).Is(422).
				Shows("Kept title", "Choose one of these")
		}
		owner.Post(page+"/share", url.Values{"title": {long[:db.MaxTitle]}}).Is(303)
	}
	list, err := h.Store.Links.Shares(t.Context(), 1, db.Now(), 10)
	must(t, err)
	for _, s := range list {
		if d := s.ExpiresAt.Sub(s.CreatedAt); d != gallery.UsualShareDays*24*time.Hour || s.Token != "" || len(s.Sealed) < 26 {
			t.Errorf("a link lives %v, sealed as %q", d, s.Sealed)
		}
	}
	if len(list) != 2 {
		t.Errorf("%d links", len(list))
	}
}

func TestCollectionIsSharedAsItIsNow(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	ada := h.Joiner(t, owner, "ada")
	one, two, mine := h.KeptFilm(t, 1, "boat"), h.KeptFilm(t, 2, "kite"), h.KeptFilm(t, 1, "secret")
	h.Alter(t, mine.ID, func(t *db.Task) { t.Private = true })
	c := h.AddCollection(t, 1)
	page := fmt.Sprintf("/collections/%d", c.ID)
	add := func(ids ...int64) {
		t.Helper()
		_, err := h.Store.Collections.AddToCollection(t.Context(), c.ID, 1, ids, db.Now())
		must(t, err)
	}
	add(mine.ID)
	owner.Post(page+"/share", url.Values{"title": {"x"}}).Is(409)
	add(one.ID)
	link := ada.Share(page, "Both")
	stranger := h.Stranger(t)
	address := func(t db.Task) string {
		return fmt.Sprintf("%s/media/%d", link, t.Media[0].ID)
	}
	stranger.Get(link).Is(200).Shows("Video 1 of 1")
	stranger.Get(address(two)).Is(404)
	stranger.Get(address(mine)).Is(404)
	add(two.ID)
	body := stranger.Get(link).Is(200).Shows("Video 1 of 2", "Video 2 of 2").Text
	if strings.Index(body, fmt.Sprintf("/media/%d\"", one.Media[0].ID)) > strings.Index(body, fmt.Sprintf("/media/%d\"", two.Media[0].ID)) {
		t.Error("not in the order of the collection")
	}
	stranger.Get(address(two)).Is(200)
	ada.Post(page+"/remove", url.Values{"id": {fmt.Sprint(one.ID), fmt.Sprint(two.ID)}}).Is(303)
	stranger.Get(address(two)).Is(404)
	stranger.Get(link).Is(200).Shows("Nothing in here right now")
	add(one.ID)
	owner.Post(page+"/delete", nil).Is(303).LeadsTo("/collections")
	stranger.Get(link).Is(404)
	stranger.Get(address(one)).Is(404)
	owner.Get(handlerstest.TaskPage(one)).Is(200)
	ada.Get("/settings").Is(200).Hides(link)
	owner.Post(page+"/restore", nil).Is(303).LeadsTo(page)
	stranger.Get(link).Is(200).Shows("Video 1 of 1")
	stranger.Get(address(one)).Is(200)
	ada.Get("/settings").Is(200).Shows(link)
}

func TestSettingsListTheLinks(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	ada := h.Joiner(t, owner, "ada")
	film := h.KeptFilm(t, 1, "a paper boat")
	owners, adas := owner.Share(handlerstest.TaskPage(film), "By Kim"), ada.Share(handlerstest.TaskPage(film), "By Ada")
	ada.Get("/settings").Is(200).Shows("Anyone with a link can watch.", adas, h.URL).Hides("The team’s links", owners, "By Kim")
	owner.Get("/settings").Is(200).Shows("The team’s links.", adas, owners)
}

func TestLinkSaysNothingOfTheVideoUnlessItsMakerDoes(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	film := h.KeptFilm(t, 1, "zebra secretly crossing")
	c := h.AddCollection(t, 1)
	must(t, h.Store.Collections.SetCollection(t.Context(), c.ID, "Whispered name", "", db.Now()))
	_, err := h.Store.Collections.AddToCollection(t.Context(), c.ID, 1, []int64{film.ID}, db.Now())
	must(t, err)
	for page, heading := range map[string]string{handlerstest.TaskPage(film): "A video for you",
		fmt.Sprintf("/collections/%d", c.ID): "Whispered name"} {
		_, form, _ := strings.Cut(owner.Get(page+"/share").Is(200).Text, `/share" data-share-make`)
		if form, _, _ = strings.Cut(form, "</form>"); !strings.Contains(form, `name="title"`) || strings.Contains(form, "zebra") ||
			strings.Contains(form, "Whispered") {
			t.Errorf("%s: the form proposes a title: %s", page, form)
		}
		link := owner.Share(page, " ")
		h.Stranger(t).Get(link).Is(200).Shows(">"+heading, "<title>"+heading).Hides("zebra", "crossing")
		owner.Get(page + "/share").Is(200).Shows(link)
		h.Joiner(t, owner, fmt.Sprintf("guest-of-%s", strings.Trim(strings.ReplaceAll(page, "/", "-"), "-"))).Get(page+"/share").Is(200).
			Shows("without a title", link)
	}
}

// Neither a copy of the database nor a token copied to another row reveals a working
// link.
func TestTokensOfLinksAreSealed(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	ada := h.Joiner(t, owner, "ada")
	film := h.KeptFilm(t, 1, "a paper boat")
	link := owner.Share(handlerstest.TaskPage(film), "Boat")
	owner.Get("/settings").Is(200).Shows(link)
	ada.Get(sharePage(film)).Is(200).Shows(link)
	token := strings.TrimPrefix(link, "/share/")
	for _, path := range []string{h.Database, h.Database + "-wal"} {
		if content, err := os.ReadFile(path); err != nil || bytes.Contains(content, []byte(token)) {
			t.Errorf("%s: the token is in the clear, or %v", path, err)
		}
	}
	s, err := h.Store.Links.Share(t.Context(), 1)
	must(t, err)
	if _, err := h.Config.Vault.OpenToken(2, s.Sealed); err == nil {
		t.Error("it opens for another person")
	}
	if _, err := h.Config.Vault.Open(1, s.Sealed); err == nil {
		t.Error("it can be taken for an API key")
	}
}

func TestLinkWorksWithoutTheSecretItWasSealedWith(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	film := h.KeptFilm(t, 1, "a paper boat")
	link := owner.Share(handlerstest.TaskPage(film), "Our boat")
	other, err := secrets.NewVault([]byte("the secret of another house"))
	must(t, err)
	h.Restart(t, func(c *handlers.Config) { c.Vault = other })
	h.Stranger(t).Get(link).Is(200).Shows("Our boat")
	for _, page := range []string{sharePage(film), "/settings"} {
		owner.Get(page).Is(200).Shows("Our boat", "we can’t show it", "/shares/1/revoke").Hides("/share/")
	}
	again := owner.Share(handlerstest.TaskPage(film), "Again")
	owner.Get(sharePage(film)).Is(200).Shows(again)
	owner.Post("/shares/1/revoke", nil).Is(303)
	h.Stranger(t).Get(link).Is(404)
}

// head returns the meta tags of the page, by property or name.
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
	h := handlerstest.New(t)
	owner := h.Founder(t)
	film := h.KeptFilm(t, 1, "a paper boat")
	link := owner.Share(handlerstest.TaskPage(film), `Our "boat"`)
	tags := head(t, h.Stranger(t).Get(link).Is(200).Text)
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
		if got := h.Stranger(t).Get(path).Is(200).Header.Get("Content-Type"); got != kind {
			t.Errorf("%s is %s", name, got)
		}
	}
	public := h.With(t, func(c *handlers.Config) { c.PublicURL = "https://dailies.example.com" })
	tags = head(t, public.Stranger(t).Get(link).Is(200).Text)
	if !strings.HasPrefix(tags["og:image"], "https://dailies.example.com/share/") || tags["og:url"] != "https://dailies.example.com"+link {
		t.Errorf("with a public address: %v", tags)
	}
}

// A link to a collection shows the first of its videos that has a cover, and plays none.
func TestAPostedLinkToACollectionHasItsFirstPicture(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	c := h.AddCollection(t, 1)
	var films []int64
	for _, prompt := range []string{"a boat", "a tram", "a kite"} {
		films = append(films, h.KeptFilm(t, 1, prompt).ID)
	}
	_, err := h.Store.Collections.AddToCollection(t.Context(), c.ID, 1, films, db.Now())
	must(t, err)
	page := h.Stranger(t).Get(owner.Share(fmt.Sprintf("/collections/%d", c.ID), "Spring")).Is(200)
	tags, files := head(t, page.Text), page.Files() // a film, and then its cover
	if len(files) < 6 || !strings.HasSuffix(tags["og:image"], files[1]) || tags["og:video"] != "" {
		t.Errorf("the preview is %q and %q, and the page has %q", tags["og:image"], tags["og:video"], files)
	}
	link := owner.Share(fmt.Sprintf("/collections/%d", c.ID), "Spring", "password", "a long enough one")
	if locked := h.Stranger(t).Get(link).Is(200); head(t, locked.Text)["og:image"] != "" {
		t.Error("the picture is shown before the password")
	}
}

func TestPostedLinkWithoutACoverHasNoPicture(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	film := h.AddTask(t, 1, db.Success)
	film = h.Alter(t, film.ID, func(task *db.Task) {
		task.Keeping, task.Media = db.Kept, append(task.Media, h.File(t, db.Video, "video/webm", []byte("film")))
	})
	page := h.Stranger(t).Get(owner.Share(handlerstest.TaskPage(film), "Boat")).Is(200).Shows("#t=0.1").Hides("poster")
	if tags := head(t, page.Text); tags["og:image"] != "" || tags["twitter:card"] != "summary" || tags["og:video"] == "" {
		t.Errorf("tags %v", tags)
	}
}

func TestALinkTooManyIsRefused(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	film := h.KeptFilm(t, 1, "a paper boat")
	for range gallery.MaxShares {
		owner.Post(handlerstest.TaskPage(film)+"/share", nil).Is(303)
	}
	owner.Post(handlerstest.TaskPage(film)+"/share", nil).Is(422).Shows("50 links is the most")
}

// once sends the form of the page with the links, as its button does, and returns the ID of
// the link that is chosen then.
func once(t *testing.T, p *handlerstest.Browser, page, title, after string) string {
	t.Helper()
	a := p.Post(page+"/share", url.Values{"title": {title}, "days": {"7"}, "after": {after}}, "HX-Request-Type", "partial").Is(200).
		Has("#share-address")
	return regexp.MustCompile(`/shares/(\d+)"`).FindStringSubmatch(a.Text)[1]
}

func TestCopyingTwiceMakesOneLink(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	ada := h.Joiner(t, owner, "ada")
	film := h.KeptFilm(t, 1, "a paper boat")
	c := h.AddCollection(t, 1)
	_, err := h.Store.Collections.AddToCollection(t.Context(), c.ID, 1, []int64{film.ID}, db.Now())
	must(t, err)
	for i, page := range []string{handlerstest.TaskPage(film), fmt.Sprintf("/collections/%d", c.ID), fmt.Sprintf("/story/%d", film.ID)} {
		owner.Get(page+"/share").Is(200).Has(`form[data-share-make]`, `[name="after"][value="0"]`)
		first := once(t, owner, page, "For Mara", "0")
		if again := once(t, owner, page, "For Tom", "0"); again != first {
			t.Errorf("%s: a second press made link %s beside %s", page, again, first)
		}
		owner.Post(page+"/share", url.Values{"title": {"For Tom"}, "after": {"0"}}).Is(303).LeadsTo(page + "/share")
		owner.Get(page+"/share").Is(200).Shows("For Mara").Hides("For Tom", "Make link").Has("#share-address")
		if other := once(t, ada, page, "", "0"); other == first {
			t.Errorf("%s: another person gets the same link", page)
		}
		owner.Get(page+"/share?another=on").Is(200).Has(fmt.Sprintf(`[name="after"][value="%s"]`, first)).Shows("For Mara", "Make link")
		second := once(t, owner, page, "For Tom", first)
		if again := once(t, owner, page, "For Tom", first); again != second || second == first {
			t.Errorf("%s: link %s after %s and %s", page, again, first, second)
		}
		owner.Get(page + "/share?link=" + first).Is(200).Has(fmt.Sprintf(`form[action="/shares/%s"]`, first))
		list, err := h.Store.Links.Shares(t.Context(), 0, db.Now(), 100)
		must(t, err)
		if len(list) != 3*(i+1) {
			t.Errorf("%s: there are %d links", page, len(list))
		}
	}
}

func TestALinkIsChangedWhereItIsCopied(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	ada, bo := h.Joiner(t, owner, "ada"), h.Joiner(t, owner, "bo")
	film := h.KeptFilm(t, 2, "a paper boat")
	link := ada.Share(handlerstest.TaskPage(film), "For Mara")
	now := func() gallery.Share {
		t.Helper()
		s, err := h.Store.Links.Share(t.Context(), 1)
		must(t, err)
		return s
	}
	before := now()
	ada.Post("/shares/1", url.Values{"title": {"For Tom"}, "next": {sharePage(film)}}).Is(303).LeadsTo(sharePage(film))
	h.Stranger(t).Get(link).Is(200).Shows("For Tom")
	if s := now(); !s.ExpiresAt.Equal(before.ExpiresAt) {
		t.Errorf("a new title moves its end from %v to %v", before.ExpiresAt, s.ExpiresAt)
	}
	ada.Post("/shares/1", url.Values{"days": {"90"}}, "HX-Request-Type", "partial").Is(200).Shows("Saved.").Hides("<html")
	if s := now(); s.Title != "For Tom" || s.ExpiresAt.Sub(db.Now()) < 89*24*time.Hour {
		t.Errorf("it is %+v", s)
	}
	for name, form := range map[string]url.Values{
		"a long title": {"title": {strings.Repeat("é", db.MaxTitle+1)}}, "a blank title": {"title": {"\u2800"}},
		"other days": {"days": {"2"}}, "no number": {"days": {"x"}},
	} {
		ada.Post("/shares/1", form).Is(422)
		if s := now(); s.Title != "For Tom" {
			t.Errorf("%s is kept: %+v", name, s)
		}
	}
	bo.Post("/shares/1", url.Values{"title": {"Mine"}}).Is(404)
	h.Alter(t, film.ID, func(t *db.Task) { t.Private = true })
	owner.Post("/shares/1", url.Values{"title": {"Mine"}}).Is(404) // an admin does not see it
	ada.Post("/shares/1", url.Values{"title": {""}}).Is(303)
	ada.Post("/shares/1/revoke", nil).Is(303)
	ada.Post("/shares/1", url.Values{"days": {"90"}}).Is(404)
	h.Stranger(t).Get(link).Is(404)
}

func TestAStorylineIsShared(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	ada := h.Joiner(t, owner, "ada")
	ids := handlerstest.Story(t, h, handlerstest.Rendered(t, "one", 64), handlerstest.Rendered(t, "two", 64),
		handlerstest.Rendered(t, "three", 64))
	lone := h.KeptFilm(t, 1, "alone")
	link := ada.Share(handlerstest.StoryPath(ids[2]), "Morning tea")
	ada.Get(handlerstest.StoryPath(ids[0]) + "/share").Is(200).Shows(link) // from the page of each scene
	ada.Get(fmt.Sprintf("/tasks/%d/share", ids[0])).Is(200).Hides(link)
	stranger := h.Stranger(t)
	stranger.Get(link).Is(200).Shows("Morning tea").Hides("part 1", "part 2", "/tasks/", "/story/")
	file := func(id int64) string {
		task, err := h.Store.Tasks.Task(t.Context(), id)
		must(t, err)
		return fmt.Sprintf("%s/media/%d", link, task.Media[0].ID)
	}
	for _, id := range ids {
		stranger.Get(file(id)).Is(200)
	}
	stranger.Get(file(lone.ID)).Is(404)
	owner.Post(handlerstest.StoryPath(ids[0]), handlerstest.Cuts(fmt.Sprintf("%d 13 24", ids[0]), fmt.Sprintf("%d 1 24", ids[1]),
		fmt.Sprintf("%d 1 24", ids[2]))).Is(303)
	stranger.Get(link).Is(200).Has(`[data-from="0.5000"][data-to]`) // the second half of the first scene
	// A cut is that of one take.
	owner.Post(fmt.Sprintf("/tasks/%d/stack", lone.ID), url.Values{"with": {fmt.Sprint(ids[0])}}).Is(303)
	ada.Post("/shares/1", url.Values{"takes": {"on"}}).Is(303)
	stranger.Get(fmt.Sprintf("%s?take=%d", link, ids[0])).Is(200).Has(`[data-from="0.5000"][data-to]`)
	stranger.Get(fmt.Sprintf("%s?take=%d", link, lone.ID)).Is(200).Has("#takes a").Lacks(`[data-from="0.5000"]`)
	owner.Post(fmt.Sprintf("/tasks/%d/stack", lone.ID), url.Values{"with": {""}}).Is(303)
	form := handlerstest.Cuts(fmt.Sprintf("%d 1 24", ids[0]), fmt.Sprintf("%d 1 24", ids[2]))
	form.Set("out", fmt.Sprint(ids[1]))
	owner.Post(handlerstest.StoryPath(ids[0]), form).Is(303)
	stranger.Get(file(ids[1])).Is(404)
	h.Alter(t, ids[2], func(t *db.Task) { t.Private = true })
	stranger.Get(file(ids[2])).Is(404)
	stranger.Get(link).Is(200)
	h.Alter(t, ids[0], func(t *db.Task) { t.Private = true })
	stranger.Get(link).Is(404)
	ada.Post(handlerstest.StoryPath(ids[1])+"/share", nil).Is(409)
	h.Alter(t, ids[0], func(t *db.Task) { t.Private = false })
	stranger.Get(link).Is(200)
	ada.Get("/settings").Is(200).Shows(link, "Morning tea").Has(fmt.Sprintf(`a[href="/story/%d"]`, ids[0]))
	ada.Post("/shares/1/revoke", nil).Is(303)
	stranger.Get(link).Is(404)
	stranger.Get(file(ids[0])).Is(404)
}

func TestMakersChooseWhatGuestsMayDo(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	film := h.KeptFilm(t, 1, "a paper boat")
	decide := `[name="may"][value="decide"]`
	owner.Get(handlerstest.TaskPage(film) + "/share").Is(200).Has(decide)
	owner.Get(fmt.Sprintf("/story/%d/share", film.ID)).Is(200).Has(decide)
}

// A form without a script comes back with what was typed.
func TestAChangeOfALinkThatIsRefusedComesBack(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	film := h.KeptFilm(t, 1, "a paper boat")
	c := h.AddCollection(t, 1)
	_, err := h.Store.Collections.AddToCollection(t.Context(), c.ID, 1, []int64{film.ID}, db.Now())
	must(t, err)
	long := strings.Repeat("x", 300)
	for i, page := range []string{handlerstest.TaskPage(film), fmt.Sprintf("/collections/%d", c.ID), fmt.Sprintf("/story/%d", film.ID)} {
		owner.Share(page, "For Mara")
		change := fmt.Sprintf("/shares/%d", i+1)
		refused := owner.Post(change, url.Values{"title": {long}, "welcome": {"Good morning"}, "password": {"abc"}}).Is(422)
		refused.Has(`form[action="`+change+`"]`, `[name="title"][aria-invalid="true"]`, `[name="password"][aria-invalid="true"]`,
			`[name="title"][value="`+long+`"]`).Shows("Good morning")
		owner.Get(page+"/share").Is(200).Shows("For Mara").Hides(long, "Good morning")
	}
}

// The page of a link says who has answered; a guest is removed with everything they wrote.
func TestAGuestIsRemovedWithEverythingTheyWrote(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	film := h.KeptFilm(t, 1, "a boat")
	page := fmt.Sprintf("/tasks/%d", film.ID)
	link, other := kim.Share(page, "For the fair", "may", "decide"), kim.Share(page, "Another", "may", "decide")
	mara, tom, jo := h.Stranger(t), h.Stranger(t), h.Stranger(t)
	note := func(words, name string) url.Values {
		return url.Values{"task": {fmt.Sprint(film.ID)}, "at": {"0"}, "body": {words}, "name": {name}}
	}
	mara.Post(link+"/notes", note("A larger sail", "Mara <b>")).Is(303)
	mara.Post(link+"/verdict", url.Values{"task": {fmt.Sprint(film.ID)}, "verdict": {"changes"}, "body": {"the sail"}}).Is(303)
	tom.Post(link+"/notes", note("Fine", "Tom")).Is(303)
	jo.Post(other+"/notes", note("Elsewhere", "Jo")).Is(303)
	kim.Get(page+"/share?link=1").Is(200).Shows("Mara &lt;b&gt;", "(name typed by a guest)", "Changes wanted", "No answer yet", "1 note").
		Has(`form[action="/shares/1/guests/1/remove"]`, `form[action="/shares/1/guests/2/remove"]`,
			`form[action="/shares/2/guests/3/remove"]`)
	ada.Get(page + "/share").Is(200).Shows("Tom").Lacks(`form[action="/shares/1/guests/1/remove"]`)
	ada.Post("/shares/1/guests/1/remove", nil).Is(404)
	kim.Post("/shares/1/guests/3/remove", nil).Is(404) // of another link
	kim.Post("/shares/1/guests/99/remove", nil).Is(404)
	kim.Post("/shares/1/guests/x/remove", nil).Is(404)
	kim.Post("/shares/1/guests/1/remove", nil).Is(303)
	kim.Post("/shares/1/guests/1/remove", nil).Is(404)
	kim.Get(page+"/notes").Is(200).Hides("A larger sail", "Mara").Shows("Fine", "Elsewhere")
	kim.Get("/gallery?verdict=changes").Is(200).Lacks(fmt.Sprintf("#task-%d", film.ID))
	mara.Get(link).Is(200).Hides("A larger sail").Has("#note-name") // nobody is remembered
	entries, err := h.Store.Audit.Entries(t.Context(), audit.Search{Action: audit.GuestRemoved, Limit: 9})
	if err != nil || len(entries) != 1 || strings.Contains(entries[0].What+entries[0].Before, "Mara") {
		t.Errorf("%+v, %v", entries, err)
	}
}

func TestALinkThatHasEndedIsBroughtBack(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	film := h.KeptFilm(t, 1, "a boat")
	page := fmt.Sprintf("/tasks/%d", film.ID)
	link := kim.Share(page, "For the fair")
	kim.Get(page + "/share").Is(200).Lacks(`form[action="/shares/1/back"]`)
	kim.Post("/shares/1/revoke", nil).Is(303)
	h.Stranger(t).Get(link).Is(404)
	kim.Get(page+"/share").Is(200).Has(`form[action="/shares/1/back"]`).Shows("For the fair", "Turned off, ").Hides(link)
	ada.Get(page + "/share").Is(200).Lacks(`form[action="/shares/1/back"]`)
	ada.Post("/shares/1/back", nil).Is(404)
	kim.Post("/shares/1/back", nil).Is(303)
	h.Stranger(t).Get(link).Is(200).Shows("For the fair")
	kim.Post("/shares/1/back", nil).Is(303) // it works already
	entries, err := h.Store.Audit.Entries(t.Context(), audit.Search{Action: audit.ShareBack, Limit: 9})
	if err != nil || len(entries) != 1 {
		t.Errorf("%+v, %v", entries, err)
	}
}

func TestLinksOfYesterdayGoOnAndAreCopiedAgain(t *testing.T) {
	l := handlerstest.Yesterday(t)
	for range 2 { // the second start has nothing left to upgrade
		h := handlerstest.NewAt(t, l.Dir)
		page := handlerstest.OldBrowser(t, h, l.Person(t, "admin")).Get("/settings").Is(200)
		for _, s := range l.Shares {
			if s.Title != "Taken back" {
				page.Shows("/share/" + s.Token)
			}
		}
		must(t, errors.Join(h.Store.Close(), h.Sandbox.Close()))
	}
	for _, name := range []string{"dailies.db", "dailies.db-wal"} {
		content, err := os.ReadFile(l.Dir + "/" + name)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		for _, s := range l.Shares {
			if bytes.Contains(content, []byte(s.Token)) {
				t.Errorf("%s: the token of link %d is in the clear", name, s.ID)
			}
		}
	}
}

func TestTitleOfYesterdayIsNotThePrompt(t *testing.T) {
	l := handlerstest.Yesterday(t)
	h := handlerstest.NewAt(t, l.Dir)
	cleared := 0
	for _, s := range l.Shares {
		if s.Title == "Taken back" {
			continue
		}
		page := h.Stranger(t).Get("/share/" + s.Token).Is(200)
		begins := false
		for _, task := range l.Tasks {
			begins = begins || strings.HasPrefix(task.Prompt, strings.TrimSuffix(s.Title, "…"))
		}
		if begins {
			cleared++
			page.Shows(">A video for you</h1>").Hides(strings.TrimSuffix(s.Title, "…"))
		} else {
			page.Shows(">" + s.Title)
		}
	}
	if cleared == 0 {
		t.Error("no title of the folder begins its prompt")
	}
}
