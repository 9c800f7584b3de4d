package room_test

import (
	"bytes"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/secrets"
	"dailies/db/team"
	"dailies/handlers/handlerstest"
)

// logo returns a picture in the format.
func logo(t *testing.T, format string, side int) []byte {
	t.Helper()
	var b bytes.Buffer
	picture := image.NewNRGBA(image.Rect(0, 0, side, side))
	switch format {
	case "png":
		must(t, png.Encode(&b, picture))
	case "gif":
		must(t, gif.Encode(&b, picture, nil))
	case "noise":
		random := rand.New(rand.NewPCG(1, 2))
		for i := range picture.Pix {
			picture.Pix[i] = byte(random.Uint32())
		}
		must(t, png.Encode(&b, picture))
	case "jpeg":
		must(t, jpeg.Encode(&b, picture, nil))
	}
	return b.Bytes()
}

func brand(p *handlerstest.Browser, name, colour string, picture []byte) *handlerstest.Answer {
	form := url.Values{"name": {name}, "colour": {colour}}
	if picture == nil {
		return p.Post("/team/brand", form)
	}
	return p.Upload("/team/brand", form, []handlerstest.File{{Field: "logo", Name: "logo", Content: picture}})
}

func TestGuestsSeeWhoSentALink(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	ada := h.Joiner(t, owner, "ada")
	film := h.KeptFilm(t, 2, "zebra secretly crossing")
	link := ada.Share(page(film), "", "welcome", "Watch it\nwith <sound>.")
	guest := h.Stranger(t)
	guest.Get(link).Is(200).Shows(">A video for you<", "ada sent you a video", "Watch it\nwith &lt;sound&gt;.", ">Dailies<").Hides("brand.css", "/logo", "zebra", "ada@")
	guest.Get(link + "/brand.css").Is(200).Hides("--brand")
	guest.Get(link + "/logo").Is(404)

	brand(ada, "Mine", "#0b6157", nil).Is(404)
	brand(owner, " Nordlicht <Studio> ", "#0B6157", logo(t, "png", 40)).Is(303).LeadsTo("/team/brand")
	owner.Get("/team/brand").Is(200).Has(`[name=name][value="Nordlicht <Studio>"]`, `[name=colour][value="#0B6157"]`, `img.team-logo`)
	shown := guest.Get(link).Is(200).Shows("ada from Nordlicht &lt;Studio&gt; sent you a video", ">A video from Nordlicht &lt;Studio&gt;<").
		Has(fmt.Sprintf(`link[href="%s/brand.css"]`, link), fmt.Sprintf(`img[src="%s/logo"][width="40"][alt=""]`, link), `meta[content="Nordlicht <Studio>"]`)
	shown.Hides("style=", "zebra")
	style := guest.Get(link + "/brand.css").Is(200).Shows("--brand:light-dark(#0b6157,")
	if got := style.Header.Get("Content-Type"); got != "text/css; charset=utf-8" {
		t.Errorf("the style is %q", got)
	}
	guest.Get(link+"/brand.css", "If-None-Match", style.Header.Get("ETag")).Is(304)
	picture := guest.Get(link + "/logo").Is(200)
	if picture.Header.Get("Content-Type") != "image/png" || picture.Text != string(logo(t, "png", 40)) {
		t.Errorf("the logo is %v", picture.Header)
	}
	ada.Get("/team/logo").Is(404)
	owned := owner.Get("/team/logo").Is(200)
	for name, a := range map[string]*handlerstest.Answer{"a guest": picture, "an admin": owned} {
		if kind, tag := a.Header.Get("Content-Type"), a.Header.Get("ETag"); kind != "image/png" || len(tag) < 10 || !strings.Contains(a.Header.Get("Cache-Control"), "private") {
			t.Errorf("%s gets %v", name, a.Header)
		}
	}
	guest.Get(link+"/logo", "If-None-Match", picture.Header.Get("ETag")).Is(304)
	owner.Get("/team/logo", "If-None-Match", owned.Header.Get("ETag")).Is(304)

	locked := ada.Share(page(film), "For Mara", "password", password)
	guest.Get(locked).Is(200).Shows("Nordlicht &lt;Studio&gt; sent you a video", "Enter the password from ada.").Hides("For Mara")
	guest.Get(locked + "/logo").Is(200)
	guest.Get(locked + "/brand.css").Is(200).Shows("--brand")

	// A link from before names nobody, until it is changed.
	early := gallery.Share{Token: secrets.NewToken(), TaskID: film.ID, Download: true, CreatedBy: 2, CreatedAt: db.Now(), ExpiresAt: db.Now().AddDate(0, 0, 7)}
	must(t, h.Store.Links.AddShare(t.Context(), &early))
	old := "/share/" + early.Token
	guest.Get(old).Is(200).Shows(">A video for you<", "Download").Hides("ada sent", "Nordlicht", "brand.css", "/logo")
	guest.Get(old + "/logo").Is(404)
	guest.Get(old + "/brand.css").Is(200).Hides("--brand")
	ada.Get(page(film) + fmt.Sprintf("/share?link=%d", early.ID)).Is(200)
	ada.Post(fmt.Sprintf("/shares/%d", early.ID), url.Values{"days": {"30"}}).Is(303)
	guest.Get(old).Is(200).Shows("A video from Nordlicht").Hides("Download")
}

func TestABrandIsCheckedAndKept(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	is := func(want team.Brand) {
		t.Helper()
		got, err := h.Store.Settings.Brand(t.Context())
		must(t, err)
		got.Logo.Hash = ""
		if got != want {
			t.Errorf("it is %+v, want %+v", got, want)
		}
	}
	for name, tt := range map[string]struct {
		name, colour, says string
		picture            []byte
	}{
		"no colour":      {"Nordlicht", "teal", "Use a colour such as", nil},
		"a short colour": {"Nordlicht", "#fff", "Use a colour such as", nil},
		"a style":        {"Nordlicht", "#0b6157;}", "Use a colour such as", nil},
		"a long name":    {strings.Repeat("é", team.MaxTeamName+1), "#0b6157", "60 letters at most", nil},
		"a GIF":          {"Nordlicht", "#0b6157", "PNG, JPEG or WebP", logo(t, "gif", 8)},
		"no picture":     {"Nordlicht", "#0b6157", "PNG, JPEG or WebP", []byte("<svg onload=alert(1)>")},
		"half a picture": {"Nordlicht", "#0b6157", "damaged", logo(t, "png", 40)[:50]},
		"a large one":    {"Nordlicht", "#0b6157", "512 KB at most", logo(t, "noise", 500)},
	} {
		a := brand(owner, tt.name, tt.colour, tt.picture)
		if a.StatusCode != 422 {
			t.Errorf("%s: %d", name, a.StatusCode)
		}
		a.Shows(tt.says, tt.name)
		is(team.Brand{})
	}
	brand(owner, "Nordlicht", "#853a03", nil).Is(303) // the usual colour is no choice
	is(team.Brand{Name: "Nordlicht"})
	photo := handlerstest.Photo(t, 60, 30) // with the place where it was taken
	brand(owner, "Nordlicht", "#ffd400", photo).Is(303)
	is(team.Brand{Name: "Nordlicht", Colour: "#ffd400", Logo: team.Logo{Type: "image/jpeg", Width: 60, Height: 30}})
	if kept := owner.Get("/team/logo").Is(200).Text; strings.Contains(kept, handlerstest.Position) {
		t.Error("the logo tells where it was taken")
	}
	brand(owner, "Südlicht", "#ffd400", nil).Is(303) // keeps the logo
	is(team.Brand{Name: "Südlicht", Colour: "#ffd400", Logo: team.Logo{Type: "image/jpeg", Width: 60, Height: 30}})
	owner.Post("/team/brand", url.Values{"name": {""}, "colour": {"#ffd400"}, "no_logo": {"on"}}).Is(303)
	is(team.Brand{Colour: "#ffd400"})
	owner.Get("/team/logo").Is(404)
}

// The shades of a colour are legible on the backgrounds that the style sheet has.
func TestThemesHaveTheBackgroundsOfTheStyleSheet(t *testing.T) {
	text, err := os.ReadFile("../../static/app.css")
	must(t, err)
	themes := map[team.Theme]map[string]bool{team.Light: {}, team.Dark: {}}
	for theme := range themes {
		for _, c := range theme.Backgrounds() {
			themes[theme][c.String()] = false
		}
	}
	found := regexp.MustCompile(`--(?:well|stage|paper|card|raised|active): light-dark\((#\w{6}), (#\w{6})\)`).FindAllStringSubmatch(string(text), -1)
	if len(found) != 6 {
		t.Fatalf("the style sheet has %d backgrounds", len(found))
	}
	for _, one := range found {
		for theme, colour := range map[team.Theme]string{team.Light: one[1], team.Dark: one[2]} {
			if _, is := themes[theme][colour]; !is {
				t.Errorf("theme %d lacks the background %s", theme, colour)
			}
			themes[theme][colour] = true
		}
	}
	for theme, colours := range themes {
		for colour, is := range colours {
			if !is {
				t.Errorf("theme %d has the background %s, which no page has", theme, colour)
			}
		}
	}
}

func TestWhatALinkDoesNotAllowIsNotOffered(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	film := h.KeptFilm(t, 1, "a paper boat")
	owner.Post(page(film)+"/share", url.Values{"title": {"Watch only"}}).Is(303)
	s, err := h.Store.Links.Share(t.Context(), 1)
	must(t, err)
	if s.May != gallery.Look || s.Download || s.Takes || s.Password != "" || !s.Named {
		t.Errorf("a link has by itself %+v", s)
	}
	link := regexp.MustCompile(`/share/[A-Z0-9]{26}`).FindString(owner.Get(page(film) + "/share").Is(200).Text)
	file := h.Stranger(t).Get(link).Is(200).Lacks("[data-reel-download]").Has("[controlslist=nodownload]").Files()[0]
	h.Stranger(t).Get(file).Is(200)
	h.Stranger(t).Get(file + "?download=1").Is(403).Shows("Downloads are off")
	for name, form := range map[string]url.Values{
		"a short password": {"password": {"abc"}}, "a long password": {"password": {strings.Repeat("x", 201)}},
		"another right": {"may": {"everything"}}, "a long welcome": {"welcome": {strings.Repeat("é", 201)}},
	} {
		if a := owner.Post(page(film)+"/share", form); a.StatusCode != 422 {
			t.Errorf("%s: %d", name, a.StatusCode)
		}
		if a := owner.Post("/shares/1", form); a.StatusCode != 422 {
			t.Errorf("a change to %s: %d", name, a.StatusCode)
		}
	}
	owner.Post("/shares/1", url.Values{"may": {"decide"}, "takes": {"on"}, "welcome": {"Hello"}, "download": {"on"}, "password": {password}}).Is(303)
	s, err = h.Store.Links.Share(t.Context(), 1)
	must(t, err)
	if s.May != gallery.Decide || !s.Download || !s.Takes || s.Welcome != "Hello" || s.Title != "Watch only" || !strings.HasPrefix(s.Password, "$argon2id$") {
		t.Errorf("it became %+v", s)
	}
	owner.Get(page(film)+"/share").Is(200).Has("[name=no_password]", "[name=download][checked]").Hides(password, "argon2id")
	owner.Get("/settings").Is(200).Shows("· password").Hides("argon2id")
}

func TestAnAdminDecidesWhetherGuestsReadMadeWithAI(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	ada := h.Joiner(t, owner, "ada")
	link := ada.Share(page(h.KeptFilm(t, 2, "a boat")), "")
	guest := h.Stranger(t)
	was := guest.Get(link).Is(200).Has("span.ai", `meta[name=description][content="A video, made with AI"]`).Shows("<span>Made with AI</span>")
	owner.Get("/team/brand").Is(200).Has("[name=made_with_ai][checked]").Shows("EU AI Act, article 50", "GB 45438-2025")

	quiet := url.Values{"producer": {""}}
	ada.Post("/team/labels", quiet).Is(404)
	owner.Post("/team/labels", quiet).Is(303).LeadsTo("/team/brand#labels")
	owner.Get("/team/brand").Is(200).Has("[name=made_with_ai]").Lacks("[name=made_with_ai][checked]")
	guest.Get(link).Is(200).Lacks("span.ai").Hides("Made with AI", "made with AI").Has(`meta[name=description][content="A video"]`)
	seen := regexp.MustCompile(`data-seen="([^"]+)"`).FindStringSubmatch(was.Text)[1]
	guest.Get(link + "/state?seen=" + seen).Is(200) // an open page learns of it
	owner.Post("/team/labels", url.Values{"made_with_ai": {"on"}}).Is(303)
	guest.Get(link).Is(200).Has("span.ai")
}

func TestTheProducerCodeIsChecked(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	for _, odd := range []string{"0011914403007084611", "011191440300708461136T1XGW3", "00119144030070846113-T1XGW3", "001191440300708461136T1XGW3X"} {
		owner.Post("/team/labels", url.Values{"producer": {odd}, "made_with_ai": {"on"}}).Is(422).
			Has(`[name=producer][aria-invalid=true][value="`+odd+`"]`, "[name=made_with_ai][checked]").Shows("Enter all 27 letters and digits.")
	}
	owner.Post("/team/labels", url.Values{"producer": {" 0011 91440300708461136t 1xgw3 "}}).Is(303)
	owner.Get("/team/brand").Is(200).Has(`[name=producer][value="001191440300708461136T1XGW3"]`)
}
