package handlers_test

import (
	"encoding/base32"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/ordering"
	"dailies/db/review"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store/failtest"
	"dailies/db/team"
	"dailies/handlers"
	"dailies/handlers/handlerstest"
	"dailies/web/htmltest"
)

// newFailing starts an app with examples, whose database can be set back. It must be called
// inside a synctest bubble.
func newFailing(t *testing.T) *failing {
	t.Helper()
	f := newExamples(t, &failtest.Plan{})
	f.state = newSnapshot(t, f.Database)
	f.before = f.state.dump(t)
	return f
}

// newExamples starts an app with users, and with an example of everything that they can
// change.
func newExamples(t *testing.T, plan *failtest.Plan) *failing {
	t.Helper()
	f := &failing{plan: plan, jars: map[string][]*http.Cookie{}, tried: map[string]bool{}, photo: handlerstest.Photo(t, 400, 300)}
	f.Server = handlerstest.NewFailing(t, f.plan, func(c *handlers.Config) { c.Mail, c.Wake = true, func() {} })
	owner := f.Founder(t)
	ada, vi := f.Joiner(t, owner, "ada"), f.Joiner(t, owner, "vi")
	f.Joiner(t, owner, "gone")
	must(t, f.Store.Members.SetRole(t.Context(), 3, db.Viewer, db.Now()))
	_, err := f.Store.Leave(t.Context(), team.Leaving{UserID: 4, At: db.Now()})
	must(t, err)
	f.call(slices.Concat(f.addVideos(t, owner, ada), f.addRecipes(t, owner), f.addTeam(t, owner, ada), f.addAccess(t, owner))...)
	half := f.addSecondSteps(t, ada, vi)
	home := handlerstest.MustURL(t, f.URL)
	for who, p := range map[string]*handlerstest.Browser{"owner": owner, "ada": ada, "vi": vi, "half": half} {
		f.jars[who] = p.Jar.Cookies(home)
	}
	time.Sleep(time.Minute) // a one-time code works once
	return f
}

// call makes names in braces stand for what follows each of them.
func (f *failing) call(names ...string) {
	f.names = append(f.names, names...)
	f.ids = strings.NewReplacer(f.names...)
}

// addVideos adds videos in several states, and collections and links of them. Like the
// following methods, it returns names in braces, each followed by what it stands for.
func (f *failing) addVideos(t *testing.T, owner, ada *handlerstest.Browser) []string {
	t.Helper()
	film, other, binned := f.KeptFilm(t, 1, "a boat in the harbour"), f.KeptFilm(t, 1, "a second boat"), f.KeptFilm(t, 1, "a boat in the bin")
	lost := f.Alter(t, f.KeptFilm(t, 1, "a lost boat").ID, func(t *db.Task) { t.Keeping = db.Lost })
	collection, deleted := f.AddCollection(t, 1), gallery.Collection{Name: "Autumn", CreatedBy: 1, CreatedAt: db.Now()}
	must(t, f.Store.Collections.AddCollection(t.Context(), &deleted))
	owner.Post(fmt.Sprintf("/collections/%d/delete", deleted.ID), nil).Is(303)
	owner.Post("/collections/add", handlerstest.ChosenForm([]db.Task{film, other}, "collection", fmt.Sprint(collection.ID))).Is(303)
	owner.Post("/tasks/star", handlerstest.ChosenForm([]db.Task{film}, "on", "true")).Is(303)
	owner.Post("/tasks/tag", handlerstest.ChosenForm([]db.Task{film}, "add", "harbour")).Is(303)
	owner.Post("/tasks/delete", handlerstest.ChosenForm([]db.Task{binned})).Is(303)
	share := owner.Share(fmt.Sprintf("/tasks/%d", film.ID), "A boat")
	locked := owner.Share(fmt.Sprintf("/tasks/%d", film.ID), "A boat", "password", "harbour-47")
	must(t, f.Store.Settings.SetBrand(
		t.Context(),
		team.Brand{Name: "Nordlicht", Colour: "#0b6157", Logo: team.Logo{Type: "image/png", Hash: "0123456789abcdef", Width: 4, Height: 4}},
		f.photo,
	))
	ada.Post(fmt.Sprintf("/tasks/%d/notes", film.ID), url.Values{
		"task": {fmt.Sprint(film.ID)}, "at": {"100"}, "body": {"Larger, @kim"},
	}).Is(303)
	talking := owner.Share(fmt.Sprintf("/tasks/%d", film.ID), "A boat", "may", "decide")
	jo := review.Guest{ShareID: 3, Token: secrets.NewToken(), Name: "Jo", Email: "jo@example.com", CreatedAt: db.Now()}
	must(t, f.Store.Guests.AddGuest(t.Context(), &jo))
	vault, err := secrets.NewVault([]byte("a secret of the tests")) // the app's secret
	must(t, err)
	now, err := f.Store.Tasks.Task(t.Context(), film.ID)
	must(t, err)
	ticket := fmt.Sprintf("%d.%d.1.%d", film.ID, now.Media[0].ID, db.Now().AddDate(1, 0, 0).Unix())
	return []string{
		"{signed}", fmt.Sprintf("%s.%s.webm", ticket, base64.RawURLEncoding.EncodeToString(vault.Sign("file "+ticket))),
		"{film}", fmt.Sprint(film.ID), "{other}", fmt.Sprint(other.ID), "{binned}", fmt.Sprint(binned.ID), "{lost}", fmt.Sprint(lost.ID),
		"{media}", fmt.Sprint(now.Media[0].ID), "{note}", "1",
		"{done}", fmt.Sprint(f.AddTask(t, 1, db.Success).ID),
		"{failed}", fmt.Sprint(f.AddTask(t, 1, db.Failed).ID),
		"{unconfirmed}", fmt.Sprint(f.AddTask(t, 1, db.Unconfirmed).ID),
		"{running}", fmt.Sprint(f.AddTask(t, 1, db.Processing).ID),
		"{made}", f.Made(t, f.KeyOf(t, 1)),
		"{collection}", fmt.Sprint(collection.ID), "{deleted collection}", fmt.Sprint(deleted.ID),
		"{share}", strings.TrimPrefix(share, "/share/"), "{locked}", strings.TrimPrefix(locked, "/share/"),
		"{talking}", strings.TrimPrefix(talking, "/share/"), "{stop}", vault.SignMail(1, jo.Email), "{guest}", fmt.Sprint(jo.ID),
	}
}

// addRecipes adds recipes, a batch, and a picture.
func (f *failing) addRecipes(t *testing.T, owner *handlerstest.Browser) []string {
	t.Helper()
	recipe, deleted := f.AddRecipe(t, 1), f.AddRecipe(t, 1, func(r *ordering.Recipe) { r.Name = "Another one" })
	owner.Post(fmt.Sprintf("/recipes/%d/delete", deleted.ID), nil).Is(303)
	page := fmt.Sprintf("/recipes/%d/batch", recipe.ID)
	rows := func(table string) url.Values {
		return handlerstest.RowsOf(
			t, owner.Post(page, handlerstest.FilledForm("do", "check", "anyway", "true", "table", table)).Is(200), "make",
		)
	}
	gone, picture := handlerstest.AddMember(t, f.Server, 1, "gone"), f.AddPicture(t, 1).Token
	owner.Post(fmt.Sprintf("/cast/%d/delete", gone.ID), nil).Is(303)
	made := owner.Post(page, rows("jug\toak")).Is(303).Header.Get("Location")
	return []string{
		"{recipe}", fmt.Sprint(recipe.ID), "{deleted recipe}", fmt.Sprint(deleted.ID),
		"{batch page}", strings.TrimPrefix(made, "/batches/"), "{batch}", rows("cup\toak\nlamp\tpine").Encode(), "{picture}", picture,
		"{picture address}", url.QueryEscape("http://dailies.invalid/p/" + picture),
		"{member}", fmt.Sprint(handlerstest.AddMember(t, f.Server, 1, "anna").ID), "{deleted member}", fmt.Sprint(gone.ID),
	}
}

// addTeam adds keys, a limit with a request to spend more, and an announcement.
func (f *failing) addTeam(t *testing.T, owner, ada *handlerstest.Browser) []string {
	t.Helper()
	owner.Post("/settings/webhooks", url.Values{"webhook": {"https://hooks.example.com/x"}}).Is(303)
	handlerstest.AddEarlierHook(t, f.Server, 1)
	owner.Post("/settings/webhooks/1/test", nil).Is(303)
	owner.Post("/team/announcement", url.Values{"text": {"The service is slow today."}, "until": {"2000-01-20 18:00"}}).Is(303)
	ada.Post("/limit/ask", url.Values{"ask_credits": {"30"}, "ask_sentence": {"For the fair."}}).Is(303)
	owner.Post("/members/2/limit", url.Values{"limit": {"own"}, "credits": {"500"}}).Is(303)
	owner.Post("/settings/programs", url.Values{"name": {"Importer"}, "may": {"change"}, "days": {"90"}, "cap": {"100000"}}).Is(303)
	f.token = htmltest.Attr(htmltest.First(t, owner.Get("/settings/programs").Is(200).Root(), "#new-token"), "value")
	own, err := f.Sandbox.NewKey(t.Context(), "another", 1000)
	must(t, err)
	return []string{"{key}", fmt.Sprint(f.AddTeamKey(t, "Marketing").TeamKeyID), "{own}", own, "{token}", "1"}
}

// addAccess adds links for joining and for a new password, and a session of the owner.
func (f *failing) addAccess(t *testing.T, owner *handlerstest.Browser) []string {
	t.Helper()
	owner.Post("/members/invites", nil).Is(303)
	join := handlerstest.JoinLink(owner.Get("/members").Is(200).Text)
	owner.Post("/members/2/reset", nil).Is(303)
	reset := regexp.MustCompile(`/reset/[A-Z0-9]{26}`).FindString(owner.Get("/members/2").Is(200).Text)
	f.Stranger(t).Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password)).Is(303)
	sessions, err := f.Store.Sessions.Of(t.Context(), 1, db.Now())
	must(t, err)
	last := slices.MaxFunc(sessions, func(x, y signin.Session) int { return int(x.ID - y.ID) })
	return []string{
		"{join}", strings.TrimPrefix(join, "/join/"), "{reset}", strings.TrimPrefix(reset, "/reset/"), "{session}",
		fmt.Sprint(last.ID),
	}
}

// addSecondSteps turns on one-time codes for Vi, lets Ada begin to do so, and gives Ada a
// passkey. It returns a browser that has sent Vi's password, but no code yet.
func (f *failing) addSecondSteps(t *testing.T, ada, vi *handlerstest.Browser) (half *handlerstest.Browser) {
	t.Helper()
	secret := secretOf(t, vi)
	vi.Post("/settings/codes", url.Values{"code": {codeNow(secret)}}).Is(303)
	half = f.Stranger(t)
	half.Post("/login", handlerstest.Credentials("vi@example.com", handlerstest.Password)).Is(303).LeadsTo("/login/code")
	sessions, err := f.Store.Sessions.Of(t.Context(), 2, db.Now())
	must(t, err)
	k := signin.Passkey{UserID: 2, Handle: []byte("ada"), Credential: []byte("1"), Record: "{}", Name: "Phone", CreatedAt: db.Now()}
	must(t, f.Store.SecondSteps.AddPasskey(t.Context(), &k, sessions[0].ID))
	f.secrets = map[string][]byte{"vi": secret, "half": secret, "ada": secretOf(t, ada)}
	return half
}

// secretOf returns the secret for one-time codes that the user is setting up.
func secretOf(t *testing.T, p *handlerstest.Browser) []byte {
	t.Helper()
	text := regexp.MustCompile(`id="secret"[^>]*>([A-Z2-7\s]+)<`).FindStringSubmatch(p.Get("/settings/codes").Is(200).Text)
	if text == nil {
		t.Fatal("the page shows no secret")
	}
	secret, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.Join(strings.Fields(text[1]), ""))
	must(t, err)
	return secret
}

func codeNow(secret []byte) string { return secrets.CodeAt(secret, secrets.CodeStep(time.Now())) }
