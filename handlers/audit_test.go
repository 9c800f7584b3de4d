package handlers_test

import (
	"database/sql"
	"encoding/csv"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/team"
	"dailies/handlers/handlerstest"
)

// everyAdminChange lists the routes with which admins make changes, in an order in
// which each succeeds, and the action of the audit entry that each leaves; the action
// is empty if the route only queries the service. Ada has the ID 2.
var everyAdminChange = []struct {
	pattern, path, form string
	action              team.Action
}{
	{"POST /team/sign-on", "/team/sign-on", "passwords=1&admit=nobody&label=Work", team.SettingChanged},
	{"POST /asks/{id}/answer", "/asks/1/answer", "answer=once&credits=90", team.LimitAnswer},
	{"POST /members/zone", "/members/zone", "zone=Europe/Berlin", team.SettingChanged},
	{"POST /members/invites", "/members/invites", "addresses=new@example.com", team.InviteMade},
	{"POST /members/invites/{id}/revoke", "/members/invites/2/revoke", "", team.InviteRevoked},
	{"POST /members/{id}/role", "/members/2/role", "role=viewer", team.MemberRole},
	{"POST /members/{id}/reset", "/members/2/reset", "", team.PasswordReset},
	{"POST /members/{id}/sessions/end", "/members/2/sessions/end", "", team.SessionEnded},
	{"POST /members/{id}/second/remove", "/members/2/second/remove", "", team.FactorsDropped},
	{"POST /members/{id}/limit", "/members/2/limit", "limit=own&credits=90", team.LimitChanged},
	{"POST /team/keys", "/team/keys", "name=Film", team.KeySaved},
	{"POST /team/keys/standard", "/team/keys/standard", "key=1", team.KeyRule},
	{"POST /team/keys/assign", "/team/keys/assign", "person=2&key=1", team.KeyAssigned},
	{"POST /team/keys/rule", "/team/keys/rule", "own=forbidden", team.KeyRule},
	{"POST /team/keys/free", "/team/keys/free", "task=1", team.KeyFreed},
	{"POST /team/keys/{id}/key", "/team/keys/1/key", "anyway=1", team.KeySaved},
	{"POST /team/keys/{id}/name", "/team/keys/1/name", "name=Films", team.KeySaved},
	{"POST /team/keys/{id}/test", "/team/keys/1/test", "", ""},
	{"POST /team/keys/{id}/delete", "/team/keys/1/delete", "sure=1", team.KeyDeleted},
	{"POST /members/{id}/deactivate", "/members/2/deactivate", "", team.MemberDeactivated},
	{"POST /members/{id}/activate", "/members/2/activate", "", team.MemberActivated},
	{"POST /team/limits", "/team/limits", "default=500&unpriced=allow", team.LimitChanged},
	{"POST /team/announcement", "/team/announcement", "text=Lunch&until=" + "{tomorrow}", team.SettingChanged},
	{"POST /team/announcement/remove", "/team/announcement/remove", "", team.SettingChanged},
	{"POST /team/mail/test", "/team/mail/test", "", ""},
	{"POST /audit/keep", "/audit/keep", "days=90", team.SettingChanged},
}

// blockKey adds a task of Ada's that has been sent for long, so that it blocks her key.
func blockKey(t *testing.T, h *handlerstest.Server) {
	t.Helper()
	task := db.Task{UserID: 2, FormToken: db.NewToken(), Scene: "text-to-video", Model: "seedance-2.0", Prompt: "a boat", CreatedAt: db.Now(), NextAt: db.Now().Add(time.Hour)}
	handlerstest.Queue(t, h.Store, &task)
	_, err := h.Store.SendTask(t.Context(), "a process that hangs", task.ID, db.Key{UserID: 2, Sealed: []byte("x"), Fingerprint: []byte("y")}, h.Store.Now().Add(-3*time.Minute))
	must(t, err)
}

// adminRoute matches the lines of the route table with POST routes that only admins
// may use.
var adminRoute = regexp.MustCompile(`mux\.Handle\("(POST [^"]+)", admin\(`)

func TestEveryChangeByAnAdminIsInTheAudit(t *testing.T) {
	h := withMail(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	ada.Post("/limit/ask", url.Values{"ask_credits": {"90"}, "ask_sentence": {"For the trailer"}}).Is(303)
	must(t, h.Store.Link(t.Context(), 2, team.Claims{Issuer: "https://login.example.com", Subject: "ada"}, h.Store.Now()))
	blockKey(t, h)
	table, err := os.ReadFile("routes.go")
	must(t, err)
	var listed []string
	for _, row := range everyAdminChange {
		listed = append(listed, row.pattern)
		form, err := url.ParseQuery(strings.ReplaceAll(row.form, "{tomorrow}", tomorrow()))
		must(t, err)
		before, err := h.Store.Audit(t.Context(), team.Search{Limit: 1})
		must(t, err)
		kim.Post(row.path, form).Is(303)
		if row.action == "" {
			continue
		}
		after, err := h.Store.Audit(t.Context(), team.Search{Action: row.action, Limit: 1})
		must(t, err)
		if len(after) == 0 || after[0].ID <= before[0].ID {
			t.Errorf("%s leaves no %s", row.pattern, row.action)
			continue
		}
		if e := after[0]; e.Actor.UserID != 1 || e.Actor.Name != "Kim Doe" || e.Actor.Address == "" {
			t.Errorf("%s: %+v", row.pattern, e)
		}
	}
	for _, found := range adminRoute.FindAllStringSubmatch(string(table), -1) {
		if !slices.Contains(listed, found[1]) {
			t.Errorf("it is not known what %s leaves in the audit", found[1])
		}
	}
}

func TestTheAuditIsFilteredAndExported(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	h.Joiner(t, kim, "=ada")
	kim.Get("/audit").Is(200).Shows("Kim Doe", "invited somebody", "joined")
	kim.Get("/audit?noun=invite").Is(200).Shows("invited somebody").Hides("signed in")
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
		SELECT user_id, hex(randomblob(16)), scene, model, prompt, provider, pictures, options, state, created_at, '', day FROM n, tasks WHERE id = 1`)
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
		{"text": {"a"}, "until": {"9999-01-01T00:00"}}, {"text": {strings.Repeat("ü", 241)}, "until": {tomorrow()}}, {"text": {"a"}, "until": {"-1"}},
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

// tomorrow returns a time in the future, in the format that a browser sends.
func tomorrow() string { return time.Now().AddDate(0, 0, 2).Format("2006-01-02T15:04") }
