// Package sampletest fills a database as a big team would over years, for tests and
// benchmarks. It is deterministic: the same numbers give the same database.
package sampletest

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store"
)

const (
	RareModel = "studio/rare" // one task in 4,000 is made with it
	RareWord  = "zeppelin"    // in one prompt in 3,000
	OftenTag  = "often"       // on three tasks in ten
	RareTag   = "rare"        // on one task in 5,000
	Password  = "a password of the sample"

	people   = 20
	newMaker = people - 1 // index of somebody who has made only a handful of tasks
)

// Start returns when the first task was made. The others follow evenly until End.
func Start() time.Time { return time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC) }

// End returns the time two years after Start.
func End() time.Time { return time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC) }

// Fill adds people, finished tasks, and then running ones; some are starred,
// tagged, in collections, private or in the bin. It returns the people: the first
// is an admin with many tasks, the last has a handful. The path is the store's:
// Fill inserts tasks directly, because through the store a hundred thousand would
// take minutes.
func Fill(tb testing.TB, store *store.Store, path string, finished, running int) []db.User {
	tb.Helper()
	users := addPeople(tb, store, people, Start())
	fill(tb, path, users, Start(), End(), finished, running)
	return users
}

// FillBeside is like Fill for a database that has accounts already. The given ones make
// their share of the tasks, which end at the given time.
func FillBeside(tb testing.TB, store *store.Store, path string, users []db.User, end time.Time, finished, running int) {
	tb.Helper()
	start := end.Add(Start().Sub(End()))
	users = slices.Concat(users, addPeople(tb, store, people-len(users), start))
	fill(tb, path, users, start, end, finished, running)
}

func fill(tb testing.TB, path string, users []db.User, start, end time.Time, finished, running int) {
	tb.Helper()
	raw, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(5000)&_pragma=cache_size(-200000)&_txlock=immediate")
	must(tb, err)
	defer raw.Close()
	tx, err := raw.Begin()
	must(tb, err)
	index := withoutSearch(tb, tx)
	organise := addOrder(tb, tx, users[0].ID, start)
	insert, err := tx.Prepare(`
		INSERT INTO tasks (id, user_id, form_token, scene, model, prompt, words, provider, pictures, options, state, keeping,
			charged, created_at, sent_at, done_at, next_at, starred, private, deleted_at, day)
		VALUES (?, ?, ?, ?, ?, ?, ?, '', 'null', ?, ?, ?, 30, ?, ?, ?, ?, ?, ?, ?, ?)`)
	must(tb, err)
	keep, err := tx.Prepare(`
		INSERT INTO media (task_id, kind, position, hash, type, size, source, created_at)
		VALUES (?, 'video', 0, hex(randomblob(32)), 'video/webm', 1000000, 'https://example.com/v.webm', ?)`)
	must(tb, err)
	var last int64
	must(tb, tx.QueryRow(`SELECT coalesce(max(id), 0) FROM tasks`).Scan(&last))
	r, step := rand.New(rand.NewPCG(1, 2)), end.Sub(start)/time.Duration(finished+running)
	for i := range finished + running {
		done, id := i < finished, last+1+int64(i)
		created := start.Add(time.Duration(i) * step).UnixMilli()
		state, doneAt, nextAt, deletedAt := someState(r, done), sql.NullInt64{}, sql.NullInt64{}, sql.NullInt64{}
		if done {
			doneAt = sql.NullInt64{Int64: created + 60_000 + r.Int64N(60_000), Valid: true}
			deletedAt = sql.NullInt64{Int64: end.UnixMilli(), Valid: r.IntN(100) == 0}
		} else {
			nextAt = sql.NullInt64{Int64: created, Valid: true}
		}
		maker := users[r.IntN(newMaker)]
		if i%(finished/10+1) == 7 {
			maker = users[newMaker]
		}
		prompt, words := somePrompt(r, i)
		_, err := insert.Exec(id, maker.ID, fmt.Sprint("form ", i), someScene(r), someModel(r, i), prompt, words,
			fmt.Sprintf(`{"duration":%d,"aspect_ratio":"%s","resolution":"720p","generate_audio":%t}`,
				5+5*r.IntN(2), someRatio(r), r.IntN(2) == 0),
			string(state), keepingOf(state), created, created, doneAt, nextAt,
			r.IntN(100) < 2, r.IntN(100) < 3, deletedAt, db.DayOf(time.UnixMilli(created), time.UTC))
		must(tb, err)
		organise.file(tb, r, i, id)
		if state == db.Success {
			_, err = keep.Exec(id, created)
			must(tb, err)
		}
	}
	index(last)
	must(tb, tx.Commit())
}

// withoutSearch drops the trigger that adds tasks to the search index, which takes
// most of the time when tasks are added one by one. The function that it returns
// adds all tasks with an ID greater than last at once, and restores the trigger.
func withoutSearch(tb testing.TB, tx *sql.Tx) func(last int64) {
	tb.Helper()
	var trigger string
	must(tb, tx.QueryRow(`SELECT sql FROM sqlite_master WHERE name = 'search_add'`).Scan(&trigger))
	_, err := tx.Exec(`DROP TRIGGER search_add`)
	must(tb, err)
	return func(last int64) {
		tb.Helper()
		_, err := tx.Exec(`INSERT INTO search (rowid, searched) SELECT id, searched FROM tasks WHERE id > ? ORDER BY id`, last)
		must(tb, err)
		_, err = tx.Exec(trigger)
		must(tb, err)
	}
}

func addPeople(tb testing.TB, store *store.Store, count int, at time.Time) []db.User {
	tb.Helper()
	hash := secrets.HashPassword(Password)
	var users []db.User
	for i := range count {
		u := db.User{
			Name: fmt.Sprintf("Person %d", i), Email: fmt.Sprintf("person%d@example.com", i), Password: hash,
			Role: db.Member, CreatedAt: at,
		}
		if i == 0 {
			u.Role = db.Admin
		}
		must(tb, AddUser(tb, store, &u))
		users = append(users, u)
	}
	return users
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
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
		return RareModel
	}
	return []string{"seedance-2.0", "seedance-2.0", "seedance-2.0", "seedance-2.0-fast", "veo3", "veo3_fast",
		"bytedance/seedance-1.5-pro", "bytedance/v1-pro-text-to-video"}[r.IntN(8)]
}

func someRatio(r *rand.Rand) string {
	return []string{"16:9", "16:9", "16:9", "9:16", "9:16", "1:1", "4:3"}[r.IntN(7)]
}

// somePrompt returns a prompt whose words are as frequent as those of a language: a
// few are in nearly every prompt, many in hardly any. One prompt in twenty is in
// another script. If that has no spaces, apart is the value of the column words,
// with spaces.
func somePrompt(r *rand.Rand, i int) (prompt string, apart sql.NullString) {
	if r.IntN(20) == 0 {
		return foreignPrompt(r)
	}
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
		words = append(words, RareWord)
	}
	return strings.Join(words, " "), apart
}

func seldomWord(n uint64) string {
	syllables := strings.Fields("ba co di fu ge ha jo ki lu mo na pe ri so tu va we xa yo zi")
	word := ""
	for n += 20; n > 0; n /= 20 {
		word += syllables[n%20]
	}
	return word
}

// AddUser adds the account, as the first one or with an invite by the oldest
// account, and sets its ID.
func AddUser(tb testing.TB, store *store.Store, u *db.User) error {
	tb.Helper()
	users, err := store.Accounts.Users(tb.Context())
	must(tb, err)
	if len(users) == 0 {
		return store.Accounts.AddFirstUser(tb.Context(), u)
	}
	token := secrets.HashToken(secrets.NewToken())
	must(tb, store.Invites.AddInvites(tb.Context(),
		[]*signin.Invite{{Token: token, Role: u.Role, CreatedBy: users[0].ID, CreatedAt: u.CreatedAt,
			ExpiresAt: u.CreatedAt.Add(time.Hour)}}, nil))
	return store.Invites.Join(tb.Context(), token, u, u.CreatedAt)
}

// AddSession signs in the session's user, and sets the session's ID.
func AddSession(tb testing.TB, store *store.Store, session *signin.Session) error {
	tb.Helper()
	users, err := store.Accounts.Users(tb.Context())
	must(tb, err)
	for _, u := range users {
		if u.ID == session.UserID {
			return store.Sessions.SignIn(tb.Context(), session, u.Password, "")
		}
	}
	return db.ErrNotFound
}

// foreignPrompt returns a prompt in one of five scripts that somePrompt does not
// use. The first three are written without spaces between words, so their words are
// returned separately, for the column words.
func foreignPrompt(r *rand.Rand) (prompt string, words sql.NullString) {
	kinds := []string{
		"红 色 的 风 筝 飞 过 山 水 城 市 日 落 时 慢 镜 头 光 在 上 海 人 一 个 大 小 树 天 地 云 月",
		"夕 焼 け の 空 を 飛 ぶ 赤 い 凧 と 山 カ メ ラ が ゆ っ く り 水 面 に 近 づ く 街 の 光",
		"ว่ า ว สี แ ด ง บิ น เ ห นื อ ท ะ เ ล ภู เ ข า พ ร ะ อ า ทิ ต ย์ ต ก ก ล้ อ ง ช้ า",
		"طائرة ورقية حمراء فوق البحر عند الغروب كاميرا بطيئة جبل ماء مدينة ضوء على من في",
		"красный воздушный змей над морем на закате камера медленно гора вода город свет в и",
	}
	kind := r.IntN(len(kinds))
	letters := strings.Fields(kinds[kind])
	var chosen []string
	for range 12 + r.IntN(30) {
		chosen = append(chosen, letters[r.IntN(len(letters))])
	}
	prompt = strings.Join(chosen, " ")
	if kind < 3 {
		words = sql.NullString{String: " " + prompt, Valid: true}
		prompt = strings.Join(chosen, "")
	}
	return prompt, words
}

const (
	tags        = 30 // the first is OftenTag, the second RareTag
	collections = 20
)

// An order inserts the tags and collections of tasks.
type order struct {
	tag, collect *sql.Stmt
	by           int64
}

func addOrder(tb testing.TB, tx *sql.Tx, by int64, at time.Time) order {
	tb.Helper()
	for i := range tags {
		_, err := tx.Exec(`INSERT INTO tags (name, name_key, created_by, created_at) VALUES (?1, ?1, ?2, ?3)`,
			tagName(i), by, at.UnixMilli())
		must(tb, err)
	}
	for i := range collections {
		_, err := tx.Exec(`
			INSERT INTO collections (name, note, created_by, created_at, changed_at) VALUES (?1, '', ?2, ?3, ?3)`,
			fmt.Sprint("Collection ", i), by, at.UnixMilli())
		must(tb, err)
	}
	tag, err := tx.Prepare(`INSERT INTO task_tags (task_id, tag_id) SELECT ?, id FROM tags WHERE name_key = ?`)
	must(tb, err)
	collect, err := tx.Prepare(`
		INSERT INTO collection_tasks (collection_id, task_id, position, added_by, added_at) VALUES (?, ?, ?, ?, 0)`)
	must(tb, err)
	return order{tag, collect, by}
}

func tagName(i int) string {
	switch i {
	case 0:
		return OftenTag
	case 1:
		return RareTag
	}
	return fmt.Sprintf("tag %02d", i)
}

// file gives the task some tags, and puts one task in ten into a collection.
func (s order) file(tb testing.TB, r *rand.Rand, i int, id int64) {
	tb.Helper()
	var on []int
	if r.IntN(10) < 3 {
		on = append(on, 0)
	}
	if i%5000 == 3 {
		on = append(on, 1)
	}
	if n := r.IntN(5 * (tags - 2)); n < tags-2 {
		on = append(on, 2+n)
	}
	for _, n := range on {
		_, err := s.tag.Exec(id, tagName(n))
		must(tb, err)
	}
	if r.IntN(10) == 0 {
		n := 1 + r.IntN(collections)
		_, err := s.collect.Exec(n, id, i, s.by)
		must(tb, err)
	}
}
