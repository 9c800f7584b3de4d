package store_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"dailies/db"
)

func TestUserIsReadBackWhole(t *testing.T) {
	s := open(t)
	u := db.User{Name: "Ann Bo", Email: "Ann@Example.com", Password: "phc", Role: db.Admin, LastScene: "text-to-video", CreatedAt: day}
	must(t, s.AddUser(t.Context(), &u))
	got, err := s.UserByEmail(t.Context(), " ann@EXAMPLE.com ")
	must(t, err)
	same(t, got, u)
}

func TestUserIsChanged(t *testing.T) {
	s := open(t)
	u := addUser(t, s, "Ann")
	must(t, s.SetUserName(t.Context(), u.ID, "Anna"))
	must(t, s.SetLastScene(t.Context(), u.ID, "frames-to-video"))
	u.Name, u.LastScene = "Anna", "frames-to-video"
	got, err := s.UserByEmail(t.Context(), u.Email)
	must(t, err)
	same(t, got, u)
}

func TestEmailIsTakenInEveryCase(t *testing.T) {
	s := open(t)
	first := db.User{Name: "A", Email: "élodie@example.com", Role: db.Member, CreatedAt: day}
	must(t, s.AddUser(t.Context(), &first))
	second := db.User{Name: "B", Email: "ÉLODIE@Example.COM", Role: db.Member, CreatedAt: day}
	wants(t, s.AddUser(t.Context(), &second), db.ErrConflict)
}

func TestNobodyIsNotFound(t *testing.T) {
	s := open(t)
	_, err := s.UserByEmail(t.Context(), "")
	wants(t, err, db.ErrNotFound)
	wants(t, s.SetUserName(t.Context(), 7, "x"), db.ErrNotFound)
	wants(t, s.SetLastScene(t.Context(), 7, "x"), db.ErrNotFound)
}

func TestOnlyOneIsFirst(t *testing.T) {
	s := open(t)
	if has, err := s.HasUsers(t.Context()); has || err != nil {
		t.Fatal(has, err)
	}
	var all sync.WaitGroup
	var firsts atomic.Int32
	for i := range 20 {
		all.Go(func() {
			u := db.User{Name: "A", Email: string(rune('a' + i)), Role: db.Admin, CreatedAt: day}
			if err := s.AddFirstUser(t.Context(), &u); err == nil {
				firsts.Add(1)
			} else {
				wants(t, err, db.ErrConflict)
			}
		})
	}
	all.Wait()
	users, err := s.Users(t.Context())
	must(t, err)
	if firsts.Load() != 1 || len(users) != 1 {
		t.Errorf("%d were first, %d accounts", firsts.Load(), len(users))
	}
}
