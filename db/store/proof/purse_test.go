package proof_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/spending"
	"dailies/db/store"
	"dailies/web/scopetest"
)

// presses returns how many submissions compete for the 7 videos that a limit allows.
func presses() int {
	if scopetest.Long() {
		return 200
	}
	return 40
}

// everywhere runs the test on SQLite with one process, and on Postgres with two.
// Reopen closes their stores and opens new ones.
func everywhere(t *testing.T, test func(t *testing.T, r *racetrack, reopen func())) {
	start := func(t *testing.T, address string, processes int) {
		r := &racetrack{now: db.Now(), admin: db.User{Name: "Kim", Email: "kim@example.com", Password: "hash", Role: db.Admin}}
		reopen := func() {
			for _, s := range r.stores[:processes] {
				if s != nil {
					must(t, s.Close())
				}
			}
			for i := range r.stores {
				if i >= processes {
					r.stores[i] = r.stores[0]
					continue
				}
				s, err := store.Open(context.Background(), address)
				must(t, err)
				r.stores[i] = s
			}
		}
		reopen()
		t.Cleanup(func() {
			for _, s := range r.stores[:processes] {
				must(t, s.Close())
			}
		})
		r.admin.CreatedAt = r.now
		must(t, r.stores[0].Accounts.AddFirstUser(t.Context(), &r.admin))
		test(t, r, reopen)
	}
	t.Run("SQLite", func(t *testing.T) { start(t, filepath.Join(t.TempDir(), "dailies.db"), 1) })
	t.Run("Postgres", func(t *testing.T) { start(t, newDatabase(t), 2) })
}

// press makes this many submissions at the same moment, each for several videos of
// 3 credits. It returns how many were accepted with all their videos. The others
// were refused because of a limit, and added nothing.
func (r *racetrack) press(t *testing.T, times, videos int, people ...db.User) (placed int) {
	t.Helper()
	var all sync.WaitGroup
	var mu sync.Mutex
	refused := 0
	start := make(chan struct{})
	for i := range times {
		all.Go(func() {
			<-start
			var tasks []db.Task
			for range videos {
				task := r.task(people[i%len(people)])
				task.Quoted, task.Reserved = db.CreditsOf(3), 3
				tasks = append(tasks, task)
			}
			kept, err := r.stores[i%2].AddTasks(t.Context(), tasks)
			var over *spending.Over
			mu.Lock()
			defer mu.Unlock()
			switch {
			case errors.As(err, &over):
				refused++
			case err != nil:
				t.Errorf("a press failed: %v", err)
			case len(kept) != videos:
				t.Errorf("%d of %d videos were placed", len(kept), videos)
			default:
				placed++
			}
		})
	}
	close(start)
	all.Wait()
	if placed+refused != times {
		t.Errorf("%d placed, %d refused, of %d", placed, refused, times)
	}
	return placed
}

// spent returns what counts against the limits: of everybody, and of one person.
func (r *racetrack) spent(t *testing.T, u db.User) (all, own float64) {
	t.Helper()
	budget, err := r.stores[0].Limits.Budget(t.Context(), u.ID, r.now)
	must(t, err)
	return budget.TeamHas, budget.Spent
}

// TestNoPurseIsOverdrawn calls the monthly limit of a person or the team a purse. It
// makes many submissions at the same moment, with room for only 7 videos.
func TestNoPurseIsOverdrawn(t *testing.T) {
	everywhere(t, func(t *testing.T, r *racetrack, reopen func()) {
		ann, bo := r.joined(t), r.joined(t)
		must(t, r.stores[0].Limits.SetLimit(t.Context(), ann.ID, spending.Limit{Allowance: spending.Own, Credits: 23}))
		n := presses()
		placed := r.press(t, n/2, 1, ann)
		reopen()
		placed += r.press(t, n-n/2, 1, ann)
		if all, own := r.spent(t, ann); placed != 7 || all != 21 || own != 21 {
			t.Errorf("%d presses of a person were placed, and count %g, want 7 and 21", placed, own)
		}
		t.Logf("%d presses of one person: %d placed, %d refused, overdrawn 0", n, placed, n-placed)

		// 21 credits are spent already, so the team has room for 7 more videos.
		must(t, r.stores[0].Limits.SetOfTeam(t.Context(), spending.Limits{Team: db.CreditsOf(43)}))
		placed = r.press(t, n, 1, r.admin, bo)
		if all, _ := r.spent(t, ann); placed != 7 || all != 42 {
			t.Errorf("%d presses of a team were placed, and count %g, want 7 and 42", placed, all)
		}
		t.Logf("%d presses of two people of a team: %d placed, %d refused, overdrawn 0", n, placed, n-placed)

		// A batch of 3 is accepted as a whole or not at all, so two of them fit
		// into room for 7.
		must(t, r.stores[0].Limits.SetOfTeam(t.Context(), spending.Limits{Team: db.CreditsOf(42 + 23)}))
		placed = r.press(t, n, 3, r.admin, bo)
		if all, _ := r.spent(t, ann); placed != 2 || all != 60 {
			t.Errorf("%d batches of 3 were placed, and count %g, want 2 and 60", placed, all)
		}
	})
}

// TestARefundFreesRoomAtOnce lets a video fail, and makes another one in its place.
func TestARefundFreesRoomAtOnce(t *testing.T) {
	everywhere(t, func(t *testing.T, r *racetrack, _ func()) {
		ann := r.joined(t)
		must(t, r.stores[0].Limits.SetLimit(t.Context(), ann.ID, spending.Limit{Allowance: spending.Own, Credits: 4}))
		for i := range 5 {
			if placed := r.press(t, 2, 1, ann); placed != 1 {
				t.Fatalf("round %d: %d were placed", i, placed)
			}
			tasks, err := r.stores[0].Tasks.LatestTasks(t.Context(), ann.ID, 1)
			must(t, err)
			_, err = r.stores[1].Tasks.UpdateTask(t.Context(), tasks[0].ID, func(t *db.Task) error {
				if err := t.Begin(r.now); err != nil {
					return err
				}
				t.State, t.Charged = db.Pending, db.CreditsOf(3)
				if i%2 == 0 { // it costs more than was quoted
					t.Charged = db.CreditsOf(4)
				}
				return nil
			})
			must(t, err)
			if placed := r.press(t, 1, 1, ann); placed != 0 {
				t.Fatalf("round %d: a video was made of what another one costs", i)
			}
			_, err = r.stores[0].Tasks.UpdateTask(t.Context(), tasks[0].ID, func(t *db.Task) error {
				t.State, t.Returned, t.DoneAt = db.Failed, t.Charged, r.now
				return nil
			})
			must(t, err)
		}
		if _, own := r.spent(t, ann); own != 0 {
			t.Errorf("%g count after everything came back", own)
		}
		entries, err := r.stores[0].Audit.Entries(t.Context(), audit.Search{Noun: "limit", UserID: ann.ID, Limit: 100})
		must(t, err)
		over := 0
		for _, e := range entries {
			if e.Action == audit.Overcharged {
				over++
			}
		}
		if over != 1 { // the next ones were expected to cost as much
			t.Errorf("%d videos are recorded that cost more than was expected, want 1", over)
		}
	})
}

// TestPermitForOnceIsUsedOnce lets an admin allow one submission beyond the limit,
// and then makes many.
func TestPermitForOnceIsUsedOnce(t *testing.T) {
	everywhere(t, func(t *testing.T, r *racetrack, _ func()) {
		ann := r.joined(t)
		must(t, r.stores[0].Limits.SetLimit(t.Context(), ann.ID, spending.Limit{Allowance: spending.Own, Credits: 4}))
		for n, step := range []struct {
			answer spending.Answer
			more   float64
			want   int
		}{{"", 0, 1}, {spending.No, 30, 0}, {spending.Once, 1.5, 0}, {spending.Once, 3, 1}, {spending.Once, 3, 1}, {spending.ThisMonth, 8, 1}, {spending.Always, 6, 2}} {
			if step.answer != "" {
				a := spending.CreditRequest{UserID: ann.ID, Credits: 30, Sentence: "For the fair.", At: r.now}
				must(t, r.stores[0].Limits.AddCreditRequest(t.Context(), &a))
				if err := r.stores[1].Limits.AddCreditRequest(t.Context(), &a); !errors.Is(err, db.ErrConflict) {
					t.Fatalf("a second question was taken: %v", err)
				}
				won := r.run(t, both(func(ctx context.Context, s *store.Store) (bool, error) {
					_, err := s.Limits.AnswerCreditRequest(ctx, a.ID, step.answer, step.more, "", r.admin.ID, r.now)
					return lost(err)
				}))
				if won[0] == won[1] {
					t.Fatalf("two admins answered: %v", won)
				}
			}
			if placed := r.press(t, 10, 1, ann); placed != step.want {
				_, own := r.spent(t, ann)
				t.Fatalf("step %d, %s: %d were placed, want %d; %g count", n, fmt.Sprint(step.answer), placed, step.want, own)
			}
		}
	})
}
