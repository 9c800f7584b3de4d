package proof_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/schedule"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store"
	"dailies/web/scopetest"
)

// rounds returns how many times each race is run.
func rounds() int {
	if scopetest.Long() {
		return 1000
	}
	return 50
}

// An attempt makes one of two competing calls, and reports whether it won.
type attempt func(ctx context.Context, s *store.Store) (won bool, err error)

// lost turns the errors of the loser of a race into won == false.
func lost(err error) (won bool, failed error) {
	if errors.Is(err, db.ErrConflict) || errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// A racetrack is a database that two processes have open.
type racetrack struct {
	stores [2]*store.Store
	admin  db.User
	now    time.Time
	races  int // number of races so far
}

func newRacetrack(t *testing.T) *racetrack {
	t.Helper()
	address := newDatabase(t)
	r := &racetrack{now: db.Now(), admin: db.User{Name: "Kim", Email: "kim@example.com", Password: "hash", Role: db.Admin}}
	r.stores = [2]*store.Store{open(t, address), open(t, address)}
	r.admin.CreatedAt = r.now
	must(t, r.stores[0].Accounts.AddFirstUser(t.Context(), &r.admin))
	return r
}

// run makes both attempts at the same moment, and returns which of them won.
func (r *racetrack) run(t *testing.T, tries [2]attempt) (won [2]bool) {
	t.Helper()
	var failed [2]error
	var ready atomic.Int32
	var all sync.WaitGroup
	r.races++
	for n := range tries {
		i := (n + r.races) % 2 // they take turns at being started first
		all.Go(func() {
			for ready.Add(1); ready.Load() < 2; {
				runtime.Gosched()
			}
			won[i], failed[i] = tries[i](t.Context(), r.stores[i])
		})
	}
	all.Wait()
	must(t, errors.Join(failed[:]...))
	return won
}

// both returns a race in which the two processes make the same call.
func both(try attempt) [2]attempt { return [2]attempt{try, try} }

// invite adds a join link and returns it.
func (r *racetrack) invite(t *testing.T) signin.Invite {
	t.Helper()
	i := signin.Invite{
		Token: secrets.HashToken(secrets.NewToken()), CreatedBy: r.admin.ID, CreatedAt: r.now, ExpiresAt: r.now.Add(time.Hour),
	}
	must(t, r.stores[0].Invites.AddInvites(t.Context(), []*signin.Invite{&i}, nil))
	return i
}

// join returns an attempt to join with the link and a new e-mail address.
func (r *racetrack) join(i signin.Invite) attempt {
	return func(ctx context.Context, s *store.Store) (bool, error) {
		u := db.User{Name: "Ann", Email: secrets.NewToken() + "@example.com", Password: "hash", Role: db.Member, CreatedAt: r.now}
		return lost(s.Invites.Join(ctx, i.Token, &u, r.now))
	}
}

// joined adds a new user.
func (r *racetrack) joined(t *testing.T) db.User {
	t.Helper()
	u := db.User{Name: "Ann", Email: secrets.NewToken() + "@example.com", Password: "hash", Role: db.Member, CreatedAt: r.now}
	must(t, r.stores[0].Invites.Join(t.Context(), r.invite(t).Token, &u, r.now))
	return u
}

// session adds a session of the person.
func (r *racetrack) session(t *testing.T, u db.User) signin.Session {
	t.Helper()
	session := signin.NewSession(u.ID, secrets.HashToken(secrets.NewToken()), "a browser", r.now)
	must(t, r.stores[0].Sessions.SignIn(t.Context(), &session, "hash", ""))
	return session
}

// task returns a task of the person that is not added yet.
func (r *racetrack) task(u db.User) db.Task {
	return db.Task{
		UserID: u.ID, FormToken: secrets.NewToken(),
		Request: db.Request{Scene: "text-to-video", Model: "veo3", Prompt: "a kite"}, CreatedAt: r.now,
	}
}

// queue adds a task of the person.
func (r *racetrack) queue(t *testing.T, u db.User) db.Task {
	t.Helper()
	tasks, err := r.stores[0].AddTasks(t.Context(), []db.Task{r.task(u)})
	must(t, err)
	return tasks[0]
}

// claim returns an attempt to claim a task to send, for the owner.
func (r *racetrack) claim(owner string) attempt {
	return func(ctx context.Context, s *store.Store) (bool, error) {
		tasks, err := s.Leases.Claim(ctx, owner, r.now, r.now.Add(time.Hour), schedule.Capacity{Send: 1})
		return len(tasks) == 1, err
	}
}

// end rejects the task, so that it does not disturb the next race.
func (r *racetrack) end(t *testing.T, id int64) {
	t.Helper()
	_, err := r.stores[0].Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error { return t.Reject(db.KeyError, "", r.now) })
	must(t, err)
}

// In TestOfTwoProcessesOneWins, two processes that share a database make competing
// calls at the same moment.
func TestOfTwoProcessesOneWins(t *testing.T) {
	r := newRacetrack(t)
	for _, race := range []struct {
		name string
		// prepare prepares one race. It returns the attempts and a check to run
		// after them.
		prepare func(t *testing.T) (tries [2]attempt, check func(won [2]bool))
	}{
		{"a join link", func(t *testing.T) ([2]attempt, func([2]bool)) {
			return both(r.join(r.invite(t))), nil
		}},
		{"a join link that is taken back", func(t *testing.T) ([2]attempt, func([2]bool)) {
			i := r.invite(t)
			return [2]attempt{r.join(i), func(ctx context.Context, s *store.Store) (bool, error) {
				return lost(s.Invites.RevokeInvite(ctx, i.ID))
			}}, nil
		}},
		{"an address with two links", func(t *testing.T) ([2]attempt, func([2]bool)) {
			email, links := secrets.NewToken()+"@example.com", [2]signin.Invite{r.invite(t), r.invite(t)}
			var tries [2]attempt
			for n := range tries {
				tries[n] = func(ctx context.Context, s *store.Store) (bool, error) {
					return lost(s.Invites.Join(
						ctx, links[n].Token, &db.User{Name: "Ann", Email: email, Role: db.Member, CreatedAt: r.now}, r.now,
					))
				}
			}
			return tries, func(won [2]bool) {
				for n, used := range won {
					if i, err := r.stores[n].Invites.Invite(t.Context(), links[n].Token); err != nil || i.Open(r.now) == used {
						t.Fatalf("the link of process %d: %+v, %v", n, i, err)
					}
					if !used {
						must(t, r.stores[n].Invites.RevokeInvite(t.Context(), links[n].ID)) // because the number of open links is limited
					}
				}
			}
		}},
		{"a claim", func(t *testing.T) ([2]attempt, func([2]bool)) {
			task := r.queue(t, r.joined(t))
			return [2]attempt{r.claim("one"), r.claim("other")}, func([2]bool) { r.end(t, task.ID) }
		}},
		{"a claim of two people with one key", func(t *testing.T) ([2]attempt, func([2]bool)) {
			var tasks [2]db.Task
			for n := range tasks {
				u := r.joined(t)
				must(t, r.stores[0].Keys.PutKey(t.Context(), secrets.Key{
					UserID: u.ID, Sealed: []byte("x"), Fingerprint: []byte(t.Name()), CreatedAt: r.now,
				}))
				tasks[n] = r.queue(t, u)
			}
			return [2]attempt{r.claim("one"), r.claim("other")}, func([2]bool) { r.end(t, tasks[0].ID); r.end(t, tasks[1].ID) }
		}},
		{"a press of one form", func(t *testing.T) ([2]attempt, func([2]bool)) {
			task := r.task(r.admin)
			var ids [2]int64
			var tries [2]attempt
			for n := range tries {
				task := task
				task.Prompt = fmt.Sprint("a kite of process ", n)
				tries[n] = func(ctx context.Context, s *store.Store) (bool, error) {
					kept, err := s.AddTasks(ctx, []db.Task{task})
					if err != nil {
						return false, err
					}
					ids[n] = kept[0].ID
					return kept[0].Prompt == task.Prompt, nil
				}
			}
			return tries, func([2]bool) {
				if ids[0] != ids[1] {
					t.Fatalf("one form has made the tasks %v", ids)
				}
				r.end(t, ids[0])
			}
		}},
		{"another try of what is unconfirmed", func(t *testing.T) ([2]attempt, func([2]bool)) {
			old := r.queue(t, r.admin)
			_, err := r.stores[0].Tasks.UpdateTask(t.Context(), old.ID, func(t *db.Task) error {
				return errors.Join(t.Begin(r.now), t.Lose("lost", r.now))
			})
			must(t, err)
			var ids [2]int64
			var tries [2]attempt
			for n := range tries {
				task := r.task(r.admin)
				task.ParentID, task.Reuse = old.ID, db.Retried
				tries[n] = func(ctx context.Context, s *store.Store) (bool, error) {
					kept, err := s.ResendTasks(ctx, old.ID, []db.Task{task}, r.now)
					if err != nil {
						return lost(err)
					}
					ids[n] = kept[0].ID
					return kept[0].FormToken == task.FormToken, nil
				}
			}
			return tries, func(won [2]bool) {
				for n := range won {
					if won[n] {
						r.end(t, ids[n])
					}
				}
			}
		}},
		{"the end of a session", func(t *testing.T) ([2]attempt, func([2]bool)) {
			session := r.session(t, r.admin)
			return both(func(ctx context.Context, s *store.Store) (bool, error) {
				return lost(s.Sessions.EndSession(ctx, session.UserID, session.ID))
			}), nil
		}},
		{"a session's new token", func(t *testing.T) ([2]attempt, func([2]bool)) {
			session := r.session(t, r.admin)
			return both(func(ctx context.Context, s *store.Store) (bool, error) {
				return lost(s.Sessions.RenewSession(ctx, session.ID, session.Token, secrets.HashToken(secrets.NewToken())))
			}), nil
		}},
		{"a link that sets a password", func(t *testing.T) ([2]attempt, func([2]bool)) {
			u := r.joined(t)
			reset, token := signin.NewReset(u.ID, r.now)
			must(t, r.stores[0].Sessions.AddReset(t.Context(), reset))
			return both(func(ctx context.Context, s *store.Store) (bool, error) {
				return lost(useReset(s, ctx, secrets.HashToken(token), secrets.NewToken(), r.now))
			}), nil
		}},
		{"a new password", func(t *testing.T) ([2]attempt, func([2]bool)) {
			u := r.joined(t)
			session := r.session(t, u)
			return both(func(ctx context.Context, s *store.Store) (bool, error) {
				return lost(changePassword(s, ctx, u.ID, "hash", secrets.NewToken(), session.ID, secrets.HashToken(secrets.NewToken())))
			}), nil
		}},
	} {
		t.Run(race.name, func(t *testing.T) {
			first := 0
			for n := range rounds() {
				tries, check := race.prepare(t)
				won := r.run(t, tries)
				if won[0] == won[1] {
					t.Fatalf("race %d: the processes won: %v", n, won)
				}
				if won[0] {
					first++
				}
				if check != nil {
					check(won)
				}
			}
			t.Logf("the first process won %d of %d", first, rounds())
		})
	}
}

// In TestOneAccountIsTheFirst, two processes create the app's first account at
// once.
func TestOneAccountIsTheFirst(t *testing.T) {
	for n := range rounds() / 10 { // each needs a new database
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			address := newDatabase(t)
			r := &racetrack{now: db.Now(), stores: [2]*store.Store{open(t, address), open(t, address)}}
			won := r.run(t, both(func(ctx context.Context, s *store.Store) (bool, error) {
				return lost(s.Accounts.AddFirstUser(ctx, &db.User{
					Name: "Kim", Email: secrets.NewToken() + "@example.com", Role: db.Admin, CreatedAt: r.now,
				}))
			}))
			if won[0] == won[1] {
				t.Fatalf("the processes won: %v", won)
			}
		})
	}
}

// TestASessionThatHasEndedStaysEnded ends a session in one process while another
// gives it a new token, or changes the password.
func TestASessionThatHasEndedStaysEnded(t *testing.T) {
	r := newRacetrack(t)
	for n := range rounds() {
		u := r.joined(t)
		session := r.session(t, u)
		token := secrets.HashToken(secrets.NewToken())
		won := r.run(t, [2]attempt{
			func(ctx context.Context, s *store.Store) (bool, error) {
				return lost(s.Sessions.EndSession(ctx, u.ID, session.ID))
			},
			func(ctx context.Context, s *store.Store) (bool, error) {
				if n%2 == 0 {
					return lost(s.Sessions.RenewSession(ctx, session.ID, session.Token, token))
				}
				return lost(changePassword(s, ctx, u.ID, "hash", "another", session.ID, token))
			},
		})
		if !won[0] {
			t.Fatal("the session could not be ended")
		}
		for _, token := range []secrets.TokenHash{session.Token, token} {
			if _, _, err := r.stores[1].Sessions.Session(t.Context(), token, r.now); !errors.Is(err, db.ErrNotFound) {
				t.Fatalf("the session goes on: %v", err)
			}
		}
	}
}
