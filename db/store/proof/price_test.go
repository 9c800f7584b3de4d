package proof_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/program"
	"dailies/db/schedule"
	"dailies/db/secrets"
	"dailies/db/spending"
	"dailies/db/store"
)

// A till is a service that charges the same for each video. It is called by two processes.
type till struct {
	price    float64
	loses    func(call int) bool // whether the answer to the call, counted from 1, is lost; nil for never
	unpriced func(call int) bool // whether that answer names no price

	mu     sync.Mutex
	calls  int
	taken  float64 // what was charged
	now    int     // calls that are under way
	most   int     // the most that were under way at once
	prices int     // answers that have named the price
	early  int     // the most that were under way at once before the first of these
}

// charge answers a create call.
func (k *till) charge(id int64, at time.Time) (db.Reply, bool) {
	k.mu.Lock()
	k.calls++
	call := k.calls
	k.taken += k.price
	k.now++
	if k.most = max(k.most, k.now); k.prices == 0 {
		k.early = max(k.early, k.now)
	}
	k.mu.Unlock()
	r := db.Reply{TaskID: id, SentAt: at, At: at, State: db.Pending, Report: db.Report{RemoteID: fmt.Sprint("r", id), Status: "pending"}}
	switch {
	case k.loses != nil && k.loses(call):
		r.State = db.Unconfirmed
	case k.unpriced == nil || !k.unpriced(call):
		r.Report.Charged = db.CreditsOf(k.price)
	}
	return r, r.Report.Charged.Known
}

func (k *till) end(named bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.now--; named {
		k.prices++
	}
}

// sell sends everything that may be sent, from both processes at once, until nothing is due.
func (r *racetrack) sell(t *testing.T, k *till) {
	t.Helper()
	for sold := true; sold; {
		sold = false
		var all sync.WaitGroup
		var mu sync.Mutex
		for i := range 6 {
			s, process := r.stores[i%2], r.stores[i%2].Process()
			all.Go(func() {
				for {
					tasks, err := s.Leases.Claim(t.Context(), process, r.now, r.now.Add(time.Hour), schedule.Capacity{Send: 3})
					if err != nil {
						t.Error(err)
					}
					if len(tasks) == 0 {
						return
					}
					mu.Lock()
					sold = true
					mu.Unlock()
					for _, task := range tasks {
						if err := r.send(t.Context(), s, process, k, task); err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
		all.Wait()
	}
	for _, s := range r.stores {
		if due, err := s.Leases.NextDue(t.Context(), schedule.Capacity{Send: 9}); err != nil || !due.IsZero() {
			t.Errorf("something is due at %s although nothing can be claimed: %v", due, err)
		}
	}
}

// send makes the task's create call as the watcher does.
func (r *racetrack) send(ctx context.Context, s *store.Store, process string, k *till, task db.Task) error {
	_, err := s.Calls.SendTask(ctx, process, task.ID, secrets.Key{Sealed: []byte("sealed")}, r.now)
	reached := new(spending.Reached)
	switch {
	case errors.Is(err, db.ErrConflict):
		return s.Leases.EndLease(ctx, process, task.ID)
	case errors.As(err, &reached):
		_, err = s.Tasks.UpdateTask(ctx, task.ID, func(t *db.Task) error { return t.Reject(db.LimitError, "limit", r.now) })
		return err
	case err != nil:
		return err
	}
	reply, named := k.charge(task.ID, r.now)
	time.Sleep(0) // let the others try
	k.end(named)
	_, err = s.Calls.SettleCall(ctx, task.ID, reply.Apply)
	return err
}

// unpriced returns a task of the person whose price nobody knows.
func (r *racetrack) unpriced(u db.User) db.Task {
	task := r.task(u)
	task.Model, task.Options = "veo3", db.Options{Resolution: "1080p"}
	return task
}

// A way adds a video for the person, or says that a limit is reached.
type way func(ctx context.Context, s *store.Store, u db.User) error

// plain presses a button on a page.
func (r *racetrack) plain(ctx context.Context, s *store.Store, u db.User) error {
	_, err := s.AddTasks(ctx, []db.Task{r.unpriced(u)})
	return err
}

// rows adds two rows of a table.
func (r *racetrack) rows(ctx context.Context, s *store.Store, u db.User) error {
	one, other := r.unpriced(u), r.unpriced(u)
	one.Batch = secrets.NewToken()
	other.Batch = one.Batch
	_, err := s.AddTasks(ctx, []db.Task{one, other})
	return err
}

// byToken returns a way that orders with the token.
func (r *racetrack) byToken(id int64, most float64) way {
	return func(ctx context.Context, s *store.Store, u db.User) error {
		_, err := s.OrderTasks(ctx, program.Order{Token: id, Request: program.Request{UserID: u.ID}, Most: most, AnyPrice: true}, []db.Task{r.unpriced(u)})
		return err
	}
}

// token adds a token of the person.
func (r *racetrack) token(t *testing.T, u db.User, limit db.Credits) int64 {
	t.Helper()
	k := program.Token{UserID: u.ID, Name: "Importer", Start: "dly_", Hash: secrets.HashToken(secrets.NewToken()), May: program.Make, Cap: limit, CreatedAt: r.now, EndsAt: r.now.AddDate(1, 0, 0)}
	must(t, r.stores[0].Programs.Add(t.Context(), &k))
	return k.ID
}

// crowd makes this many submissions at the same moment, each in one of the ways.
func (r *racetrack) crowd(t *testing.T, times int, people []db.User, ways ...way) {
	t.Helper()
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range times {
		all.Go(func() {
			<-start
			over := new(spending.Over)
			if err := ways[i%len(ways)](t.Context(), r.stores[i%2], people[i%len(people)]); err != nil && !errors.Is(err, program.ErrCap) && !errors.As(err, &over) {
				t.Errorf("a press failed: %v", err)
			}
		})
	}
	close(start)
	all.Wait()
}

// settle lets every video of which the price is unknown be charged, as a query does.
func (r *racetrack) settle(t *testing.T, k *till, people []db.User) {
	t.Helper()
	for _, u := range people {
		tasks, err := r.stores[0].Tasks.LatestTasks(t.Context(), u.ID, 1000)
		must(t, err)
		for _, task := range tasks {
			if task.State == db.Pending && !task.Charged.Known {
				_, err := r.stores[0].Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error {
					return t.Report(db.Report{Status: "processing", Charged: db.CreditsOf(k.price)}, r.now, r.now.Add(time.Hour))
				})
				must(t, err)
			}
		}
	}
}

// TestPurseOfUnknownPrices makes many videos at once whose price nobody knows. Whatever the
// limit and however they are asked for, it is passed by one video at most, and what fits is
// made.
func TestPurseOfUnknownPrices(t *testing.T) {
	const price, limit = 30, 100
	own := spending.Limit{Allowance: spending.Own, Credits: limit}
	first := func(call int) bool { return call == 1 }
	for name, tt := range map[string]struct {
		loses    func(call int) bool // whether the answer to the call, counted from 1, is lost
		unpriced func(call int) bool // whether it names no price
		limit    func(t *testing.T, r *racetrack, people []db.User) []way
		least    float64 // what is charged at least
		past     bool    // the service has charged something before, with other options
		held     bool    // a video of which nothing is known holds up the others
	}{
		"a person's limit": {limit: func(t *testing.T, r *racetrack, people []db.User) []way {
			for _, u := range people[1:] {
				must(t, r.stores[0].Limits.SetLimit(t.Context(), u.ID, spending.Limit{Allowance: spending.Own}))
			}
			must(t, r.stores[0].Limits.SetLimit(t.Context(), people[0].ID, own))
			return []way{r.plain, r.rows}
		}},
		"the team's limit": {limit: teamLimit(limit)},
		"a token's limit": {limit: func(t *testing.T, r *racetrack, people []db.User) []way {
			for _, u := range people[1:] {
				must(t, r.stores[0].Limits.SetLimit(t.Context(), u.ID, spending.Limit{Allowance: spending.Own}))
			}
			id := r.token(t, people[0], db.CreditsOf(limit))
			return []way{func(ctx context.Context, s *store.Store, _ db.User) error {
				return r.byToken(id, 0.001)(ctx, s, people[0])
			}}
		}},
		"all limits": {limit: func(t *testing.T, r *racetrack, people []db.User) []way {
			must(t, r.stores[0].Limits.SetLimit(t.Context(), people[0].ID, own))
			free, capped := r.token(t, people[0], db.Credits{}), r.token(t, people[0], db.CreditsOf(limit))
			return append(teamLimit(limit)(t, r, people), func(ctx context.Context, s *store.Store, _ db.User) error {
				return r.byToken(free, 0)(ctx, s, people[0])
			}, func(ctx context.Context, s *store.Store, _ db.User) error {
				return r.byToken(capped, 40)(ctx, s, people[0])
			})
		}},
		"a lost answer":                        {limit: teamLimit(limit), loses: first, past: true},
		"a lost answer, and nothing else":      {limit: teamLimit(limit), loses: first, least: price, held: true},
		"all answers are lost":                 {limit: teamLimit(limit), loses: func(int) bool { return true }, past: true},
		"all answers are lost, from the start": {limit: teamLimit(limit), loses: func(int) bool { return true }, least: price, held: true},
		"no answer names a price":              {limit: teamLimit(limit), unpriced: func(int) bool { return true }, past: true},
		"the first answer names no price":      {limit: teamLimit(limit), unpriced: first},
		"a price learnt from other options":    {limit: teamLimit(limit), past: true},
	} {
		t.Run(name, func(t *testing.T) {
			everywhere(t, func(t *testing.T, r *racetrack, reopen func()) {
				k, n := &till{price: price, loses: tt.loses, unpriced: tt.unpriced}, presses()
				people := []db.User{r.joined(t), r.joined(t), r.joined(t)}
				if tt.past {
					r.charged(t, people[0], price)
				}
				before, _ := r.spent(t, people[0])
				ways := tt.limit(t, r, people)
				r.crowd(t, n/2, people, ways...)
				r.sell(t, k)
				reopen()
				r.crowd(t, n-n/2, people, ways...)
				for range 5 {
					r.sell(t, k)
					r.settle(t, k, people)
				}
				sum := before + k.taken
				if sum >= limit+price || sum < max(tt.least, limit-price) && !tt.held {
					t.Errorf("%g were charged in %d calls, of a limit of %d", sum, k.calls, limit)
				}
				if tt.held && k.calls != 1 {
					t.Errorf("%d videos were sent although nothing is known of the price", k.calls)
				}
				if k.early > 1 {
					t.Errorf("%d videos were sent at once before a price was known", k.early)
				}
				if _, own := r.spent(t, people[0]); !tt.held && name != "all answers are lost" && own > sum {
					t.Errorf("%g count, and %g were charged", own, sum)
				}
				t.Logf("%d presses of unknown price: %g charged of %d, in %d calls", n, sum, limit, k.calls)
			})
		})
	}
}

// teamLimit returns a function that sets the limit of the team.
func teamLimit(limit float64) func(t *testing.T, r *racetrack, people []db.User) []way {
	return func(t *testing.T, r *racetrack, _ []db.User) []way {
		must(t, r.stores[0].Limits.SetOfTeam(t.Context(), spending.Limits{Team: db.CreditsOf(limit)}))
		return []way{r.plain, r.rows}
	}
}

// charged adds a video of the person's with other options, which the service has charged.
func (r *racetrack) charged(t *testing.T, u db.User, price float64) {
	t.Helper()
	task := r.unpriced(u)
	task.Options.Resolution = "720p"
	kept, err := r.stores[0].AddTasks(t.Context(), []db.Task{task})
	must(t, err)
	_, err = r.stores[0].Tasks.UpdateTask(t.Context(), kept[0].ID, func(t *db.Task) error {
		return errors.Join(t.Begin(r.now), t.Accept(db.Report{RemoteID: "old", Charged: db.CreditsOf(price)}, r.now, r.now.Add(time.Hour)))
	})
	must(t, err)
}
