package sqlite_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/sqlite"
)

// A crowd is a database that a big team has filled.
type crowd struct {
	*sqlite.Store
	path  string
	users []db.User
}

const (
	rareModel = "studio/rare"
	rareWord  = "zeppelin"
	newMaker  = 19 // has made a handful of tasks
)

var crowdStart = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// fill makes a database with finished tasks and others that run. It writes
// past the Store: through it a hundred thousand tasks would take minutes.
func fill(tb testing.TB, finished, running int) crowd {
	tb.Helper()
	c := crowd{path: filepath.Join(tb.TempDir(), "dailies.db")}
	c.Store = openAt(tb, c.path)
	for i := range 20 {
		c.users = append(c.users, addUser(tb, c.Store, fmt.Sprintf("Person %d", i)))
	}
	raw, err := sql.Open("sqlite", "file:"+c.path+"?_pragma=busy_timeout(5000)&_txlock=immediate")
	must(tb, err)
	defer raw.Close()
	tx, err := raw.Begin()
	must(tb, err)
	insert, err := tx.Prepare(`
		INSERT INTO tasks (user_id, form_token, scene, model, prompt, provider, pictures, options, state, keeping,
			charged, created_at, sent_at, done_at, next_at)
		VALUES (?, ?, ?, ?, ?, '', 'null', ?, ?, ?, 30, ?, ?, ?, ?)`)
	must(tb, err)
	keep, err := tx.Prepare(`
		INSERT INTO media (task_id, kind, position, hash, type, size, source, created_at)
		VALUES (?, 'video', 0, hex(randomblob(32)), 'video/webm', 1000000, 'https://example.com/v.webm', ?)`)
	must(tb, err)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range finished + running {
		done := i < finished
		created := crowdStart.Add(time.Duration(i) * time.Minute).UnixMilli()
		state, doneAt, nextAt := someState(r, done), sql.NullInt64{}, sql.NullInt64{}
		if done {
			doneAt = sql.NullInt64{Int64: created + 60_000 + r.Int64N(60_000), Valid: true}
		} else {
			nextAt = sql.NullInt64{Int64: created, Valid: true}
		}
		maker := c.users[r.IntN(len(c.users)-1)]
		if i%(finished/10+1) == 7 {
			maker = c.users[newMaker]
		}
		result, err := insert.Exec(maker.ID, fmt.Sprint("form ", i), someScene(r), someModel(r, i), somePrompt(r, i),
			fmt.Sprintf(`{"duration":%d,"resolution":"720p","generate_audio":%t}`, 5+5*r.IntN(2), r.IntN(2) == 0),
			string(state), keepingOf(state), created, created, doneAt, nextAt)
		must(tb, err)
		if state == db.Success {
			id, _ := result.LastInsertId()
			_, err = keep.Exec(id, created)
			must(tb, err)
		}
	}
	must(tb, tx.Commit())
	return c
}

func keepingOf(s db.State) string {
	if s == db.Success {
		return string(db.Kept)
	}
	return ""
}

func someState(r *rand.Rand, done bool) db.State {
	switch n := r.IntN(100); {
	case !done && n < 10:
		return db.Queued
	case !done && n < 30:
		return db.Pending
	case !done:
		return db.Processing
	case n < 90:
		return db.Success
	case n < 95:
		return db.Failed
	case n < 98:
		return db.Rejected
	default:
		return db.Canceled
	}
}

func someScene(r *rand.Rand) string {
	return []string{"text-to-video", "text-to-video", "image-to-video", "frames-to-video", "reference-to-video"}[r.IntN(5)]
}

func someModel(r *rand.Rand, i int) string {
	if i%4000 == 0 {
		return rareModel
	}
	return []string{"seedance-2.0", "seedance-2.0", "seedance-2.0", "seedance-2.0-fast", "veo3", "veo3_fast",
		"bytedance/seedance-1.5-pro", "bytedance/v1-pro-text-to-video"}[r.IntN(8)]
}

// somePrompt has words as frequent as those of a language: few that are in
// nearly every prompt, many that are in hardly any.
func somePrompt(r *rand.Rand, i int) string {
	often := strings.Fields("a the of in with slow camera light on over sunset mountain water city")
	seldom := rand.NewZipf(r, 1.1, 10, 5000)
	words := []string{"A"}
	for range 8 + r.IntN(25) {
		if r.IntN(3) == 0 {
			words = append(words, often[r.IntN(len(often))])
		} else {
			words = append(words, seldomWord(seldom.Uint64()))
		}
	}
	if i%3000 == 5 {
		words = append(words, rareWord)
	}
	return strings.Join(words, " ")
}

func seldomWord(n uint64) string {
	syllables := strings.Fields("ba co di fu ge ha jo ki lu mo na pe ri so tu va we xa yo zi")
	word := ""
	for n += 20; n > 0; n /= 20 {
		word += syllables[n%20]
	}
	return word
}
