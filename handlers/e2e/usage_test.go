package e2e

import (
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// addSpending adds videos of users with long names to the database: on many days, with
// several models.
func addSpending(t *testing.T, s *server) {
	t.Helper()
	data, err := sql.Open("sqlite", "file:"+filepath.Join(s.dir, "dailies.db")+"?_txlock=immediate&_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	today := time.Now().Unix() / 86400
	for i, name := range []string{"Jon Okafor", "Maximiliane-Theodora von Hohenstein-Schillingsfürst", long[:80], "李小龍", "محمد عبد الرحمن"} {
		var id int64
		email := fmt.Sprintf("person%d@example.com", i)
		err := data.QueryRow(`
			INSERT INTO users (name, email, email_key, email_norm, password, role, last_scene, created_at)
			VALUES (?1, ?2, ?2, ?2, '', 'member', '', 0) RETURNING id`, name, email).Scan(&id)
		for j, model := range []string{"seedance-2.0", "seedance-2.0-fast", "veo3", "bytedance/seedance-1.5-pro", "of-old/" + long[:60]} {
			if err == nil {
				_, err = data.Exec(`
					WITH RECURSIVE n (d) AS (SELECT 0 UNION ALL SELECT d + 1 FROM n WHERE d < 100)
					INSERT INTO usage (user_id, day, model, outcome, key_id, service_id, tasks, paid, refunded)
					SELECT ?1, ?2 - d, ?3, 'success', 0, 1, 1 + d % 7, 12500 * (1 + (d * 7 + ?1) % 11), 0 FROM n WHERE (d + ?1) % (?4 + 2) = 0`,
					id, today, model, j)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestUsageIsNeverCutOff(t *testing.T) {
	t.Parallel()
	s, who, p := ownServer(t)
	who.make(t, long+" #refuse")
	addSpending(t, s)
	p.open("/usage")
	for _, width := range []int64{360, 768, 800, 1024, 1200, 1400, 1440, 2560} {
		p.size(width, 900)
		p.fits(width)
		if got := get[string](p, cutOff); got != "" {
			t.Errorf("at %d pixels the cards cut off %s", width, got)
		}
	}
}

// cutOff lists the table cells that stick out of their card.
const cutOff = `[...document.querySelectorAll(".card :is(td, th)")]
	.filter(e => e.checkVisibility() && e.getBoundingClientRect().right > e.closest(".card").getBoundingClientRect().right + 1)
	.map(e => e.textContent.trim().slice(0, 30)).slice(0, 5).join(", ")`

// showLongCollection opens a collection whose name is one word that does not fit on a
// line.
func showLongCollection(v *visit) {
	if v.paths["collection-long"] == "" {
		who, err := v.server.admin()
		if err != nil {
			v.t.Fatal(err)
		}
		page, err := who.post("/collections", url.Values{"name": {long[:60]}, "note": {long}})
		if err != nil {
			v.t.Fatal(err)
		}
		v.paths["collection-long"] = regexp.MustCompile(`/collections/\d+`).FindString(page)
	}
	at("{collection-long}")(v)
}

// showTeamUsage opens the usage page of a team with months of spending.
func showTeamUsage(v *visit) {
	if v.paths["usage-team"] == "" {
		addSpending(v.t, v.server)
		v.paths["usage-team"] = "/usage"
	}
	at("{usage-team}")(v)
}

// A user whose limit is reached loses nothing typed, asks for more credits on the same
// page, and makes the video once an admin has allowed it.
func TestALimitIsReachedAskedAboutAndRaised(t *testing.T) {
	t.Parallel()
	s, admin, boss := ownServer(t)
	if _, err := admin.post("/team/limits", url.Values{"default": {"30"}, "unpriced": {"allow"}}); err != nil {
		t.Fatal(err)
	}
	boss.expect("422")
	boss.open("/team/limits")
	boss.fill("#team", "lots")
	boss.leave(func() { boss.clickText("#limits button", "Save") })
	boss.await("what is wrong has the focus", focused("#team"))
	boss.open("/members/1")
	boss.leave(func() { boss.clickText("button", "Send link") })
	boss.await("the link has the focus", focused("#reset-link"))
	p := newTabOf(t, s.member(t))
	p.expect("422")
	p.open("/create/text-to-video?model=seedance-2.0&duration=5&resolution=720p")
	p.awaitText(".foot .price", "30 of 30 left this month")
	p.fill("#prompt", "A tram in the rain")
	p.leave(func() { p.clickText(makeButton, "Make the video") })
	p.awaitVideo()

	p.open("/create/text-to-video?model=seedance-2.0&duration=5&resolution=720p")
	p.fill("#prompt", "A tram in the snow")
	p.clickText(makeButton, "Make the video")
	p.awaitText("#wrong", "30 credits short: 0 of 30 left this month.")
	p.clickText("#ask summary", "Ask for more")
	p.fill("[name=ask_sentence]", "For the winter fair.")
	p.clickText("button[name=do]", "Ask")
	p.awaitText("#asked", "Asked for 30 more")
	p.await("the prompt is still there", `document.querySelector("#prompt").value === "A tram in the snow"`)

	boss.open("/gallery")
	boss.awaitText("body", "For the winter fair.")
	boss.leave(func() { boss.clickText(".notice a", "Answer") })
	boss.clickText("button[name=answer]", "Give 30 once")
	boss.awaitText("[data-toast]", "will see your answer")
	boss.await("no request waits", `document.querySelector("#requests").hidden && !document.querySelector("#rooms .count")`)

	if got := get[string](p, `document.querySelector("#prompt").value`); !strings.Contains(got, "snow") {
		t.Errorf("the prompt is %q", got)
	}
	p.leave(func() { p.clickText(makeButton, "Make the video") })
	p.awaitVideo()
	p.awaitText("body", "gave you 30 credits more")
}
