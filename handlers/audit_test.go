package handlers_test

import (
	"database/sql"
	"encoding/csv"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/gallery"
	"dailies/db/naming"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/team"
	"dailies/handlers/handlerstest"
	"dailies/handlers/site"
	"dailies/web/htmltest"
)

// An adminChange is a request of an admin, and the action of the entry that it leaves.
type adminChange struct {
	pattern, path, form string
	action              audit.Action
}

// everyAdminChange lists the routes with which admins make changes, in an order in
// which each succeeds, and the action of the audit entry that each leaves; the action
// is empty if the route only queries the service. Those that are not listed change a setting,
// as the example of their row does. Ada has the ID 2.
var everyAdminChange = []adminChange{
	{"POST /team/sign-on", "/team/sign-on", "passwords=1&admit=nobody&label=Work", audit.SettingChanged},
	{"POST /asks/{id}/answer", "/asks/1/answer", "answer=once&credits=90", audit.LimitAnswer},
	{"POST /members/invites", "/members/invites", "addresses=new@example.com", audit.InviteMade},
	{"POST /members/invites/{id}/renew", "/members/invites/2/renew", "", audit.InviteMade},
	{"POST /members/invites/{id}/revoke", "/members/invites/3/revoke", "", audit.InviteRevoked},
	{"POST /members/{id}/role", "/members/2/role", "role=viewer", audit.MemberRole},
	{"POST /members/{id}/reset", "/members/2/reset", "", audit.PasswordReset},
	{"POST /members/{id}/sessions/end", "/members/2/sessions/end", "", audit.SessionEnded},
	{"POST /members/{id}/second/remove", "/members/2/second/remove", "", audit.SecondStepDropped},
	{"POST /members/{id}/limit", "/members/2/limit", "limit=own&credits=90", audit.LimitChanged},
	{"POST /team/service", "/team/service", "do=practice", ""},
	{"POST /team/keys", "/team/keys", "name=Film", audit.KeySaved},
	{"POST /team/keys/standard", "/team/keys/standard", "key=1", audit.KeyRule},
	{"POST /team/keys/assign", "/team/keys/assign", "person=2&key=1", audit.KeyAssigned},
	{"POST /team/keys/rule", "/team/keys/rule", "own=forbidden", audit.KeyRule},
	{"POST /team/keys/free", "/team/keys/free", "task=1", audit.KeyFreed},
	{"POST /team/keys/{id}/key", "/team/keys/1/key", "anyway=1", audit.KeySaved},
	{"POST /team/keys/{id}/name", "/team/keys/1/name", "name=Films", audit.KeySaved},
	{"POST /team/keys/{id}/test", "/team/keys/1/test", "", ""},
	{"POST /team/keys/{id}/delete", "/team/keys/1/delete", "sure=1", audit.KeyDeleted},
	{"POST /members/{id}/deactivate", "/members/2/deactivate", "", audit.MemberDeactivated},
	{"POST /members/{id}/activate", "/members/2/activate", "", audit.MemberActivated},
	{"POST /team/limits", "/team/limits", "default=500&unpriced=allow", audit.LimitChanged},
	{"POST /team/announcement", "/team/announcement", "text=Lunch&until=" + "{tomorrow}", audit.SettingChanged},
	{"POST /team/announcement/remove", "/team/announcement/remove", "", audit.SettingChanged},
	{"POST /team/mail/test", "/team/mail/test", "", ""},
}

// blockKey adds a task of Ada's that has been sent for long, so that it blocks her key.
func blockKey(t *testing.T, h *handlerstest.Server) {
	t.Helper()
	task := db.Task{UserID: 2, FormToken: secrets.NewToken(),
		Request:   db.Request{Scene: "text-to-video", Model: "seedance-2.0", Prompt: "a boat"},
		CreatedAt: db.Now(), NextAt: db.Now().Add(time.Hour)}
	handlerstest.Queue(t, h.Store, &task)
	_, err := h.Store.Calls.SendTask(t.Context(), "a process that hangs", task.ID,
		secrets.Key{UserID: 2, Sealed: []byte("x"), Fingerprint: []byte("y")}, h.Store.Now().Add(-3*time.Minute))
	must(t, err)
}

// isAdminChange reports whether only admins may send the requests of the row, which change
// something.
func isAdminChange(row site.Route) bool {
	return strings.HasPrefix(row.Pattern, "POST ") && (row.For == site.ForAdmins || row.For == site.ForAdminsOpenly)
}

func TestEveryChangeByAnAdminIsInTheAudit(t *testing.T) {
	h := withMail(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	ada.Post("/limit/ask", url.Values{"ask_credits": {"90"}, "ask_sentence": {"For the trailer"}}).Is(303)
	must(t, h.Store.SignOn.Link(t.Context(), 2, signin.Claims{Issuer: "https://login.example.com", Subject: "ada"}, h.Store.Now()))
	blockKey(t, h)
	var listed []string
	changes := everyAdminChange
	for _, row := range changes {
		listed = append(listed, row.pattern)
	}
	found := map[string]bool{}
	for _, row := range h.App.Routes() {
		if !isAdminChange(row) {
			continue
		}
		found[row.Pattern] = true
		if !slices.Contains(listed, row.Pattern) {
			example := handlerstest.Examples(row)[0]
			changes = append(changes, adminChange{row.Pattern, handlerstest.Path(row, example.At), example.Body, audit.SettingChanged})
		}
	}
	for _, row := range changes {
		form, err := url.ParseQuery(strings.ReplaceAll(row.form, "{tomorrow}", tomorrow()))
		must(t, err)
		before, err := h.Store.Audit.Entries(t.Context(), audit.Search{Limit: 1})
		must(t, err)
		kim.Post(row.path, form).Is(303)
		if row.action == "" {
			continue
		}
		after, err := h.Store.Audit.Entries(t.Context(), audit.Search{Action: row.action, Limit: 1})
		must(t, err)
		if len(after) == 0 || after[0].ID <= before[0].ID {
			t.Errorf("%s leaves no %s", row.pattern, row.action)
			continue
		}
		if e := after[0]; e.Actor.UserID != 1 || e.Actor.Name != "Kim Doe" || e.Actor.Address == "" {
			t.Errorf("%s: %+v", row.pattern, e)
		}
	}
	for _, pattern := range listed {
		if !found[pattern] {
			t.Errorf("%s is not found among the routes for admins", pattern)
		}
	}
}

func TestTheAuditIsFilteredAndExported(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	h.Joiner(t, kim, "=ada")
	kim.Get("/audit").Is(200).Shows("Kim Doe", "invited a person", "joined")
	kim.Get("/audit?noun=invite").Is(200).Shows("invited a person").Hides("signed in")
	kim.Get("/audit?person=2").Is(200).Shows("=ada").Hides("the first account")
	kim.Get("/audit?until=2001-01-01").Is(200).Shows("Nothing fits")
	kim.Get("/audit?noun=%00&person=99999999999999999999&from=x&before=1e9").Is(200).Shows("joined")
	for range 30 {
		kim.Post("/members/zone", url.Values{"zone": {"Europe/Berlin"}}).Is(303)
		kim.Post("/members/zone", url.Values{"zone": {"UTC"}}).Is(303)
	}
	kim.Get("/audit").Is(200).Has("[rel=next]").Hides("the first account")
	kim.Get("/audit?before=5").Is(200).Lacks("[rel=next]").Shows("the first account")

	file := kim.Get("/audit.csv?noun=member").Is(200)
	if got := file.Header.Get("Content-Disposition"); !strings.Contains(got, "audit.csv") {
		t.Errorf("got %q", got)
	}
	if !strings.HasPrefix(file.Text, "\ufeffat,") { // without the mark, spreadsheets garble names
		t.Errorf("the file begins with %.10q", file.Text)
	}
	rows, err := csv.NewReader(strings.NewReader(file.Text)).ReadAll()
	must(t, err)
	if len(rows) != 3 || rows[1][1] != "'=ada" || rows[2][5] != "Kim Doe" {
		t.Errorf("got %q", rows)
	}
	kim.Get("/audit?noun=data").Is(200).Shows("exported", "audit.csv", "noun=member")
}

// deadlineRecorder records a response, counts the extensions of its deadline, and
// calls first at the first write.
type deadlineRecorder struct {
	*httptest.ResponseRecorder
	moved int
	first func()
}

func (w *deadlineRecorder) SetWriteDeadline(time.Time) error { w.moved++; return nil }

func (w *deadlineRecorder) Write(b []byte) (int, error) {
	if w.first != nil {
		w.first()
		w.first = nil
	}
	return w.ResponseRecorder.Write(b)
}

// An export is streamed while it is read, however large it is and however long it
// takes.
func TestAnExportIsSentWhileItIsRead(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	h.AddTask(t, 1, db.Success)
	d, err := sql.Open("sqlite", "file:"+h.Database+"?_pragma=busy_timeout(5000)")
	must(t, err)
	defer d.Close()
	do := func(statement string) {
		_, err := d.Exec(statement)
		must(t, err)
	}
	do(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2100)
		INSERT INTO tasks (user_id, form_token, scene, model, prompt, provider, pictures, options, state, created_at, words, day)
		SELECT user_id, hex(randomblob(16)), scene, model, prompt, provider, pictures, options, state, created_at, '', day FROM n,
			tasks WHERE id = 1`)
	do(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
		INSERT INTO audit (at, actor_id, actor, action, user_id, user_name, what, before, after, address)
		SELECT at, 0, '', action, 0, '', 'filler', '', '', '' FROM n, audit WHERE id = 1`)
	handler, err := h.App.Handler()
	must(t, err)
	home, err := url.Parse(h.URL)
	must(t, err)
	for _, c := range []struct{ path, meanwhile, without string }{
		{"/usage.csv", `DELETE FROM tasks WHERE id = 2101`, "\n2101,"},
		{"/audit.csv", `DELETE FROM audit WHERE what <> 'filler'`, "the first account"},
	} {
		r := httptest.NewRequest("GET", h.URL+c.path, nil)
		for _, cookie := range kim.Jar.Cookies(home) {
			r.AddCookie(cookie)
		}
		w := &deadlineRecorder{ResponseRecorder: httptest.NewRecorder(), first: func() { do(c.meanwhile) }}
		if handler.ServeHTTP(w, r); w.Code != 200 || w.moved == 0 {
			t.Errorf("%s: %d, and whoever takes it slowly is cut off after a minute", c.path, w.Code)
		}
		if rows := strings.Count(w.Body.String(), "\n"); rows < 1000 || strings.Contains(w.Body.String(), c.without) {
			t.Errorf("%s: %d lines were read before the first was sent", c.path, rows)
		}
	}
}

func TestTheAuditSettingsAndTheAnnouncementAreValidated(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	for _, days := range []string{"", "-1", "29", "3651", "1e2", "9999999999999999999999", "NaN"} {
		kim.Post("/audit/keep", url.Values{"days": {days}}).Is(422).Shows("from 30 to 3650")
	}
	kim.Post("/audit/keep", url.Values{"days": {"90"}}).Is(303)
	kim.Get("/audit").Is(200).Has("[name=days][value='90']")

	for _, bad := range []url.Values{
		{"text": {""}, "until": {tomorrow()}}, {"text": {"a"}, "until": {""}}, {"text": {"a"}, "until": {"2001-01-01T00:00"}},
		{"text": {"a"}, "until": {"9999-01-01T00:00"}}, {"text": {strings.Repeat("ü", 241)}, "until": {tomorrow()}},
		{"text": {"a"}, "until": {"-1"}},
	} {
		kim.Post("/team/announcement", bad).Is(422).Has(".error")
	}
	kim.Post("/team/announcement", url.Values{"text": {"<b>Lunch</b>\r\nat https://example.com/one."}, "until": {tomorrow()}}).Is(303)
	ada := h.Joiner(t, kim, "ada")
	for _, path := range []string{"/create/text-to-video", "/gallery", "/settings"} {
		ada.Get(path).Is(200).Shows("&lt;b&gt;Lunch&lt;/b&gt; at").Has(`aside a[href="https://example.com/one"]`)
	}
	h.Stranger(t).Get("/login").Is(200).Hides("Lunch")
	kim.Post("/team/announcement/remove", nil).Is(303)
	ada.Get("/gallery").Is(200).Hides("Lunch")
}

// Each person closes an announcement for themselves, until another one is shown. A
// warning may have to stay.
func TestAnAnnouncementIsClosedByEachPerson(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	show := func(text string, more ...string) {
		form := url.Values{"text": {text}, "until": {tomorrow()}}
		for i := 0; i < len(more); i += 2 {
			form.Set(more[i], more[i+1])
		}
		kim.Post("/team/announcement", form).LeadsTo("/team/brand")
	}
	show("Lunch at one", "kind", "info", "close", "on")
	mark := htmltest.Attr(htmltest.First(t, ada.Get("/gallery").Is(200).Root(), "[data-closes] [name=mark]"), "value")
	ada.Post("/announcement/close", url.Values{"mark": {mark}}).Is(303)
	ada.Get("/gallery").Is(200).Hides("Lunch at one")
	kim.Get("/gallery").Is(200).Shows("Lunch at one").Lacks("aside .care")

	show("Slow today", "kind", "warning")
	ada.Get("/gallery").Is(200).Shows("Slow today").Has("aside .care").Lacks("[data-closes]")
	ada.Post("/announcement/close", url.Values{"mark": {team.Announcement{Text: "Slow today"}.Mark()}}).Is(303)
	ada.Get("/gallery").Is(200).Shows("Slow today")
	kim.Post("/team/announcement", url.Values{"text": {"a"}, "until": {tomorrow()}, "kind": {"shout"}}).Is(422)
}

// tomorrow returns a time in the future, in the format that a browser sends.
func tomorrow() string { return time.Now().AddDate(0, 0, 2).Format("2006-01-02T15:04") }

// newestRow returns the HTML of the cell that says who acted, of the first row that the
// page shows.
func newestRow(t *testing.T, page *handlerstest.Answer) (who string) {
	t.Helper()
	_, rest, _ := strings.Cut(page.Is(200).Text, "<tbody><tr>")
	_, rest, found := strings.Cut(rest, "<td")
	if !found {
		t.Fatal("the audit has no row")
	}
	who, _, _ = strings.Cut(rest, "</td>")
	return who
}

func TestNoNameMisleadsTheAudit(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	ctx := audit.Acting(t.Context(), audit.Actor{Name: audit.CommandLine})
	must(t, h.Store.Audit.Record(ctx, audit.Entry{Action: audit.Exported, What: "a backup"}))
	command := newestRow(t, kim.Get("/audit?noun=data"))
	if !strings.Contains(command, `data-actor="command line"`) || strings.Contains(command, "@example.com") {
		t.Errorf("the command line is shown as %s", command)
	}
	names := []string{"Kim Doe", "the command line", "the\u200b command\u00a0line\u202e", "The Command Line", "Dailies",
		"Not signed in", "the command dailies password", "<span class=\"pill\" data-actor=\"command line\">the command line</span>",
		"Admin Zero"}
	before := "ada"
	for _, name := range names {
		ada.Post("/settings", url.Values{"name": {name}}).Is(303)
		changed := newestRow(t, kim.Get("/audit?noun=member&person=2"))
		if same := naming.Clean(name) == before; !same &&
			(strings.Contains(changed, `data-actor="`) || !strings.Contains(changed, "ada@example.com") ||
				!strings.Contains(changed, "<b><bdi>"+html.EscapeString(before)+"</bdi></b>")) {
			t.Errorf("after the change to %q, the actor is shown as %s", name, changed)
		}
		before = naming.Clean(name)
		ada.Post("/limit", url.Values{"self": {"500"}}).Is(303)
		ada.Post("/limit", url.Values{"self": {""}}).Is(303)
		acted := newestRow(t, kim.Get("/audit?noun=limit"))
		if strings.Contains(acted, `data-actor="`) || !strings.Contains(acted, "ada@example.com") ||
			!strings.Contains(acted, html.EscapeString(before)) {
			t.Errorf("named %q, the actor is shown as %s", name, acted)
		}
	}
	renamed, err := h.Store.Audit.Entries(t.Context(), audit.Search{Action: audit.MemberRenamed, Limit: 100})
	must(t, err)
	if len(renamed) != len(names)-1 { // the third name reads as the second
		t.Errorf("%d changes of names are recorded", len(renamed))
	}
	if e := renamed[0]; e.After != "Admin Zero" || e.Actor.Name != e.Before ||
		e.ActorNow != (audit.Account{Name: "Admin Zero", Email: "ada@example.com"}) {
		t.Errorf("got %+v", e)
	}
	first := newestRow(t, kim.Get("/audit?noun=session&person=2"))
	if !strings.Contains(first, "<b><bdi>ada</bdi></b>") || !strings.Contains(first, "now <bdi>Admin Zero</bdi>") {
		t.Errorf("who signed in under another name is shown as %s", first)
	}
}

func TestTheExportTellsAccountsFromCommands(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	ada.Post("/settings", url.Values{"name": {"the command line"}}).Is(303)
	ada.Post("/limit", url.Values{"self": {"500"}}).Is(303)
	for _, actor := range []audit.Actor{{Name: audit.CommandLine}, {Name: audit.PasswordCommand}, {Address: "192.0.2.1"}, {}} {
		must(t, h.Store.Audit.Record(audit.Acting(t.Context(), actor), audit.Entry{Action: audit.LimitAnswer}))
	}
	rows, err := csv.NewReader(strings.NewReader(kim.Get("/audit.csv?noun=limit").Is(200).Text)).ReadAll()
	must(t, err)
	column := func(name string) int { return slices.Index(rows[0], name) }
	var got []string
	for _, row := range rows[1:] {
		got = append(got, strings.Join([]string{row[column("who_kind")], row[column("who")], row[column("who_now")],
			row[column("who_email")]}, "|"))
	}
	want := []string{"program|Dailies||", "not signed in|Not signed in||", "command line|the command dailies password||",
		"command line|the command line||", "account|the command line|the command line|ada@example.com"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// ownChange matches the patterns of the routes with which people change their own account.
var ownChange = regexp.MustCompile(`^POST /(settings|limit|keys)`)

// everyOwnChange lists what such a change leaves in the audit, for those that a test can
// make with a form alone.
var everyOwnChange = []struct {
	path, form string
	action     audit.Action
	after      string
}{
	{"/settings", "name=Zed", audit.MemberRenamed, "Zed"},
	{"/limit", "self=90", audit.LimitChanged, "90 credits a month"},
	{"/settings/webhooks", "webhook=https://hooks.example.com/a-secret", audit.WebhookSaved, "https://hooks.example.com"},
	{"/settings/webhooks", "webhook=https://hooks.example.com/a-secret&types=test", audit.WebhookSaved, "https://hooks.example.com"},
	{"/settings/webhooks/2", "webhook=https://hooks.example.org/a-secret&types=video.ready", audit.WebhookSaved,
		"https://hooks.example.org"},
	{"/settings/webhooks/2/secret", "", audit.WebhookSaved, "https://hooks.example.org"},
	{"/settings/programs", "name=Importer&may=look&days=1&cap=0", audit.ProgramMade,
		"may look, at most 0 credits a month, until " + time.Now().UTC().AddDate(0, 0, 1).Format("2006-01-02")},
	{"/settings/programs/1/end", "", audit.ProgramEnded, ""},
	{"/settings/mail", "mail=ready&mail=limit", audit.NoticesChosen, "ready, limit"},
	{"/settings/key", "key=0123456789abcdef0123456789abcdef", audit.KeySaved, "…cdef"},
	{"/settings/key/delete", "", audit.KeyDeleted, ""},
}

func TestEveryChangeOfOnesOwnAccountIsInTheAudit(t *testing.T) {
	h := withMail(t)
	kim := h.Founder(t)
	h.Wire.Divert(func(*http.Request) (*http.Response, error) { return nil, http.ErrServerClosed }) // so that any key is saved
	listed := []string{                                                                             // tested where these are, or no change
		"POST /settings/password", "POST /settings/theme", "POST /settings/playing", "POST /settings/key/test",
		"POST /settings/webhook", "POST /settings/webhook/secret", "POST /settings/webhook/delete", "POST /settings/webhook/test",
		"POST /settings/webhook/standard", "POST /settings/webhooks/{id}/test", "POST /settings/webhooks/{id}/on",
		"POST /settings/webhooks/{id}/delete", "POST /settings/webhooks/{id}/deliveries/{delivery}/again",
		"POST /settings/sandbox/key", "POST /settings/sandbox/credits", "POST /settings/programs/{id}/continue",
		"POST /settings/programs/{id}/end",
		"POST /settings/codes", "POST /settings/codes/renew", "POST /settings/codes/off", "POST /settings/passkeys",
		"POST /settings/passkeys/options", "POST /settings/passkeys/{id}",
		"POST /settings/passkeys/{id}/delete", "POST /settings/identities", "POST /settings/identities/{id}/remove",
		"POST /settings/sessions/{id}/end", "POST /settings/sessions/end-others",
		"POST /limit/ask", "POST /limit/seen", "POST /settings/mail/ready", // the last is tested with a mail server
	}
	for _, row := range everyOwnChange {
		listed = append(listed, "POST "+strings.Replace(row.path, "/2", "/{id}", 1))
		form, err := url.ParseQuery(row.form)
		must(t, err)
		for range 2 { // the second time, most of them change nothing
			kim.Post(row.path, form).Is(303)
		}
		got, err := h.Store.Audit.Entries(t.Context(), audit.Search{Action: row.action, Limit: 100})
		must(t, err)
		if len(got) == 0 || got[0].Actor.UserID != 1 || got[0].UserID != 1 || got[0].After != row.after ||
			strings.Contains(got[0].What+got[0].Before, "a-secret") {
			t.Errorf("%s leaves %+v", row.path, got)
		}
	}
	kim.Post("/settings/webhooks/2/delete", nil).Is(303)
	kim.Get("/audit").Is(200).Shows("changed their name", "saved a webhook", "deleted a webhook", "chose email notifications").
		Hides("a-secret")
	for _, row := range h.App.Routes() {
		if ownChange.MatchString(row.Pattern) && !slices.Contains(listed, row.Pattern) {
			t.Errorf("it is not known what %s leaves in the audit", row.Pattern)
		}
	}
}

func TestPeopleOfOneNameAreToldApartWhereverTheyAreChosen(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	h.AddTeamKey(t, "Film")
	for i, name := range []string{"ada", "eve", "ivy"} {
		b := h.Joiner(t, kim, name)
		b.Post("/settings", url.Values{"name": {"Ada Doe"}}).Is(303)
		b.Post("/limit/ask", url.Values{"ask_credits": {"90"}, "ask_sentence": {"For the trailer"}}).Is(303)
		h.AddKept(t, int64(i+2), name)
	}
	for _, page := range []string{"/audit", "/audit?who=doe", "/members", "/members/2/leave", "/team/keys", "/team/spending",
		"/gallery", "/gallery/counts?menu=" + string(gallery.ByMaker), "/usage?by=person"} {
		kim.Get(page).Is(200).Shows("Ada Doe", "eve@example.com", "ivy@example.com")
	}
}
