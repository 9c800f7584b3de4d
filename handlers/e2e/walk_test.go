package e2e

import (
	"bytes"
	"cmp"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"dailies/handlers/handlerstest"
	"dailies/handlers/site"
)

// A sight is one state of one page: its name, the user who sees it, and how to get
// there.
type sight struct {
	name string
	who  audience
	show func(v *visit)
}

// sights lists the states of pages that matter. Those of the examples of the rows of routes
// come by themselves (rowSights), unless a sight has their name. A name in braces in a path
// stands for one of the visit's paths.
var sights = []sight{
	{"setup", newcomer, at("/setup?token=" + setupToken)},
	{"setup-without-token", newcomer, at("/setup")},
	{"setup-errors", newcomer, setUpWrong},

	{"login", guest, at("/login")},
	{"login-error", guest, logInWrong},
	{"join-closed", guest, at("/join/none")},
	{"forgot-error", guest, forgetWrong},
	{"forgot-sent", guest, at("/forgot?sent=1")},
	{"reset-closed", guest, at("/reset/none")},
	{"guest-404", guest, at("/nothing")},
	{"shared-gone", guest, at("/share/nothing")},

	{"create-first", beginner, at("/create/text-to-video")},
	{"gallery-empty", beginner, at("/gallery")},
	{"collections-empty", beginner, at("/collections")},
	{"recipes-empty", beginner, at("/recipes")},
	{"cast-empty", beginner, at("/cast")},
	{"usage-empty", beginner, at("/usage")},
	{"bin-empty", beginner, at("/bin")},
	{"uploads-empty", beginner, at("/pictures")},

	{"task-running", team, at("{running}")},               // must come first, while the video is being made
	{"create-waiting", team, at("/create/text-to-video")}, // so must this
	{"task-ready", team, at("{ready}")},
	{"task-answers", team, showAnswers},
	{"task-pictures", team, at("{pictures}")},
	{"task-canceled", team, at("{canceled}")},
	{"task-deleted", team, at("{deleted}")},
	{"create-text-to-video", team, at("/create/text-to-video")},
	{"create-image", team, at("/create/image-to-video")},
	{"create-frames", team, at("/create/frames-to-video")},
	{"create-references", team, at("/create/reference-to-video")},
	{"create-pictures", team, showPictures},
	{"create-errors", team, pictureWrong},
	{"create-refused", team, refuse},
	{"create-options-veo", team, showOptions("Veo 3.1")},
	{"create-options-pro-1.5", team, showOptions("Seedance 1.5 Pro")},
	{"create-options-v1-lite", team, showOptions("ByteDance V1 Lite")},
	{"gallery", team, at("/gallery")},
	{"gallery-everything", team, at("/gallery?status=all")},
	{"gallery-nothing-found", team, at("/gallery?q=elephant&date=today&who=me")},
	{"go", team, at("/go")},
	{"go-found", team, at("/go?q=a")},
	{"go-nothing", team, at("/go?q=teapott")},
	{"palette", team, openPalette},
	{"gallery-chosen", team, showChosen},
	{"gallery-filters", team, showFilters},
	{"gallery-menu", team, showTileMenu},
	{"gallery-large", team, at("/gallery?size=l&status=all")},
	{"gallery-small", team, at("/gallery?size=s&status=all")},
	{"gallery-again", team, at("/gallery?size=m")},
	{"bin-emptying", team, showEmptying},
	{"compare-three", team, at("/compare?id={ready-id}&id={pictures-id}&id={tram-id}")},
	{"compare-four", team, at("/compare?id={ready-id}&id={pictures-id}&id={tram-id}&id={next-id}")},
	{"story", team, at("/story/{next-id}")},
	{"story-cut", team, cutScene},
	{"task-next", team, pickFrame},
	{"compare-nothing", team, at("/compare")},
	{"task-share-dialog", team, showShare},
	{"task-share-again", team, shareAgain},
	{"story-share", team, at("/story/{next-id}/share")},
	{"task-organise", team, showTab("Organise")},
	{"task-receipt", team, showTab("Receipt")},
	{"task-answered", team, showAnswer},
	{"gallery-answers", team, at("/gallery?verdict=changes&verdict=approved&verdict=waiting")},
	{"notes", team, writeNotes},
	{"next-take", team, at("{ready}/next-take?note=1&note=2")},
	{"notes-error", team, noteWrong},
	{"notes-nothing", team, at("/notes?show=done")},
	{"collections-error", team, collectionWrong},
	{"collection", team, unfold("{collection}")},
	{"collection-nothing", team, at("{collection-empty}")},
	{"collection-long", team, showLongCollection},
	{"shared", team, at("{shared}")},
	{"shared-collection", team, at("{shared-collection}")},
	{"shared-story", team, at("{shared-story}")},
	{"shared-plain", team, at("{shared-plain}")},
	{"shared-locked", team, at("{shared-locked}")},
	{"shared-talk", team, at("{shared-talk}")},
	{"shared-story-talk", team, at("{shared-story-talk}")},
	{"shared-mail", team, at("{shared-talk}/mail")},
	{"shared-wrong", team, guessWrong},
	{"shared-closed", team, closeLink},
	{"shared-refused", team, refuseGuest},
	{"gallery-stack", team, stackTakes},
	{"task-takes", team, at("{ready}")},
	{"shared-takes", team, at("{shared-takes}")},
	{"shared-compare", team, compareTakes},
	{"cast", team, at("/cast")},
	{"cast-nobody", team, at("/cast?q=nobody")},
	{"cast-member-videos", team, at("/cast/2")},
	{"cast-deleted", team, at("/cast/4")},
	{"cast-error", team, castWrong},
	{"cast-changed", team, castChanged},
	{"create-cast-sent", team, castSent},
	{"create-cast-list", team, castAt},
	{"create-cast-many", team, castIn("reference-to-video", "@anna, @red-cup, @tea-tin, @erik and @mila")},
	{"create-cast-words", team, castIn("text-to-video", "@anna pours tea into the @red-cup")},
	{"recipes-deleted", team, at("/recipes?deleted={recipe-gone-id}")},
	{"recipe-pictures", team, at("{recipe-pictures}")},
	{"recipe-error", team, recipeWrong},
	{"recipe-new", team, at("/recipes/new?from={pictures-id}")},
	{"recipe-edit", team, at("{recipe-pictures}/edit")},
	{"batch-rows", team, checkTable("A lighthouse\tdawn\nA harbour\tnoon")},
	{"batch-wrong", team, checkTable("when\twhat\tprice\ndawn\tA lighthouse\t3\n\tA harbour\t4\ndawn\tA lighthouse\t3")},
	{"batch-cast", team, checkTable("@anna\tdawn\n@ana\tnoon")},
	{"settings", team, at("/settings")},
	{"settings-profile", team, at("/settings#profile")},
	{"settings-look", team, at("/settings#look")},
	{"settings-notices", team, at("/settings#notices")},
	{"webhook-wrong", team, webhookWrong},
	{"webhook", team, addWebhook},
	{"settings-webhook", team, at("/settings#webhook")},
	{"webhooks-team", team, addTeamsWebhook},
	{"settings-links", team, at("/settings#links")},
	{"settings-storage", team, at("/settings#storage")},
	{"settings-error", team, keyWrong},
	{"security-company", team, openCompany},
	{"audit", team, at("/audit")},
	{"members", team, at("/members")},
	{"member", team, at("/members/1")},
	{"team-spending", team, at("/team/spending")},
	{"members-new-link", team, newLink},
	{"members-inviting", team, openInvite},
	{"members-asked", team, askForMore},
	{"spending-asked", team, at("/team/spending")},
	{"again", team, reauthenticate},
	{"usage", team, at("/usage")},
	{"404", team, at("/nothing")},
	{"menu", team, openMenu},
	{"create-made-from", team, at("/create/text-to-video?use=prompt&from={ready-id}")},
	{"reuse-menu", team, openReuse},
	{"keys-open", team, openKeys},
	{"usage-team", team, showTeamUsage}, // must come last, because it adds users

	{"create-without-key", keyless, at("/create/text-to-video")},
	{"settings-without-key", keyless, at("/settings")},
}

// An audience is the user who visits a sight, and the state of the server. The
// audiences visit in this order, and each finds what the ones before have made.
type audience int

const (
	newcomer audience = iota // there is no account yet
	guest                    // without an account
	beginner                 // the admin, before there is any video
	team                     // the admin, with videos in every state
	keyless                  // a member without an API key
)

// A visit is the tab of the present audience, and what was made on the server for it.
type visit struct {
	*tab
	server *server
	films  string            // base URL of a server with pictures
	paths  map[string]string // paths of the pages of what was made, by name
}

// at returns a function that opens the path.
func at(address string) func(v *visit) {
	return func(v *visit) {
		v.open(regexp.MustCompile(`{[\w-]+}`).ReplaceAllStringFunc(address, func(name string) string {
			path := v.paths[strings.Trim(name, "{}")]
			if path == "" {
				v.t.Fatalf("nothing was made that is called %s", name)
			}
			return path
		}))
	}
}

// walk calls each for every sight, audience by audience, and for those of the rows. Calling show
// opens the sight; it may be called several times. DAILIES_SIGHTS, a regular expression, selects
// sights by name.
func walk(t *testing.T, each func(p *tab, name string, show func())) {
	t.Helper()
	wanted := regexp.MustCompile(os.Getenv("DAILIES_SIGHTS"))
	v := &visit{server: newPlainServer(t), films: newPictures(t)}
	rows := handlerstest.New(t).App.Routes()
	for who, enter := range []func(*testing.T, *visit){
		newcomer: enterNew, guest: enterWithLink, beginner: enterAdmin, team: fill, keyless: enterKeyless,
	} {
		enter(t, v)
		for _, s := range slices.Concat(sights, v.rowSights(t, rows, audience(who))) {
			if s.who == audience(who) && wanted.MatchString(s.name) {
				each(v.tab, s.name, func() { s.show(v) })
			}
		}
	}
}

// called has the names by which the examples of the rows call what was made under another name.
var called = map[string]string{
	"film": "ready", "other": "pictures", "batch page": "batch", "share": "shared", "locked": "shared-locked", "talking": "shared-talk",
}

// pageless lists the rows whose examples are no pages here, because what they name is not there.
var pageless = []string{
	"GET /login/oidc", "GET /login/oidc/callback", // there is no provider
	"GET /p/{token}", "GET /p/{token}/small", "GET /pictures/linked", "GET /share/{token}/media/{id}", // files
	"GET /settings/webhooks/{id}", "GET /share/{token}/compare", // sights that make what these show have them
	"GET /team/keys/{id}",
}

// rowSights returns the sights of the audience that are examples of rows: those that are answered
// with a whole page. A page without a session is the guest's, any other the team's.
func (v *visit) rowSights(t *testing.T, rows []site.Route, who audience) (all []sight) {
	t.Helper()
	p := newPerson(v.server.base, "Ada")
	if who == team {
		var err error
		if p, err = v.server.admin(); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range rows {
		by := team
		if row.For == site.ForSignedOut || row.For == site.ForAnybody {
			by = guest
		}
		if by != who || row.For.NeedsToken() || handlerstest.Method(row) != http.MethodGet || slices.Contains(pageless, row.Pattern) {
			continue
		}
		for _, example := range handlerstest.Examples(row) {
			example := handlerstest.Path(row, example.At)
			path := regexp.MustCompile(`{[\w ]+}`).ReplaceAllStringFunc(example, func(name string) string {
				name = strings.Trim(name, "{}")
				path := cmp.Or(v.paths[cmp.Or(called[name], name)], "1")
				return path[strings.LastIndex(path, "/")+1:]
			})
			name := strings.Trim(regexp.MustCompile(`\W+`).ReplaceAllString(example, "-"), "-")
			if !slices.ContainsFunc(sights, func(s sight) bool { return s.name == name }) && p.getsPage(t, path) {
				all = append(all, sight{name, who, at(path)})
			}
		}
	}
	return all
}

// getsPage reports whether the path is that of a whole page.
func (p *person) getsPage(t *testing.T, path string) bool {
	t.Helper()
	answer, err := p.client.Get(p.base + path)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	head := make([]byte, len("<!doctype html>"))
	_, err = io.ReadFull(answer.Body, head)
	whole := err == nil && strings.EqualFold(string(head), "<!doctype html>")
	if whole && answer.StatusCode != http.StatusOK {
		t.Errorf("%s: %s", path, answer.Status)
	}
	return whole && answer.StatusCode == http.StatusOK && answer.Request.URL.RequestURI() == path
}

// useTab makes p the visit's tab. Errors of HTTP are expected in it, because some sights
// are pages with mistakes.
func (v *visit) useTab(p *tab) {
	v.tab = p
	p.expect("HTTP")
	p.expect("status of 4")
}

func enterNew(t *testing.T, v *visit) { v.useTab(newTab(t, v.server.base)) }

// enterWithLink keeps the same tab, makes the admin's account, and gets a join link and
// a reset link from it.
func enterWithLink(t *testing.T, v *visit) {
	t.Helper()
	if err := v.server.setUp(); err != nil {
		t.Fatal(err)
	}
	v.paths = map[string]string{"join": v.server.invite(t), "reset": v.server.resetLink(t, "ada@example.com")}
}

func enterAdmin(t *testing.T, v *visit) {
	t.Helper()
	ada, err := v.server.admin()
	if err != nil {
		t.Fatal(err)
	}
	v.useTab(newTabOf(t, ada))
}

func enterKeyless(t *testing.T, v *visit) {
	t.Helper()
	who := v.server.member(t)
	if _, err := who.post("/settings/key/delete", nil); err != nil {
		t.Fatal(err)
	}
	v.useTab(newTabOf(t, who))
}

// fill makes, as the admin, the videos and other things that the pages show.
func fill(t *testing.T, v *visit) {
	t.Helper()
	who, err := v.server.admin()
	if err != nil {
		t.Fatal(err)
	}
	draft := func(prompt, ratio string) url.Values {
		return url.Values{"model": {"seedance-2.0"}, "prompt": {prompt}, "duration": {"4"}, "resolution": {"480p"}, "aspect_ratio": {ratio}}
	}
	text := func(prompt, ratio string) string { return who.makeOf(t, "text-to-video", draft(prompt, ratio)) }
	v.paths["failed"] = text("The lighthouse keeper waves at a passing ship #fail", "16:9")
	v.paths["canceled"] = text("A cat that changes its mind #cancel", "16:9")
	text("Macro shot of dew drops on a fern at sunrise, focus moves from the front leaf to the back", "16:9")
	v.paths["tram"] = text("A yellow tram crosses a bridge at night, rain on the lens, city lights blurred behind it", "9:16")
	v.paths["deleted"] = text("Waves run up a black beach, seen from straight above, slow and even", "1:1")
	pictures := draft("The bud opens into a flower, the light turns from blue to gold", "16:9")
	pictures["image_input"] = []string{v.films + "/bud.png", v.films + "/flower.jpg"}
	v.paths["pictures"] = who.makeOf(t, "frames-to-video", pictures)
	v.paths["ready"] = text("A paper boat drifts out of a quiet harbour as the morning fog lifts. Slow push-in, soft light, gentle ripples.", "16:9")
	for _, name := range []string{"pictures", "ready", "deleted", "tram"} {
		who.finish(t, v.paths[name])
		v.paths[name+"-id"] = strings.TrimPrefix(v.paths[name], "/tasks/")
	}
	collect(t, v, who)
	makeRecipes(t, v, who)
	makeCast(t, v, who)
	makeNextScene(t, v, who, draft("The boat meets the open sea", "16:9"))
	organise(t, v, who)
	v.paths["running"] = text("A market square fills with people, time lapse from dawn to noon #slow", "16:9")
}

// makeNextScene makes the scene that continues the finished video.
func makeNextScene(t *testing.T, v *visit, who *person, next url.Values) {
	t.Helper()
	next["from"], next["use"], next["image_input"] = []string{v.paths["ready-id"]}, []string{"next"}, []string{v.films + "/sea.png"}
	v.paths["next"] = who.makeOf(t, "image-to-video", next)
	who.finish(t, v.paths["next"])
	v.paths["next-id"] = strings.TrimPrefix(v.paths["next"], "/tasks/")
	v.paths["shared-story"] = who.share(t, "/story/"+v.paths["next-id"], "title=Morning tea")
	v.paths["shared-story-talk"] = who.share(t, "/story/"+v.paths["next-id"], "title=Morning tea&may=decide&takes=on&download=on")
}

// collect puts videos into a collection, and makes share links.
func collect(t *testing.T, v *visit, who *person) {
	t.Helper()
	for name, title := range map[string]string{"collection": "For the harbour fair", "collection-empty": "Nothing yet"} {
		page, err := who.post("/collections", url.Values{"name": {title}})
		if err != nil {
			t.Fatal(err)
		}
		v.paths[name] = regexp.MustCompile(`/collections/\d+`).FindString(page)
	}
	id := strings.TrimPrefix(v.paths["collection"], "/collections/")
	if _, err := who.post("/collections/add", url.Values{"id": {v.paths["ready-id"], v.paths["pictures-id"]}, "collection": {id}}); err != nil {
		t.Fatal(err)
	}
	who.brand(t, "Nordlicht Studio", "#0b6157")
	for name, l := range map[string]struct{ of, with string }{
		"shared":            {"ready", "title=For the harbour fair&download=on&welcome=The boat is ours, and so is the fog. Watch it once with sound."},
		"shared-collection": {"collection", "title=For the harbour fair&download=on"}, "shared-plain": {"pictures", ""},
		"shared-talk": {"ready", "title=For the harbour fair&may=decide"}, "shared-locked": {"ready", "title=For the harbour fair&password=harbour-47"},
		"shared-takes": {"ready", "title=For the harbour fair&may=decide&takes=on"},
	} {
		v.paths[name] = who.share(t, v.paths[l.of], l.with)
	}
	decide(t, who.base+v.paths["shared-talk"], url.Values{"task": {v.paths["ready-id"]}, "verdict": {"changes"}, "body": {"The sail a touch larger, please."}, "name": {"Mara"}})
	decide(t, who.base+who.share(t, v.paths["tram"], "may=decide"), url.Values{"task": {v.paths["tram-id"]}, "verdict": {"approved"}, "name": {"Mara"}})
	who.share(t, v.paths["pictures"], "may=decide")
}

// decide decides about a video as a guest of the link.
func decide(t *testing.T, link string, form url.Values) {
	t.Helper()
	answer, err := http.PostForm(link+"/verdict", form)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("the answer was not taken: %s", answer.Status)
	}
}

// showAnswer opens what guests decided about the video.
func showAnswer(v *visit) {
	at("{ready}")(v)
	v.click(".answers summary")
}

// share makes a link with the settings, and returns its path.
func (p *person) share(t *testing.T, path, settings string) string {
	t.Helper()
	form, err := url.ParseQuery(settings)
	if err != nil {
		t.Fatal(err)
	}
	page, err := p.post(path+"/share", form)
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`/share/[A-Z0-9]+`).FindString(page)
}

// brand gives the team a name, a colour and a logo.
func (p *person) brand(t *testing.T, name, colour string) {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	logo, err := form.CreateFormFile("logo", "logo.png")
	if err == nil {
		err = png.Encode(logo, roundLogo())
	}
	err = errors.Join(err, form.WriteField("name", name), form.WriteField("colour", colour), form.Close())
	if err == nil {
		_, err = p.read(p.client.Post(p.base+"/team/brand", form.FormDataContentType(), &body))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// roundLogo draws a disc with a hole.
func roundLogo() image.Image {
	const side = 96
	logo := image.NewNRGBA(image.Rect(0, 0, side, side))
	for x := range side {
		for y := range side {
			if from := math.Hypot(float64(x)-side/2+.5, float64(y)-side/2+.5); from < side/2 && from > side/6 {
				logo.SetNRGBA(x, y, color.NRGBA{R: 0x14, G: 0x86, B: 0x78, A: 0xff})
			}
		}
	}
	return logo
}

// closeLink shows a page that is open while its link ends.
func closeLink(v *visit) {
	at("{shared-plain}")(v)
	v.await("the page says so", `!(document.querySelector("[data-when=ended]").hidden = false)`)
}

// refuseGuest shows what a guest reads who asks for more than the link allows.
func refuseGuest(v *visit) {
	v.expect("403")
	at("{shared-locked}/state")(v)
}

// stackTakes makes one video a take of another, and opens their stack on the wall.
func stackTakes(v *visit) {
	v.open("/gallery")
	v.await("they are stacked", `(window.asked ??= fetch("/tasks/`+v.paths["tram-id"]+`/stack", {method: "POST", body: new URLSearchParams({with: "`+v.paths["ready-id"]+`"})}).then(r => { window.stacked = r.ok }), window.stacked)`)
	v.open("/gallery")
	v.click(".takes-no")
	v.await("the stack is open", `document.querySelector(".fan:popover-open")`)
}

// compareTakes compares the takes that a link shows.
func compareTakes(v *visit) {
	at("{shared-takes}")(v)
	v.leave(func() { v.clickText("#takes .btn", "Compare") })
}

// guessWrong types a wrong password at the door of a link.
func guessWrong(v *visit) {
	v.expect("422")
	at("{shared-locked}")(v)
	v.fill("[name=password]", "harbour-48")
	v.leave(func() { v.clickText("button", "Watch") })
	v.awaitText(".error", "not it")
}

// unfold opens the path and expands the forms for sharing and changing.
func unfold(address string) func(v *visit) {
	return func(v *visit) {
		at(address)(v)
		v.await("the forms are open", `document.querySelectorAll("details.unfold").forEach(d => { d.open = true }) || document.querySelector("details.unfold[open]")`)
	}
}

// showTab opens one of the tabs beside the video.
func showTab(name string) func(v *visit) {
	return func(v *visit) {
		at("{ready}")(v)
		v.clickText("[role=tab]", name)
	}
}

// writeNotes writes notes on a video, and a reply.
func writeNotes(v *visit) {
	v.open(v.paths["ready"] + "/notes")
	v.await("the player is there", `document.querySelector("[data-player]")?.bar && document.querySelector("[data-player] video").duration > 0.5`)
	for _, words := range []string{"This red is perfect. Could the sail be a touch larger?", "The fog can stay exactly like this."} {
		v.fill("#note-body", words)
		v.clickText(".composer button", "Send")
		v.awaitText(".remark .body", words)
	}
	v.clickText(".remark .acts a", "Reply")
	v.awaitText(".composer", "Reply to")
	v.fill("#note-body", "Yes, lovely.")
	v.clickText(".composer button", "Send")
	v.awaitText(".reply .body", "Yes, lovely.")
}

// noteWrong sends a note about a moment after the end.
func noteWrong(v *visit) {
	v.open(v.paths["ready"] + "/notes?at=0:00")
	get[bool](v.tab, `(document.querySelector("#note-form").removeAttribute("data-talk-form"), document.querySelector("#note-body").value = "Slower", document.querySelector("#note-at").value = "9:00", true)`)
	v.leave(func() { v.clickText(".composer button", "Send") })
	v.awaitText("#note-error", "The video ends at")
}

// showShare opens the dialog with the links of a video that has none.
func showShare(v *visit) {
	at("{pictures}")(v)
	v.clickText(".vacts a", "Share")
	v.await("the dialog is open", `document.querySelector("dialog.share")?.open`)
}

// shareAgain opens the dialog with the links of a video that has one.
func shareAgain(v *visit) {
	at("{ready}")(v)
	v.clickText(".vacts a", "Share")
	v.await("the dialog is open", `document.querySelector("dialog.share [data-copy]")`)
}

func collectionWrong(v *visit) {
	v.open("/collections")
	v.leave(func() { v.clickText("button", "New collection") })
}

// organise connects the admin's account with a provider's, stars and tags finished
// videos, deletes one, and adds refused videos of other users.
func organise(t *testing.T, v *visit, who *person) {
	t.Helper()
	done := func(action string, form url.Values) {
		if _, err := who.post(action, form); err != nil {
			t.Fatal(err)
		}
	}
	v.server.change(t, `INSERT INTO identities (issuer, subject, user_id, email, created_at, used_at)
		SELECT 'https://login.example.com', '1', id, 'ada.lovelace@school.example', created_at, created_at FROM users WHERE email = 'ada@example.com'`)
	done("/tasks/star", url.Values{"id": {v.paths["ready-id"]}, "on": {"true"}})
	done("/tasks/tag", url.Values{"id": {v.paths["ready-id"], v.paths["pictures-id"]}, "add": {"harbour, morning"}})
	done("/tasks/delete", url.Values{"id": {v.paths["deleted-id"]}})
	for range 2 {
		v.server.member(t).make(t, "Somebody else's video #refuse")
	}
}

func setUpWrong(v *visit) {
	v.open("/setup?token=" + setupToken)
	v.fill("input[name=email]", "not an address")
	v.leave(func() { v.clickText("button", "Start") })
}

func forgetWrong(v *visit) {
	v.open("/forgot")
	v.fill("input[name=email]", "ada@")
	v.leave(func() { v.clickText("button", "Send link") })
}

// reauthenticate submits a sensitive form an hour after signing in, so that the password
// is asked for.
func reauthenticate(v *visit) {
	v.open("/members/1")
	v.server.change(v.t, `UPDATE sessions SET created_at = created_at - 3600000`)
	v.leave(func() { v.clickText("button", "Send link") })
	v.await("the password is asked for", `document.querySelector("#again [name=current]")`)
}

func logInWrong(v *visit) {
	v.open("/login")
	v.fill("input[name=email]", "nobody@example.com")
	v.fill("input[name=password]", "a wrong password")
	v.leave(func() { v.clickText("button", "Sign in") })
}

func showAnswers(v *visit) {
	v.open(v.paths["ready"])
	v.clickText(".support a", "Details for support")
	v.click("#answers details summary")
}

func pickFrame(v *visit) {
	v.open(v.paths["next"] + "#next")
	v.await("the last frame shows", `document.querySelector(".film video").currentTime > 3.9`)
}

// cutScene makes the first scene of a storyline end earlier.
func cutScene(v *visit) {
	at("/story/{next-id}")(v)
	v.click("[data-clip]:first-child .reel-pics")
	v.await("the first scene is chosen", `document.querySelector("[data-scene='0']").ariaCurrent === "true"`)
	v.fill("[data-scene='0'] [name=last]", "48")
	v.press(kb.Enter)
	v.awaitText("#story-film", "144 frames")
}

func showPictures(v *visit) {
	v.open("/create/frames-to-video")
	get[bool](v.tab, `localStorage.clear(), sessionStorage.clear(), true`) // what was typed at another width
	v.open("/create/frames-to-video")
	v.fillPicture(0, v.films+"/bud.png")
	v.fill("[id='image_input-1'], [id='image_input.1']", v.films+"/missing")
	v.awaitText("[data-picture]", "No picture at this link")
}

func pictureWrong(v *visit) {
	v.open("/create/image-to-video")
	v.fill("input[name=image_input]", "ftp://example.com/a.png")
	v.leave(func() { v.clickText(makeButton, makeWords) })
}

func refuse(v *visit) {
	v.open("/create/text-to-video")
	v.fill(promptField, "A door that stays shut #refuse")
	v.leave(func() { v.clickText(makeButton, makeWords) })
}

// showOptions chooses the model and opens one of its options.
func showOptions(model string) func(v *visit) {
	return func(v *visit) {
		v.open("/create/text-to-video")
		v.pick("model", model)
		v.click("#open-generate_audio")
		v.await("the choices are open", `document.querySelector("#choose-generate_audio").matches(":popover-open")`)
	}
}

func keyWrong(v *visit) {
	v.open("/settings#key-section")
	v.leave(func() { v.clickText("form[action='/settings/key'] button", "Save") })
}

func newLink(v *visit) {
	v.open("/members")
	v.clickText("a.btn", "Invite")
	v.leave(func() { v.clickText("#invite button", "One link for anyone") })
}

// openInvite types addresses, of which one is wrong, into the form over the list.
func openInvite(v *visit) {
	v.open("/members")
	v.clickText("a.btn", "Invite")
	v.click("#addresses-more")
	v.pasteText("tom@example.com, ines@example.com, ben@")
	v.awaitText("#addresses-said", "“ben@” isn’t an address yet.")
}

// askForMore makes a member ask to spend more, and shows the request.
func askForMore(v *visit) {
	if get[bool](v.tab, `!document.querySelector(".askrow")`) {
		if _, err := v.server.member(v.t).post("/limit/ask", url.Values{"ask_credits": {"200"}, "ask_sentence": {"Three more tea scenes, due Friday."}}); err != nil {
			v.t.Fatal(err)
		}
	}
	v.open("/members")
}

func openCompany(v *visit) {
	v.open("/team/security")
	v.click("#company summary")
}

func openKeys(v *visit) {
	v.open("/usage")
	v.press("?")
	v.await("the keys are listed", `document.querySelector("dialog").open`)
}

func openReuse(v *visit) {
	at("{ready}")(v)
	v.clickText(".vacts button", "Make again")
}

func openMenu(v *visit) {
	v.open("/gallery")
	v.click(".top .avatar")
}

// openPalette opens the command palette over the gallery.
func openPalette(v *visit) {
	v.open("/gallery")
	if get[bool](v.tab, `document.querySelector(".find-any").checkVisibility()`) {
		v.click(".find-any")
	} else {
		v.click(".top .avatar")
		v.click("#account [data-goes]")
	}
	v.awaitText("#palette h2", "Go to")
}

// showChosen opens the gallery and selects two videos.
func showChosen(v *visit) {
	v.open("/gallery?who=me")
	get[bool](v.tab, `([...document.querySelectorAll("#cards [type=checkbox]")].slice(0, 2).forEach(box => box.click()), true)`)
	v.awaitText("[data-chosen-count]", "2 selected")
}

// showFilters opens the filter menu and one of its filters.
func showFilters(v *visit) {
	v.open("/gallery?who=me&status=all")
	v.click("#filters-button")
	v.clickText(".facet > summary", "Model")
	v.awaitText(".facet[open]", "Seedance")
}

// showTileMenu opens the menu of a video in the gallery.
func showTileMenu(v *visit) {
	v.open("/gallery")
	get[bool](v.tab, `(document.querySelector("#cards .cell[data-video] [popovertarget=tile-menu]").click(), true)`)
	v.awaitText("#tile-menu", "Download")
}

// showEmptying opens the question whether to empty the bin.
func showEmptying(v *visit) {
	v.open("/bin")
	v.clickText("button", "Empty bin")
}
