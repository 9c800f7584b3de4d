package money_test

import (
	"database/sql"
	"encoding/csv"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/audit"
	"dailies/handlers/handlerstest"
)

// withMark returns the file after its byte-order mark, without which spreadsheets garble
// letters that are not in ASCII.
func withMark(t *testing.T, file string) *strings.Reader {
	t.Helper()
	rest, marked := strings.CutPrefix(file, "\ufeff")
	if !marked {
		t.Errorf("the file begins with %.10q", file)
	}
	return strings.NewReader(rest)
}

// lines returns the rows of an exported file, without the header.
func lines(t *testing.T, a *handlerstest.Answer) [][]string {
	t.Helper()
	all, err := csv.NewReader(withMark(t, a.Is(200).Text)).ReadAll()
	must(t, err)
	if len(all) == 0 || all[0][0] != "video" {
		t.Fatalf("the file begins with %q", all)
	}
	return all[1:]
}

func TestTheExportHasWhatThePersonMaySee(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	ada := h.Joiner(t, owner, "ada")
	k := h.AddTeamKey(t, "=Marketing")
	add := func(by int64, state db.State, private bool, prompt string) {
		task := h.AddTask(t, by, state)
		_, err := h.Store.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error {
			t.Prompt, t.Private = prompt, private
			return nil
		})
		must(t, err)
	}
	add(2, db.Success, false, "=1+1")
	add(2, db.Success, true, "a secret plan")
	add(2, db.Failed, false, "a thing that failed")
	add(1, db.Success, true, "-mine, \"quoted\"\nand two lines")
	raw, err := sql.Open("sqlite", "file:"+h.Database+"?_pragma=busy_timeout(5000)")
	must(t, err)
	defer raw.Close()
	_, err = raw.Exec(`UPDATE tasks SET key_id = ? WHERE id = 1`, k.TeamKeyID)
	must(t, err)

	all := owner.Get("/usage.csv")
	if got := all.Header.Get("Content-Type"); got != "text/csv; charset=utf-8" {
		t.Errorf("it is %q", got)
	}
	rows := lines(t, all)
	if len(rows) != 4 {
		t.Fatalf("%d lines: %q", len(rows), rows)
	}
	for i, want := range []string{"'=1+1", "", "", "'-mine, \"quoted\"\nand two lines"} {
		if got := rows[i][10]; got != want {
			t.Errorf("the prompt of video %d reads %q, want %q", i+1, got, want)
		}
	}
	if rows[0][8] != "'=Marketing" || rows[0][3] != "ada" || rows[3][12] != "30" {
		t.Errorf("the lines are %q", rows)
	}
	mine := lines(t, ada.Get("/usage.csv?who=1")) // she cannot select anybody else's videos
	if len(mine) != 3 || mine[1][10] != "a secret plan" || mine[2][10] != "a thing that failed" {
		t.Errorf("her lines are %q", mine)
	}
	for query, want := range map[string]int{
		"who=2": 3, "who=2&who=1": 4, "outcome=failed": 1, "outcome=success&who=1": 1, "key=0": 3, fmt.Sprint("key=", k.TeamKeyID): 1,
		"model=nothing": 0, "month=2001-01": 0, "per=month": 4, "month=junk&who=x&key=-1&outcome=y": 4, "who=99": 0,
	} {
		if rows := lines(t, owner.Get("/usage.csv?"+query)); len(rows) != want {
			t.Errorf("%s: %d lines, want %d", query, len(rows), want)
		}
	}
	entries, err := h.Store.Audit.Entries(t.Context(), audit.Search{Noun: "data", ActorID: 2, Limit: 9})
	must(t, err)
	if len(entries) != 1 || entries[0].Action != audit.Exported || entries[0].After != "everything" {
		t.Errorf("the audit says %+v", entries)
	}
}

func TestUsagePageAcceptsAnyQuery(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	ada := h.Joiner(t, owner, "ada")
	owner.Get("/usage").Is(200).Shows("Nothing spent yet")
	h.AddTask(t, 1, db.Success)
	h.AddTask(t, 2, db.Success)
	owner.Get("/usage").Is(200).
		Has(".roomlist a[href='/team/spending'][aria-current]", ".nav a[href='/team'][aria-current]", "svg.bars rect").Shows("By model")
	owner.Get("/usage?by=person&per=month").Is(200).Shows("Credits spent per month").Shows("ada")
	owner.Get("/usage?by=key").Is(200).Shows("Own keys")
	owner.Get("/usage?by=outcome&outcome=success").Is(200).Has("[aria-label='Filters that are set'] a")
	owner.Get("/usage?who=99").Is(200).Shows("Nothing fits these filters", "Person 99")
	owner.Get("/usage?month=2001-01").Is(200).Shows("January 2001")
	ada.Get("/usage?who=1&by=person").Is(200).Lacks("a[href*='by=person']", "a[href^='/team']").Hides(">Kim")
	h.AddTask(t, 2, db.Failed)
	ada.Get("/usage").Is(200).Has("td a[href='/tasks/3#answers']").Lacks("td a[href='/tasks/2#answers']")
	for _, junk := range []string{"-1", "1e30", "NaN", "", strings.Repeat("9", 400), "\x00\xff", "<script>", "2026-13", "0000-01",
		"9999-12"} {
		q := url.Values{}
		for _, name := range []string{"who", "model", "key", "outcome", "month", "per", "by"} {
			q[name] = []string{junk, junk, "x"}
		}
		owner.Get("/usage?" + q.Encode()).Is(200).Hides("<script>x")
		owner.Get("/usage.csv?" + q.Encode()).Is(200)
	}
}

func TestPracticeCreditsAreShownApart(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	h.AddTask(t, 1, db.Success)
	owner.Get("/usage").Is(200).Hides("not real credits")
	h.Connect(t, "https://service.example")
	owner.Get("/usage").Is(200).Hides("Nothing spent yet").
		Shows("Practice mode", "not real credits, and not counted above", "Month by month", "Practice, not real credits")
	owner.Get("/tasks/1").Is(200).Shows("Made in practice mode, without real credits.")
	owner.Get("/team/spending").Is(200).Shows("Practice mode: 30 for 1 video, not real credits.", "0 spent this month, no limit")
	owner.Get("/members/1").Is(200).Has("#facts").Shows("30", "0, no limit")

	h.AddTask(t, 1, db.Success)
	h.AddTask(t, 1, db.Success)
	owner.Get("/usage").Is(200).Has(".figure").Shows("60", "Practice mode")
	rows := lines(t, owner.Get("/usage.csv"))
	for i, want := range []string{"practice", "real", "real"} {
		if got := rows[i][len(rows[i])-1]; got != want {
			t.Errorf("video %d was made for %s credits, want %s", i+1, got, want)
		}
	}
}
