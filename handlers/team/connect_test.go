package team_test

import (
	"database/sql"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/handlers/handlerstest"
)

// aService is a video service on this machine, which knows one key.
type aService struct {
	*httptest.Server
	mu     sync.Mutex
	answer string   // to a query with the right key
	keys   []string // of the calls
}

const serviceKey = "sk-abcdefghijklmnopqrstuvwxyzWXYZ12"

func newService(t *testing.T) *aService {
	s := &aService{answer: `{"code":-1,"message":"Task not found"}`}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		if s.keys = append(s.keys, key); key != serviceKey {
			_, _ = io.WriteString(w, `{"code":-1,"message":"no auth, please sign in"}`)
			return
		}
		_, _ = io.WriteString(w, s.answer)
	}))
	t.Cleanup(s.Close)
	return s
}

// says makes the service answer so.
func (s *aService) says(answer string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

// calls returns how many calls the service has had.
func (s *aService) calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.keys)
}

func asked(do, address, key string) url.Values {
	return url.Values{"do": {do}, "address": {address}, "key": {key}}
}

func TestAServiceIsTestedAndThenConnected(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	ada := h.Joiner(t, owner, "ada")
	h.Registry.AllowPrivate = true
	s := newService(t)

	owner.Get("/team/service").Is(200).Shows("Practice mode").Has("[name=address]", "[name=key]", "[name=do][value=test]").
		Lacks("[value=connect]", "[value=practice]", "[name=current]")
	ada.Get("/team/service").Is(403)
	ada.Post("/team/service", asked("connect", s.URL, serviceKey)).Is(403)

	owner.Post("/team/service", asked("test", s.URL, "sk-0123456789wrong")).Is(422).Shows("doesn’t know this key").
		Has("#key[aria-invalid=true]", `#address[value="`+s.URL+`"]`).Hides("sk-0123456789wrong")
	owner.Post("/team/service", asked("test", s.URL+"/", serviceKey)).Is(303)
	owner.Get("/team/service").Is(200).Shows("It works.").Shows("…YZ12").Has(`#address[value="`+s.URL+`"]`, "[name=do][value=connect]").
		Hides(serviceKey)
	if !h.Registry.IsPractice() {
		t.Fatal("a test has changed the service")
	}
	owner.Post("/team/service", asked("connect", s.URL, "")).Is(303) // the key is the one that was tested
	owner.Get("/team/service?connected=1").Is(200).Shows("Connected.").Shows("The team now makes real videos.").
		Has(`a[href="/create/text-to-video?duration=5&model=seedance-2.0-fast&resolution=480p"]`)
	used := h.Registry.Current()
	keys, err := h.Store.Keys.TeamKeys(t.Context())
	must(t, err)
	if used.Address != s.URL || used.Practice || len(keys) != 1 || !keys[0].Standard || !keys[0].Accepted || keys[0].LastFour != "YZ12" ||
		keys[0].ServiceID != used.ID {
		t.Errorf("the team uses %+v with %+v", used, keys)
	}
	if got := s.calls(); got != 3 {
		t.Errorf("%d calls, want two tests and one before the change", got)
	}

	// The key is forgotten, and the page leads back.
	owner.Post("/team/service", asked("connect", s.URL, "")).Is(422).Shows("Paste the key.")
	owner.Get("/team/service").Is(200).Has("[name=do][value=practice]")
	owner.Post("/team/service", url.Values{"do": {"practice"}, "was": {"99"}}).Is(409).Shows("Another admin changed the video service")
	owner.Post("/team/service", url.Values{"do": {"practice"}}).Is(303)
	owner.Get("/team/service").Is(200).Shows("Back in practice mode")
	if used := h.Registry.Current(); !used.Practice {
		t.Errorf("the team uses %+v", used)
	}
	ada.Get("/create/text-to-video").Is(200).Shows("Kim Doe").Shows(" to connect your video service.").
		Lacks(`.practice a[href="/team/service"]`)
	owner.Get("/create/text-to-video").Is(200).Has(`.practice a[href="/team/service"]`)
}

func TestAddressesThatCannotBeConnected(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	s := newService(t)
	for key, sentence := range map[string]string{"": "Paste the key.", "two words": "has no spaces"} {
		owner.Post("/team/service", asked("test", "video.example", key)).Is(422).Shows(sentence).
			Has("#key[aria-invalid=true]", `#address[value="https://video.example"]`)
	}
	for address, sentence := range map[string]string{
		"":                                    "Enter the address.",
		"ftp://video.example.com":             "not a web address",
		"http://video.example.com":            "Use https.",
		"https://ana:word@video.example":      "Leave out the user",
		"https://ana:pass/word@video.example": "not a web address",
		"https://video.example:0":             "no such port",
		"https://video.example/?a=b":          "Leave out the ? or #",
		s.URL:                                 "inside a private network",
		"https://localhost":                   "inside a private network",
		"https://" + strings.Repeat("x", 500): "500 characters at most",
	} {
		owner.Post("/team/service", asked("test", address, serviceKey)).Is(422).Shows(sentence).Has("#address[aria-invalid=true]").
			Hides("ana:", "pass/").Hides(serviceKey)
		owner.Post("/team/service", asked("connect", address, serviceKey)).Is(422).Shows(sentence)
	}
	if s.calls() != 0 {
		t.Error("a private address was called")
	}
	owner.Post("/team/service", nil).Is(422).Shows("Choose an answer.")
	if !h.Registry.IsPractice() {
		t.Error("the service was changed")
	}
}

// After a mistake in the address, the key need not be pasted again, although no page
// repeats it. A key that works is sent to no other address.
func TestAKeyIsPastedOnce(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	h.Registry.AllowPrivate = true
	s, other := newService(t), newService(t)
	owner.Post("/team/service", asked("test", "https://video.example:0", serviceKey)).Is(422).Shows("no such port").Shows("…YZ12").
		Hides(serviceKey)
	owner.Get("/team/service").Is(200).Shows("…YZ12").Lacks("[value=connect]", "[aria-invalid=true]").Hides(serviceKey)
	owner.Post("/team/service", asked("test", s.URL, "")).Is(303)
	owner.Get("/team/service").Is(200).Shows("It works.")
	owner.Post("/team/service", asked("test", other.URL, "")).Is(422).Shows("Paste the key for this address.")
	if other.calls() != 0 {
		t.Error("the key was sent to another service")
	}
	owner.Post("/team/service", asked("test", s.URL, "sk-0123456789wrong")).Is(422).Shows("doesn’t know this key")
	owner.Get("/team/service").Is(200).Hides("It works.").Lacks("[value=connect]")
	owner.Post("/team/service", asked("connect", s.URL, "")).Is(422).Shows("Paste the key.")
}

// Whoever signed in a while ago gives their password with the form, and once for the test
// and the change.
func TestAServiceIsChangedByThoseWhoProveWhoTheyAre(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	h.Registry.AllowPrivate = true
	s := newService(t)
	d, err := sql.Open("sqlite", "file:"+h.Database+"?_pragma=busy_timeout(5000)")
	must(t, err)
	defer d.Close()
	change := func(statement string) {
		t.Helper()
		_, err := d.Exec(statement)
		must(t, err)
	}
	change(`UPDATE sessions SET created_at = created_at - 3600000`)
	owner.Get("/team/service").Is(200).Has("#connect [name=current]")
	form := asked("test", s.URL, serviceKey)
	owner.Post("/team/service", form).Is(200).Has("#again [name=current]", `#again [name=address]`).Lacks("#again [name=key]").
		Hides(serviceKey)
	form.Set("current", "a guess")
	owner.Post("/team/service", form).Is(422).Has("#current-error").Hides(serviceKey)
	if s.calls() != 0 {
		t.Error("a service was tested for somebody who has not proven who they are")
	}
	form.Set("current", handlerstest.Password)
	owner.Post("/team/service", form).Is(303)
	owner.Get("/team/service").Is(200).Shows("It works.").Lacks("[name=current]")

	// Another browser of the same person has to prove it anew.
	other := h.Stranger(t)
	other.Post("/login", url.Values{"email": {"kim@example.com"}, "password": {handlerstest.Password}}).Is(303)
	change(`UPDATE sessions SET created_at = created_at - 3600000`)
	other.Get("/team/service").Is(200).Hides("It works.").Has("#connect [name=current]")
	other.Post("/team/service", asked("connect", s.URL, "")).Is(200).Has("#again")
	owner.Post("/team/service", asked("connect", s.URL, "")).Is(303)
	if used := h.Registry.Current(); used.Address != s.URL {
		t.Errorf("the team uses %+v", used)
	}
	owner.Post("/team/service", url.Values{"do": {"practice"}}).Is(200).Has("#again [name=do][value=practice]")

	// Without a password, people sign in again.
	change(`UPDATE users SET password = ''`)
	owner.Get("/team/service").Is(200).Shows("Sign in again first").Lacks("[name=address]", "[value=practice]")
}

// Of a service that does not say whether the key is good, an admin decides, after a
// warning. What a service says is never shown.
func TestAServiceThatSaysNothingAboutTheKey(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	h.Registry.AllowPrivate = true
	s := newService(t)
	s.says(`{"code":-1,"message":"secret of the house"}`)
	owner.Post("/team/service", asked("connect", s.URL, serviceKey)).Is(303)
	if !h.Registry.IsPractice() {
		t.Fatal("it was connected without a warning")
	}
	owner.Get("/team/service").Is(200).Shows("doesn’t say whether it knows this key").Shows("Use it anyway").Hides("secret of the house")

	// The key is not sent to another address.
	other := newService(t)
	owner.Post("/team/service", asked("connect", other.URL, "")).Is(422).Shows("Paste the key for this address.")
	owner.Post("/team/service", asked("test", other.URL, "")).Is(422).Shows("Paste the key for this address.")
	if other.calls() != 0 {
		t.Error("the key was sent to another service")
	}
	s.says(`<html>secret of the house</html>`)
	owner.Post("/team/service", asked("connect", s.URL, "")).Is(422).Shows("Something else answers here").Hides("secret of the house")
	s.says(`{"code":-1,"message":"secret of the house"}`)
	owner.Post("/team/service", asked("connect", s.URL, "")).Is(303)
	owner.Get("/team/service").Is(200).Shows("Use it anyway")
	owner.Post("/team/service", asked("connect", s.URL, "")).Is(303)
	if used := h.Registry.Current(); used.Address != s.URL {
		t.Errorf("the team uses %+v", used)
	}
	keys, err := h.Store.Keys.TeamKeys(t.Context())
	must(t, err)
	if len(keys) != 1 || keys[0].Accepted || !keys[0].CheckedAt.IsZero() {
		t.Errorf("the keys are %+v", keys)
	}
}

// A test reads no more of a header than of the answer itself.
func TestAServiceWithEndlessHeadersIsRefused(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	h.Registry.AllowPrivate = true
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-More", strings.Repeat("x", 200_000))
		_, _ = io.WriteString(w, `{"code":-1,"message":"Task not found"}`)
	}))
	defer s.Close()
	owner.Post("/team/service", asked("test", s.URL, serviceKey)).Is(422).Shows("The connection broke off.")
}

func TestTestsOfServicesAreLimited(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	h.Registry.AllowPrivate = true
	s := newService(t)
	for range 10 {
		owner.Post("/team/service", asked("test", s.URL, "sk-0123456789wrong")).Is(422)
	}
	owner.Post("/team/service", asked("test", s.URL, serviceKey)).Is(429).Shows("Too many tries.").Hides(serviceKey)
	if got := s.calls(); got != 10 {
		t.Errorf("%d calls", got)
	}
}

// Of two admins who change the service at once, one is told.
func TestAnotherAdminWasFaster(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	h.Registry.AllowPrivate = true
	s := newService(t)
	form := asked("connect", s.URL, serviceKey)
	form.Set("was", "1")
	h.Connect(t, "https://faster.example.com")
	owner.Post("/team/service", form).Is(409).Shows("Another admin changed the video service just now.").Shows("faster.example.com").
		Has(`#address[value="` + s.URL + `"]`).Shows("…YZ12").Hides(serviceKey)
	if used := h.Registry.Current(); used.Address != "https://faster.example.com" {
		t.Errorf("the team uses %+v", used)
	}
	form.Del("key") // it need not be pasted again
	owner.Post("/team/service", form).Is(409).Shows("…YZ12")
	form.Set("was", strconv.FormatInt(h.Registry.Current().ID, 10))
	owner.Post("/team/service", form).Is(303)
	if used := h.Registry.Current(); used.Address != s.URL {
		t.Errorf("the team uses %+v", used)
	}
}

func TestTheSettingsOfTheProgramWin(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	_, err := h.Store.Services.Start(t.Context(), "https://fixed.example.com", handlerstest.SandboxBase, db.Now())
	must(t, err)
	must(t, h.Registry.Refresh(t.Context()))
	owner.Get("/team/service").Is(200).Shows("fixed.example.com").Shows("DAILIES_API_URL").Lacks("[name=address]", "[value=practice]")
	for _, do := range []string{"test", "connect", "practice"} {
		owner.Post("/team/service", asked(do, "https://video.example.com", serviceKey)).Is(409).Shows("so it can’t be changed here")
	}
	if used := h.Registry.Current(); used.Address != "https://fixed.example.com" {
		t.Errorf("the team uses %+v", used)
	}
}

func TestPracticeModeIsForOneProcess(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	h.Connect(t, "https://video.example.com")
	h.Registry.Open = nil
	owner.Get("/team/service").Is(200).Shows("practice mode runs on one alone").Lacks("[value=practice]")
	owner.Post("/team/service", url.Values{"do": {"practice"}}).Is(409).Shows("practice mode runs on one alone")
	if h.Registry.IsPractice() {
		t.Error("practice mode began")
	}
}

// The page says what becomes of the videos under way.
func TestAChangeOfServicesSaysWhatStays(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	h.Registry.AllowPrivate = true
	s := newService(t)
	var tasks [2]db.Task
	for i := range tasks {
		tasks[i] = db.Task{UserID: 1, FormToken: secrets.NewToken(), Request: db.Request{Scene: "text-to-video", Model: "veo3"},
			State:     db.Queued,
			CreatedAt: db.Now()}
		handlerstest.Queue(t, h.Store, &tasks[i])
	}
	_, err := h.Store.Tasks.UpdateTask(t.Context(), tasks[0].ID, func(task *db.Task) error {
		now := db.Now()
		return errors.Join(task.Begin(now), task.Accept(db.Report{RemoteID: "r1", Status: "pending"}, now, now))
	})
	must(t, err)
	owner.Post("/team/service", asked("test", s.URL, serviceKey)).Is(303)
	owner.Get("/team/service").Is(200).Shows("1 video in progress is finished where it was started.").Shows("1 queued video waits")
	owner.Post("/team/service", asked("connect", s.URL, "")).Is(303)
	owner.Get("/team/service").Is(200).Shows("1 practice video is still being made.").Shows("1 queued practice video waits for its maker.")
}

// No page, log or row of the database holds the key in clear text.
func TestTheKeyIsNowhereInClearText(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	h.Registry.AllowPrivate = true
	s := newService(t)
	for _, address := range []string{s.URL, "https://ana:pass@video.example", "https://video.invalid"} {
		for _, do := range []string{"test", "connect"} {
			owner.Post("/team/service", asked(do, address, serviceKey))
		}
	}
	owner.Get("/team/service").Hides(serviceKey)
	files, err := filepath.Glob(h.Database + "*")
	must(t, err)
	if len(files) == 0 {
		t.Skip("the database is on a server")
	}
	texts := map[string]string{"the log": h.Log.String()}
	for _, name := range files {
		content, err := os.ReadFile(name)
		must(t, err)
		texts[name] = string(content)
	}
	for name, text := range texts {
		if strings.Contains(text, serviceKey) || strings.Contains(text, "ana:pass") {
			t.Errorf("it is in %s", name)
		}
	}
}
