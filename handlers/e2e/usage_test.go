package e2e

import (
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
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
