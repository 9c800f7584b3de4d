package watch_test

import (
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/secrets"
	"dailies/db/spending"
	"dailies/db/store"
	"dailies/web/scopetest"
)

// price is the cost in credits of each video of TestTheBooksAgree.
const price = 30

// TestTheBooksAgree submits 1,000 videos with DAILIES_LONG=1, otherwise 50, which
// succeed, fail, are canceled or are refused, while the program is killed again and
// again. Afterwards the amounts recorded here match the service's, and the spending
// limit was never exceeded.
func TestTheBooksAgree(t *testing.T) {
	t.Parallel() // it mostly waits
	presses := 1000
	if !scopetest.Long() {
		presses /= 20
	}
	dir := t.TempDir()
	s := newServiceIn(t, dir, time.Millisecond, nil)
	p := &program{path: buildProgram(t), dir: t.TempDir(), api: s.URL}
	p.start(t)
	p.signUp(t, s.key)
	limit := float64(price * presses / 2)
	if !p.post("/members/1/limit", url.Values{"limit": {"own"}, "credits": {strconv.FormatFloat(limit, 'f', -1, 64)}}) {
		t.Fatalf("the limit cannot be set: %s", p.log.String())
	}
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("DAILIES_SEED"); s != "" {
		var err error
		seed, err = strconv.ParseUint(s, 10, 64)
		must(t, err)
	}
	t.Logf("DAILIES_SEED=%d presses and kills in the same way", seed)
	random := rand.New(rand.NewPCG(seed, 2))
	placed, refused, kills := 0, 0, 0
	for n := range presses {
		ends := []string{"", "", "", "", "", "#fail", "#fail", "#fail", "#cancel", "#refuse"}[random.IntN(10)]
		var die *time.Timer
		if random.IntN(10) == 0 {
			victim := p.process.Process
			die = time.AfterFunc(time.Duration(random.IntN(60))*time.Millisecond, func() { _ = victim.Kill() })
		}
		answer, err := p.client.PostForm(p.base+"/create/text-to-video", url.Values{
			"token": {secrets.NewToken()}, "model": {"seedance-2.0"}, "prompt": {fmt.Sprintf("boat %d %s", n, ends)}, "duration": {"5"},
			"resolution": {"720p"},
		})
		if err == nil {
			answer.Body.Close()
			switch answer.StatusCode {
			case http.StatusSeeOther:
				placed++
			case http.StatusUnprocessableEntity:
				refused++
			default:
				t.Errorf("a press is answered with %s", answer.Status)
			}
		}
		if die == nil {
			continue
		}
		die.Stop()
		p.kill()
		kills++
		p.start(t)
		if over := p.spent(t) - limit; over > 0 {
			t.Errorf("the limit is overdrawn by %g", over)
		}
	}
	tasks := p.finish(t)
	p.compare(t, tasks, ledgerOf(t, dir), limit)
	t.Logf("%d presses, %d kills: %d placed, %d refused, overdrawn 0", presses, kills, placed, refused)
}

// spent returns the user's spending that counts towards the limit.
func (p *program) spent(t *testing.T) float64 {
	t.Helper()
	store, err := store.OpenExisting(t.Context(), filepath.Join(p.dir, "dailies.db"))
	must(t, err)
	defer store.Close()
	budget, err := store.Limits.Budget(t.Context(), 1, db.Now())
	must(t, err)
	return budget.Spent
}

// compare checks the price recorded for each video against the service's ledger. If a
// kill interrupted a create call, its outcome is unknown here: the video counts with
// its quoted price until the user decides.
func (p *program) compare(t *testing.T, tasks []db.Task, ledger map[string]float64, limit float64) {
	t.Helper()
	ours, theirs, unconfirmed := 0.0, 0.0, 0
	known := map[string]bool{}
	for _, task := range tasks {
		if task.State == db.Unconfirmed {
			unconfirmed++
			continue
		}
		paid := task.Charged.Amount - task.Returned.Amount
		if there := ledger[task.RemoteID]; task.RemoteID != "" && paid != there {
			t.Errorf("video %d, %s: %g were paid here, %g at the service", task.ID, task.State, paid, there)
		}
		known[task.RemoteID] = true
		ours, theirs = ours+paid, theirs+ledger[task.RemoteID]
	}
	elsewhere := 0
	for id := range ledger {
		if !known[id] {
			elsewhere++
		}
	}
	if elsewhere > unconfirmed {
		t.Errorf("the service was paid for %d videos that are not known here, of which %d are unconfirmed", elsewhere, unconfirmed)
	}
	counted := p.spent(t)
	if want := ours + float64(unconfirmed*price); counted != want || ours != theirs {
		t.Errorf(
			"%g count here, the videos say %g; the service says %g of those that are known, and here it is %g",
			counted, want, theirs, ours,
		)
	}
	if counted > limit {
		t.Errorf("%g count, and the limit is %g", counted, limit)
	}
	t.Logf(
		"%d videos, %d unconfirmed: %g paid here, %g by the service's ledger; %g count, of %g",
		len(tasks), unconfirmed, ours, theirs, counted, limit,
	)

	store, err := store.OpenExisting(t.Context(), filepath.Join(p.dir, "dailies.db"))
	must(t, err)
	defer store.Close()
	for _, task := range tasks {
		if task.State != db.Unconfirmed {
			continue
		}
		_, err := store.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error { return t.Decide(db.Now()) })
		must(t, err)
	}
	if counted := p.spent(t); counted != theirs {
		t.Errorf("%g count after the person has decided, want %g", counted, theirs)
	}
	wrong, err := store.Usage.WrongUsage(t.Context())
	must(t, err)
	for _, line := range wrong {
		t.Error(line)
	}
	entries, err := store.Audit.Entries(t.Context(), audit.Search{Action: audit.Overcharged, Limit: 1})
	must(t, err)
	if len(entries) > 0 {
		t.Errorf("%s cost more than the service had stated", entries[0].What)
	}
}

// ledgerOf returns the credits per task that the sandbox in the folder has charged.
func ledgerOf(t *testing.T, dir string) map[string]float64 {
	t.Helper()
	raw, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "sandbox.db")+"?mode=ro")
	must(t, err)
	defer raw.Close()
	rows, err := raw.QueryContext(
		t.Context(), `SELECT task_id, -sum(amount) / 1000.0 FROM ledger WHERE task_id IS NOT NULL GROUP BY task_id`,
	)
	must(t, err)
	defer rows.Close()
	ledger := map[string]float64{}
	for rows.Next() {
		var id string
		var kept float64
		must(t, rows.Scan(&id, &kept))
		ledger[id] = kept
	}
	must(t, rows.Err())
	return ledger
}

// A video is submitted in the last minute of a month, in the team's time zone, and
// fails in the next month: its refund belongs to the month of the submission.
func TestARefundGoesToTheMonthOfItsVideo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		zone, err := db.ParseZone("America/New_York")
		must(t, err)
		must(t, b.store.Settings.SetTimeZone(t.Context(), zone.String()))
		must(t, b.store.Limits.SetLimit(t.Context(), 1, spending.Limit{Allowance: spending.Own, Credits: 30}))
		_, err = b.store.Settings.RebuildDays(t.Context(), 100)
		must(t, err)
		press := func(prompt string) (int64, error) {
			tasks, err := b.store.AddTasks(t.Context(), []db.Task{{
				UserID: 1, FormToken: secrets.NewToken(), Request: db.Request{Scene: "text-to-video", Model: "seedance-2.0", Prompt: prompt,
					Options: db.Options{Duration: 5, Resolution: "720p", AspectRatio: "16:9"}}, CreatedAt: db.Now(),
				Quoted: db.CreditsOf(30), Reserved: 30,
			}})
			if err != nil {
				return 0, err
			}
			return tasks[0].ID, nil
		}
		budget := func(at time.Time) spending.Budget {
			r, err := b.store.Limits.Budget(t.Context(), 1, at)
			must(t, err)
			return r
		}
		end := time.Date(2000, 2, 1, 0, 0, 0, 0, zone)
		time.Sleep(time.Until(end.Add(-time.Minute)))
		id, err := press("a boat #fail")
		must(t, err)
		var over *spending.Over
		if _, err := press("a kite"); !errors.As(err, &over) || over.Budget.Month != 200001 {
			t.Fatalf("a second video of the month: %v", err)
		}
		time.Sleep(2 * time.Minute)
		if was, is := budget(end.Add(-time.Second)), budget(db.Now()); was.Spent != 30 || is.Spent != 0 || is.Month != 200002 {
			t.Errorf("%g count in January and %g in February", was.Spent, is.Spent)
		}
		b.start(t)
		b.until(t, id, "failed", func(t db.Task) bool { return t.State == db.Failed })
		if was, is := budget(end.Add(-time.Second)), budget(db.Now()); was.Spent != 0 || is.Spent != 0 {
			t.Errorf("%g count in January and %g in February, after it failed", was.Spent, is.Spent)
		}
		if _, err := press("a kite"); err != nil {
			t.Errorf("the first video of February: %v", err)
		}
	})
}
