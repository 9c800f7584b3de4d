package command_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/gallery"
	programs "dailies/db/program"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/db/store/postgres/postgrestest"
)

// A browser visits a running program with cookies of its own.
type browser struct {
	t      *testing.T
	base   string
	client *http.Client
}

func visit(t *testing.T, base string) browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return browser{t, base, &http.Client{Jar: jar}}
}

// post sends a form, and returns the path of the page to which the answer led.
func (b browser) post(path string, fields ...string) string {
	b.t.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	answer, err := b.client.PostForm(b.base+path, form)
	if err != nil {
		b.t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return answer.Status
	}
	return answer.Request.URL.Path
}

// get returns the text of a page.
func (b browser) get(path string) string {
	b.t.Helper()
	answer, err := b.client.Get(b.base + path)
	if err != nil {
		b.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

// listedUsers is what "dailies user list -json" prints.
type listedUsers struct {
	Users []listedUser `json:"users"`
}

type listedUser struct {
	ID        int64
	Name      string
	Email     *string
	Role      string
	Active    bool
	CreatedAt *time.Time `json:"created_at"`
	SeenAt    *time.Time `json:"seen_at"`
	Left      *time.Time `json:"deactivated_at"`
	Limit     struct {
		Kind    string
		Credits *float64
	}
	Spent *float64 `json:"spent_this_month"`
}

// parsed parses what a command has printed, which must have no fields that the test does
// not know.
func parsed[T any](t *testing.T, text string) (value T) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&value); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return value
}

// Accounts are listed and changed while the program runs, on both engines, and what the
// commands do holds at once for the pages.
func TestUserCommandsWorkBesideTheRunningProgram(t *testing.T) {
	for engine, settings := range map[string]func(*testing.T) []string{
		"SQLite": func(t *testing.T) []string { return []string{"-data", t.TempDir()} },
		"Postgres": func(t *testing.T) []string {
			database, err := postgrestest.Need(t).Database(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return []string{"-data", t.TempDir(), "-database", database}
		},
	} {
		t.Run(engine, func(t *testing.T) { changeUsers(t, settings(t)) })
	}
}

func changeUsers(t *testing.T, where []string) {
	base, _, stop := start(t, append(where, "-addr", "127.0.0.1:0", "-setup-token", "the-setup-token")...)
	defer stop()
	kim := visit(t, base)
	kim.post("/setup?token=the-setup-token", "name", "Kim", "email", "kim@example.com", "password", "a long enough one")
	user := func(want int, args ...string) (stdout, stderr string) {
		t.Helper()
		status, stdout, stderr := run(t, slices.Concat([]string{"user"}, args, where)...)
		if status != want || strings.Contains(stderr, "SQL") || want != 0 && (stdout != "" || strings.Count(stderr, "\n") != 1) {
			t.Fatalf("%q: status %d, %q, %q", args, status, stdout, stderr)
		}
		return stdout, stderr
	}
	link, said := user(0, "add", "lee@example.com", "-name", "  Lee \u202e\n Ito", "-limit", "500", "-public-url", base)
	if !strings.HasPrefix(link, base+"/reset/") || strings.Count(link, "\n") != 1 ||
		!strings.Contains(said, "Lee Ito has an account now, with the role member") {
		t.Errorf("it prints %q, %q", link, said)
	}
	lee, path := visit(t, base), strings.TrimPrefix(strings.TrimSpace(link), base)
	if got := lee.post(path, "password", "another long one"); got != "/login" {
		t.Errorf("the link leads to %s", got)
	}
	if got := lee.post(
		"/login", "email", "lee@example.com", "password", "another long one",
	); strings.HasPrefix(got, "/login") || strings.HasPrefix(got, "4") {
		t.Errorf("the sign-in leads to %s", got)
	}
	if got := lee.post(path, "password", "a third long one"); got != "404 Not Found" {
		t.Errorf("the link works twice: %s", got)
	}

	text, _ := user(0, "list", "-json")
	list := parsed[listedUsers](t, text).Users
	if len(list) != 2 || list[0].Name != "Kim" || list[0].Role != "admin" || list[0].Limit.Kind != "default" ||
		list[0].Limit.Credits != nil || list[0].SeenAt == nil {
		t.Errorf("the list is %s", text)
	}
	if l := list[1]; l.Name != "Lee Ito" || *l.Email != "lee@example.com" || l.Role != "member" || !l.Active ||
		l.Limit.Kind != "own" || *l.Limit.Credits != 500 || *l.Spent != 0 || l.Left != nil || l.CreatedAt == nil {
		t.Errorf("the list is %s", text)
	}
	if table, _ := user(0, "list"); !strings.Contains(table, "lee@example.com") || strings.Count(table, "\n") != 3 {
		t.Errorf("the table is %s", table)
	}

	if said, _ := user(0, "role", "LEE@example.com", "admin"); said != "The role of Lee Ito is admin.\n" {
		t.Errorf("it says %q", said)
	}
	if got := lee.post("/team/limits", "default", "100", "team", ""); strings.HasPrefix(got, "4") {
		t.Errorf("the new admin is answered %s", got)
	}
	text, _ = user(0, "role", "2", "viewer", "-json")
	if got := parsed[struct{ User listedUser }](t, text).User; got.Role != "viewer" || got.Name != "Lee Ito" {
		t.Errorf("it prints %s", text)
	}
	if got := lee.post("/team/limits", "default", "200", "team", ""); !strings.HasPrefix(got, "4") {
		t.Errorf("a viewer is let in at %s", got)
	}
	hash := addTokens(t, where, 2, "Importer", "Exporter")
	if text, _ = user(0, "end-tokens", "lee@example.com", "-json"); parsed[struct {
		User  listedUser
		Ended int `json:"tokens_ended"`
	}](t, text).Ended != 2 {
		t.Errorf("it prints %s", text)
	}
	if said, _ := user(0, "end-tokens", "2"); said != "Ended 0 tokens of Lee Ito.\n" {
		t.Errorf("it says %q", said)
	}
	if status := withToken(t, base, hash); status != http.StatusUnauthorized {
		t.Errorf("an ended token is answered %d", status)
	}
	addTokens(t, where, 2, "Importer")
	if said, log := user(0, "deactivate", "lee@example.com"); !strings.HasPrefix(said, "The account of Lee Ito is deactivated. What they made stays under their name.\n") || !strings.Contains(log, `"tokens ended"=1`) {
		t.Errorf("it says %q, and logs %s", said, log)
	}
	if got := lee.post("/settings", "name", "Lee"); got != "/login" {
		t.Errorf("a deactivated person is led to %s", got)
	}
	table := kim.get("/audit.csv?noun=member")
	if n := len(regexp.MustCompile(`(?m)Z,`+audit.UserCommand+`,,,member\..*,command line,`).FindAllString(table, -1)); n != 4 {
		t.Errorf("%d entries are by the command: %s", n, table)
	}
}

// addTokens makes tokens of the person, and returns the last.
func addTokens(t *testing.T, where []string, userID int64, names ...string) (secret string) {
	t.Helper()
	database := filepath.Join(where[1], "dailies.db")
	if len(where) > 2 {
		database = where[3]
	}
	s, err := store.OpenExisting(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, name := range names {
		secret = programs.NewSecret()
		hash, _ := programs.Parse(secret)
		token := programs.Token{
			UserID: userID, Name: name, Start: programs.Start(secret), Hash: hash, May: programs.Look, CreatedAt: db.Now(),
			EndsAt: db.Now().Add(time.Hour),
		}
		if err := s.Programs.Add(t.Context(), &token); err != nil {
			t.Fatal(err)
		}
	}
	return secret
}

// withToken returns the status of an answer to a program.
func withToken(t *testing.T, base, secret string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/api/v1/me", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+secret)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode
}

func TestUserCommandsFollowTheRulesOfThePages(t *testing.T) {
	dir := t.TempDir()
	setupLinkOf(t, "-data", dir) // makes the database
	for _, c := range []struct {
		status int
		says   string
		args   []string
	}{
		{2, "user needs to know what to do", nil},
		{2, "user needs to know what to do", []string{"remove", "kim@example.com"}},
		{2, "user add needs more than that: dailies user add EMAIL -name NAME", []string{"add", "-name", "Kim"}},
		{2, `"else" is one argument too many`, []string{"role", "kim@example.com", "admin", "else"}},
		{2, "-name has to say", []string{"add", "kim@example.com"}},
		{2, "-name cannot be used", []string{"add", "kim@example.com", "-name", "\u200b\u202e "}},
		{2, "-name cannot be used", []string{"add", "kim@example.com", "-name", strings.Repeat("é", 81)}},
		{2, "does not look like an e-mail address", []string{"add", "kim", "-name", "Kim"}},
		{2, "does not look like an e-mail address", []string{"add", "k\u200bim@example.com", "-name", "Kim"}},
		{2, `"boss" is not a role`, []string{"add", "kim@example.com", "-name", "Kim", "-role", "boss"}},
		{2, `-limit "-5" cannot be used`, []string{"add", "kim@example.com", "-name", "Kim", "-limit", "-5"}},
		{2, "-public-url has more than a host", []string{
			"add", "kim@example.com", "-name", "Kim", "-public-url", "https://example.com/videos",
		}},
		{1, "the team has no admin yet", []string{"add", "kim@example.com", "-name", "Kim"}},
		{0, "", []string{"add", "kim@example.com", "-name", "Kim", "-role", "admin"}},
		{1, "“KIM@example.com” already has an account: Kim.", []string{"add", "KIM@example.com", "-name", "Other"}},
		{1, "Kim is the only admin; make somebody else an admin first", []string{"role", "kim@example.com", "member"}},
		{1, "Kim is the only admin; make somebody else an admin first", []string{"deactivate", "kim@example.com"}},
		{1, `no account has the e-mail address or the ID "bo@example.com"`, []string{"role", "bo@example.com", "member"}},
		{1, `no account has the e-mail address or the ID "99"`, []string{"deactivate", "99"}},
		{2, `"boss" is not a role`, []string{"role", "kim@example.com", "boss"}},
		{0, "", []string{"add", "bo@example.com", "-name", "Bo", "-role", "viewer", "-limit", "none"}},
		{1, "nothing can be handed to Bo", []string{"deactivate", "bo@example.com", "-hand-to", "bo@example.com"}},
		{1, `-hand-to: no account has`, []string{"deactivate", "bo@example.com", "-hand-to", "x@example.com"}},
		{2, "-private \"x\" cannot be used", []string{"deactivate", "bo@example.com", "-private", "x"}},
		{2, "-private hand needs -hand-to", []string{"deactivate", "bo@example.com", "-private", "hand"}},
		{0, "The account of Bo is deactivated.", []string{"deactivate", "bo@example.com"}},
		{1, "the account of Bo is deactivated already", []string{"deactivate", "bo@example.com"}},
		{1, "the account of Bo is deactivated; activate it first", []string{"role", "bo@example.com", "member"}},
		{0, "The account of Bo is active again.", []string{"activate", "bo@example.com"}},
		{1, "the account of Bo is active already", []string{"activate", "bo@example.com"}},
		{0, "Limit of Bo for a month: 250", []string{"limit", "bo@example.com", "250"}},
		{0, "Limit of Bo for a month: no limit.", []string{"limit", "bo@example.com", "none"}},
		{0, `"kind": "default"`, []string{"limit", "bo@example.com", "default", "-json"}},
		{2, `the limit "much" cannot be used`, []string{"limit", "bo@example.com", "much"}},
		{2, "user limit needs more than that", []string{"limit", "bo@example.com"}},
		{1, `no account has the e-mail address or the ID "99"`, []string{"limit", "99", "5"}},
		{0, "The account of Bo is deactivated.", []string{"deactivate", "bo@example.com"}},
		{2, "user end-tokens needs more than that: dailies user end-tokens EMAIL", []string{"end-tokens"}},
		{1, `no account has the e-mail address or the ID "x@example.com"`, []string{"end-tokens", "x@example.com"}},
		{0, "Ended 0 tokens of Bo.", []string{"end-tokens", "bo@example.com"}},
		{1, "has a deactivated account: Bo.", []string{"add", "bo@example.com", "-name", "Bo"}},
	} {
		status, stdout, stderr := run(t, slices.Concat([]string{"user"}, c.args, []string{"-data", dir})...)
		if status != c.status || !strings.Contains(stdout+stderr, c.says) ||
			status != 0 && (stdout != "" || !strings.HasPrefix(stderr, "dailies: ") || strings.Count(stderr, "\n") != 1) {
			t.Errorf("%q: status %d, %q, %q", c.args, status, stdout, stderr)
		}
	}
	s, _ := openSealed(t, dir, "")
	defer s.Close()
	entries, err := s.Audit.Entries(t.Context(), audit.Search{Noun: "member", Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	var actions []string
	for _, e := range entries {
		if e.Actor.Kind() != audit.ByCommand || e.Actor.Name != audit.UserCommand {
			t.Errorf("%s is by %+v", e.Action, e.Actor)
		}
		actions = append(actions, string(e.Action)+" "+e.User)
	}
	if want := []string{
		"member.deactivate Bo", "member.activate Bo", "member.deactivate Bo", "member.add Bo", "member.add Kim",
	}; !slices.Equal(actions, want) {
		t.Errorf("the audit has %q, want %q", actions, want)
	}
}

// Whoever gets the links of a colleague can still show them, as when an admin hands them
// over on the page.
func TestDeactivateHandsOverWhatSomebodyHas(t *testing.T) {
	dir := t.TempDir()
	setupLinkOf(t, "-data", dir)
	for _, args := range [][]string{{
		"add", "kim@example.com", "-name", "Kim", "-role", "admin",
	}, {"add", "bo@example.com", "-name", "Bo"}} {
		if status, _, said := run(t, slices.Concat([]string{"user"}, args, []string{"-data", dir})...); status != 0 {
			t.Fatal(said)
		}
	}
	s, vault := openSealed(t, dir, "")
	token := leaveSomething(t, s, vault, 2)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	leave := func(args ...string) (int, string, string) {
		return run(t, slices.Concat([]string{"user", "deactivate", "bo@example.com", "-data", dir}, args)...)
	}
	if status, _, said := leave(); status != 1 || !strings.Contains(said, "nobody would see the private videos of Bo any more") {
		t.Errorf("status %d, %s", status, said)
	}
	if status, _, said := leave("-hand-to", "kim@example.com", "-secret", otherSecret); status != 1 ||
		!strings.Contains(said, "another secret") {
		t.Errorf("status %d, %s", status, said)
	}
	status, stdout, stderr := leave("-hand-to", "kim@example.com", "-json")
	if status != 0 || stderr != "" {
		t.Fatalf("status %d, %s", status, stderr)
	}
	done := parsed[struct {
		User listedUser
		Had  map[string]int
	}](t, stdout)
	if done.User.Active || done.User.Left == nil || done.Had["private"] != 1 || done.Had["videos"] != 1 || done.Had["shared_links"] != 1 {
		t.Errorf("it prints %s", stdout)
	}
	if strings.Contains(stdout, token) {
		t.Error("it prints the token of a link")
	}
	if s, vault = openSealed(t, dir, ""); s != nil {
		defer s.Close()
	}
	shares, err := s.Links.Shares(t.Context(), 1, db.Now(), 10)
	if err != nil || len(shares) != 1 {
		t.Fatalf("%d links, %v", len(shares), err)
	}
	if got, err := vault.OpenToken(1, shares[0].Sealed); got != token {
		t.Errorf("the link of the heir opens as %q, %v", got, err)
	}
}

// leaveSomething gives the person a private video and a link to it, and returns the
// link's token.
func leaveSomething(t *testing.T, s *store.Store, vault *secrets.Vault, by int64) (token string) {
	t.Helper()
	now := db.Now()
	added, err := s.AddTasks(t.Context(), []db.Task{{
		UserID: by, FormToken: "form", Request: db.Request{Scene: "text-to-video", Model: "veo3", Prompt: "a kite"},
		Private: true, CreatedAt: now,
	}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Calls.SettleCall(t.Context(), added[0].ID, func(t *db.Task) error {
		if err := t.Begin(now); err != nil {
			return err
		}
		if err := t.Accept(db.Report{RemoteID: "1", Status: "pending"}, now, now); err != nil {
			return err
		}
		err := t.Report(
			db.Report{RemoteID: "1", Status: "success", Results: []db.Result{{Kind: db.Video, URL: "https://example.com/v.mp4"}}},
			now, now,
		)
		t.Keeping = db.Lost
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	token = secrets.NewToken()
	share := gallery.Share{
		Token: token, Sealed: vault.SealToken(by, token), TaskID: added[0].ID, CreatedBy: by, CreatedAt: now,
		ExpiresAt: now.Add(time.Hour),
	}
	if err := s.Links.AddShare(t.Context(), &share); err != nil {
		t.Fatal(err)
	}
	return token
}

func TestNothingOfUserCommandsIsReadFromTheEnvironment(t *testing.T) {
	dir := t.TempDir()
	setupLinkOf(t, "-data", dir)
	env := filepath.Join(dir, "settings.env")
	if err := os.WriteFile(
		env,
		[]byte("DAILIES_DATA="+dir+"\nDAILIES_PUBLIC_URL=https://video.example.com\nDAILIES_ROLE=admin\nDAILIES_JSON=true\n"),
		0o600,
	); err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr := run(t, "user", "add", "kim@example.com", "-name", "Kim", "-role", "admin", "-env", env)
	if status != 0 || !strings.HasPrefix(stdout, "https://video.example.com/reset/") ||
		!strings.Contains(stderr, "DAILIES_ROLE is not a setting") {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
	if status, stdout, stderr = run(
		t, "user", "add", "bo@example.com", "-name", "Bo", "-env", env,
	); !strings.Contains(stderr, "with the role member") {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
}
