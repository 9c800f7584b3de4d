package store_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/store"
)

// inTheClear returns the token of the nth link of an earlier version.
func inTheClear(n int) string { return fmt.Sprintf("TOKENINTHECLEAROFTHELINK%02d", n) }

// third makes a database as the third migration left it, with one video and
// links to it that have these titles, and returns where it is.
func third(tb testing.TB, titles ...string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "dailies.db")
	raw, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(WAL)")
	must(tb, err)
	defer raw.Close()
	exec := func(statement string, args ...any) {
		_, err := raw.Exec(statement, args...)
		must(tb, err)
	}
	for _, name := range []string{"001_start", "002_order", "003_search"} {
		text, err := os.ReadFile("sqlite/migrations/" + name + ".sql")
		must(tb, err)
		exec(string(text))
	}
	exec(`PRAGMA user_version = 3`)
	exec(`INSERT INTO users (name, email, email_key, password, role, last_scene, created_at) VALUES ('Ann', 'a', 'a', '', 'admin', '', 0)`)
	exec(`INSERT INTO tasks (user_id, form_token, scene, model, state, keeping, provider, created_at, options, pictures, prompt)
		VALUES (1, 'form', 'text-to-video', 'veo3', 'success', 'kept', '', 0, '{}', '[]', ?)`, "A paper  boat\nsails, slowly, to the horizon")
	exec(`INSERT INTO media (task_id, kind, position, hash, type, size, source, created_at) VALUES (1, 'video', 0, 'abc', 'video/webm', 1, '', 0)`)
	for i, title := range titles {
		exec(`INSERT INTO shares (token, task_id, title, created_by, created_at, expires_at) VALUES (?, 1, ?, 1, 0, ?)`,
			inTheClear(i), title, day.AddDate(1, 0, 0).UnixMilli())
	}
	return path
}

// clear reports how many tokens in the clear the database's files hold.
func clear(tb testing.TB, path string) (n int) {
	tb.Helper()
	for _, name := range []string{path, path + "-wal"} {
		content, err := os.ReadFile(name)
		if err != nil && !os.IsNotExist(err) {
			tb.Fatal(err)
		}
		n += bytes.Count(content, []byte("TOKENINTHECLEAR"))
	}
	return n
}

func TestLinksOfAnEarlierVersionAreSealed(t *testing.T) {
	const links = 1200 // more than are sealed at once
	path := third(t, make([]string, links)...)
	if clear(t, path) < links {
		t.Fatal("the old database has no tokens")
	}
	s, err := store.Open(t.Context(), path)
	must(t, err)
	opens := func(n int) {
		t.Helper()
		share, shown, err := s.OpenShare(t.Context(), inTheClear(n), day)
		if err != nil || len(shown) != 1 || share.ID != int64(n+1) || share.Token != inTheClear(n) {
			t.Errorf("link %d: %+v, %v", n, share, err)
		}
	}
	opens(0) // before anything is sealed
	vault, err := db.NewVault([]byte("a secret of the tests"))
	must(t, err)
	ended, end := context.WithCancel(t.Context())
	end()
	if err := s.SealShares(ended, vault); err == nil {
		t.Error("it ran on")
	}
	must(t, s.SealShares(t.Context(), vault))
	must(t, s.SealShares(t.Context(), vault))
	if n := clear(t, path); n > 0 {
		t.Errorf("%d tokens are still in the clear", n)
	}
	opens(0)
	opens(links - 1)
	for _, n := range []int{0, 1199} {
		share, err := s.Share(t.Context(), int64(n+1))
		must(t, err)
		if token, err := vault.OpenToken(1, share.Sealed); err != nil || token != inTheClear(n) {
			t.Errorf("link %d: %q, %v", n, token, err)
		}
	}
	added := db.Share{Token: db.NewToken(), TaskID: 1, CreatedBy: 1, CreatedAt: day, ExpiresAt: day.Add(time.Hour)}
	must(t, s.AddShare(t.Context(), &added))
	if added.ID != links+1 {
		t.Errorf("the next link has the id %d", added.ID)
	}
	must(t, s.Close())
	if n := clear(t, path); n > 0 {
		t.Errorf("%d tokens are in the clear after the end", n)
	}
}

func TestTitlesThatBeginThePromptAreCleared(t *testing.T) {
	titles := map[string]string{
		"A paper boat sails, slowly, to the horizon": "",
		"A paper boat sails…":                        "",
		"A paper boat":                               "",
		"A paper boat for you":                       "A paper boat for you",
		"a gift":                                     "a gift",
		"…":                                          "…",
	}
	var given []string
	for title := range titles {
		given = append(given, title)
	}
	s := openAt(t, third(t, given...))
	for i, title := range given {
		share, err := s.Share(t.Context(), int64(i+1))
		must(t, err)
		if share.Title != titles[title] {
			t.Errorf("%q became %q", title, share.Title)
		}
	}
}

func TestOnlyABeginningIsABeginning(t *testing.T) {
	long := strings.Repeat("word ", 40)
	for _, tt := range []struct {
		title, prompt string
		want          bool
	}{
		{"", "a boat", false}, {"", "", false}, {"A video without words", "", false},
		{"word word word...", long, true}, {"word  word", long, true}, {"boat", "a boat", false}, {"a boat and more", "a boat", false},
	} {
		if got := db.BeginsPrompt(tt.title, tt.prompt); got != tt.want {
			t.Errorf("%q of %.20q: %v", tt.title, tt.prompt, got)
		}
	}
}
