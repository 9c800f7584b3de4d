package store_test

import (
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/schedule"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/db/store/suite"
)

// changedBy returns the names of the versions that change.
func changedBy(t *testing.T, s *store.Store, names []string, change func()) (changed []string) {
	t.Helper()
	all := func() schedule.Versions {
		found := schedule.Versions{}
		for _, name := range append(names, "") {
			v, err := s.Versions(t.Context(), name)
			must(t, err)
			maps.Copy(found, v)
		}
		return found
	}
	before := all()
	change()
	after := all()
	for name := range after {
		if after[name] != before[name] {
			changed = append(changed, name)
		}
	}
	for name := range before {
		if after[name] == 0 {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return changed
}

// hiddenColumns are those that the latest videos of a person do not depend on, with the
// reason. Every other column of tasks and media must change the person's version.
var hiddenColumns = map[string]string{
	"tasks.id": "a task keeps its ID", "tasks.service_id": "a task keeps its service", "media.id": "a file keeps its ID",
	"tasks.making_at": "it changes with the state", "tasks.bulk": "a task keeps its place in a batch",
	"tasks.form_token": "it is only compared with that of a form", "tasks.words": "for the search",
	"tasks.sent_prompt":  "a task keeps what was sent",
	"tasks.refreshed_at": "bookkeeping of the watcher", "tasks.failing_since": "bookkeeping of the watcher",
	"tasks.next_at": "bookkeeping of the watcher", "tasks.asked": "bookkeeping of the watcher",
	"tasks.copy_host": "bookkeeping of the watcher",
	"tasks.leased_by": "bookkeeping of the watcher", "tasks.leased_until": "bookkeeping of the watcher",
	"tasks.stack": "the newest videos are grouped by submission", "tasks.day": "for totals of usage", "tasks.held": "for spending limits",
	"media.thumb_due": "bookkeeping of the watcher",
	"media.marks":     "they are on the page of the video alone", "media.served_hash": "it is on no page of several videos",
	"media.film":     "it comes with the file; that of earlier files shows with the next change",
	"media.film_due": "bookkeeping of the watcher",
}

// A column that a later migration adds must be decided about: it changes the versions,
// or is hidden.
func TestEveryColumnThatPagesShowChangesTheVersions(t *testing.T) {
	s, raw := suite.OpenRaw(t)
	ann, bo := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bo")
	must(t, s.Keys.PutKey(t.Context(), secrets.Key{UserID: ann.ID, Sealed: []byte("x"), CreatedAt: suite.Day}))
	parent := suite.AddTask(t, s, ann.ID, "parent")
	task := suite.AddTask(t, s, ann.ID, "kite")
	_, err := raw.Exec(
		`INSERT INTO media (task_id, kind, position, hash, type, size, source, created_at) VALUES ($1, 'video', 0, 'v', 'video/mp4', 9, '', 0)`,
		task.ID,
	)
	must(t, err)
	_, err = raw.Exec(`INSERT INTO recipes (id, name, note, scene, model, prompt, provider, pictures, options, created_by, created_at, changed_at)
		VALUES (1000007, 'r', '', 'text-to-video', 'veo3', '', '', '[]', '{}', $1, 0, 0)`, ann.ID)
	must(t, err)
	// Values for columns that do not take any number or text.
	values := map[string]any{
		"tasks.user_id": bo.ID, "tasks.payer_id": bo.ID, "tasks.deleted_by": bo.ID, "tasks.parent_id": parent.ID,
		"tasks.stack": parent.ID, "media.task_id": parent.ID,
		"tasks.options": `{"duration":7}`, "tasks.starred": 1, "tasks.private": 1, "tasks.state": "pending", "media.kind": "cover",
		"tasks.words": nil,
	}
	list := `SELECT t.name, c.name, c.type FROM pragma_table_list t JOIN pragma_table_xinfo(t.name) c
		WHERE t.name IN ('tasks', 'media') AND c.hidden = 0 ORDER BY c.name`
	if suite.OnServer() {
		list = `SELECT table_name, column_name, CASE data_type WHEN 'bigint' THEN 'INTEGER' ELSE 'TEXT' END FROM information_schema.columns
			WHERE table_schema = 'public' AND table_name IN ('tasks', 'media') AND is_generated = 'NEVER' ORDER BY column_name`
	}
	rows, err := raw.Query(list)
	must(t, err)
	var columns [][3]string
	for rows.Next() {
		var c [3]string
		must(t, rows.Scan(&c[0], &c[1], &c[2]))
		columns = append(columns, c)
	}
	must(t, rows.Err())
	if len(columns) < 50 {
		t.Fatalf("%d columns", len(columns))
	}
	name := schedule.PersonVersion(ann.ID)
	for _, c := range columns {
		column := c[0] + "." + c[1]
		if c[1] == "id" {
			continue
		}
		value, special := values[column]
		if !special {
			if value = any("other"); c[2] != "TEXT" {
				value = 1_000_007
			}
			if c[1] == "progress" {
				value = 0.5
			}
		}
		where := "id"
		if c[0] == "media" {
			where = "task_id"
		}
		tx, err := raw.Begin()
		must(t, err)
		var before, after int64
		read := `SELECT CAST(sum(stamp) AS BIGINT) FROM versions WHERE name = $1`
		must(t, tx.QueryRow(read, name).Scan(&before))
		_, err = tx.Exec(fmt.Sprintf(`UPDATE %s SET %s = $1 WHERE %s = $2`, c[0], c[1], where), value, task.ID)
		must(t, err)
		must(t, tx.QueryRow(read, name).Scan(&after))
		must(t, tx.Rollback())
		switch _, hidden := hiddenColumns[column]; {
		case hidden && before != after:
			t.Errorf("%s changes the version, but is said to be hidden", column)
		case !hidden && before == after:
			t.Errorf("%s does not change the version", column)
		}
	}
}

func TestVersionsChangeWithWhatTheyStandFor(t *testing.T) {
	s, raw := suite.OpenRaw(t)
	ann, bo := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bo")
	anns, bos := schedule.PersonVersion(ann.ID), schedule.PersonVersion(bo.ID)
	key := func() secrets.Key {
		return secrets.Key{UserID: ann.ID, Sealed: []byte("x"), Fingerprint: []byte("print"), LastFour: "1234", CreatedAt: suite.Day}
	}
	done := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "done").ID, db.Success, suite.Day)
	var task db.Task
	update := func(id int64, change func(*db.Task)) func() {
		return func() {
			_, err := s.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error { change(t); return nil })
			must(t, err)
		}
	}
	exec := func(statement string, args ...any) func() {
		return func() {
			_, err := raw.Exec(statement, args...)
			must(t, err)
		}
	}
	const veo3 = "price veo3"
	add := changedBy(t, s, []string{anns, bos}, func() { task = suite.AddTask(t, s, ann.ID, "kite") })
	suite.Same(t, add, []string{anns, schedule.QueueVersion})
	for _, step := range []struct {
		what   string
		change func()
		want   []string
	}{
		{"nothing", func() {}, nil},
		{"a key", func() { must(t, s.Keys.PutKey(t.Context(), key())) }, []string{schedule.QueueVersion}},
		{"sending", func() { suite.Send(t, s, task.ID, suite.Day) }, []string{anns, schedule.QueueVersion}},
		{"accepted, with a price", func() {
			_, err := s.Calls.SettleCall(t.Context(), task.ID, func(t *db.Task) error {
				return t.Accept(db.Report{RemoteID: "remote", Status: "pending", Charged: db.CreditsOf(30)}, suite.Day, suite.Day)
			})
			must(t, err)
		}, []string{anns, veo3, schedule.QueueVersion}},
		{
			"asked, and nothing new",
			update(task.ID, func(t *db.Task) { t.Queries, t.NextAt = t.Queries+1, suite.Day.Add(time.Minute) }), nil,
		},
		{"processing", update(task.ID, func(t *db.Task) { t.State = db.Processing }), []string{anns, schedule.QueueVersion}},
		{"progress", update(task.ID, func(t *db.Task) { t.Progress = 0.25 }), []string{anns}},
		{"no answer", update(task.ID, func(t *db.Task) { t.Attempts, t.ErrorKind = 1, db.ServiceError }), []string{anns}},
		{
			"success", update(task.ID, func(t *db.Task) { t.State, t.Keeping, t.DoneAt = db.Success, db.Saving, suite.Day }),
			[]string{anns, schedule.UsualVersion},
		},
		{"a file", update(task.ID, func(t *db.Task) {
			t.Media = []db.Media{{Kind: db.Video, Hash: "v", Type: "video/mp4", Size: 9, CreatedAt: suite.Day}}
		}), []string{anns}},
		{"kept", update(task.ID, func(t *db.Task) { t.Keeping = db.Kept }), []string{anns}},
		{"a cover later", update(task.ID, func(t *db.Task) {
			t.Media = append(t.Media, db.Media{Kind: db.Cover, Hash: "c", Type: "image/webp", Size: 9, CreatedAt: suite.Day})
		}), []string{anns}},
		{"a star from somebody else", func() {
			_, err := s.Tasks.StarTasks(t.Context(), bo, []int64{task.ID}, true)
			must(t, err)
		}, []string{anns}},
		{"a title", func() { must(t, s.Tasks.TitleTask(t.Context(), ann, task.ID, "Kite")) }, []string{anns}},
		{"deletion", func() {
			_, err := s.Bin.DeleteTasks(t.Context(), ann, []int64{task.ID}, suite.Day)
			must(t, err)
		}, []string{anns}},
		{"another price", update(done.ID, func(t *db.Task) { t.Charged = db.CreditsOf(31) }), []string{anns, veo3}},
		{
			"another model", exec(`UPDATE tasks SET model = 'veo3_fast' WHERE id = $1`, done.ID),
			[]string{anns, veo3, veo3 + "_fast", schedule.UsualVersion},
		},
		{"another maker", exec(`UPDATE tasks SET user_id = $1 WHERE id = $2`, bo.ID, done.ID), []string{anns, bos}},
		{"a task of Bo", func() { suite.AddTask(t, s, bo.ID, "boat") }, []string{bos, schedule.QueueVersion}},
		{"a turn", exec(`INSERT INTO turns (user_id, turn) VALUES ($1, 9)`, bo.ID), []string{schedule.QueueVersion}},
		{"another turn", exec(`UPDATE turns SET turn = 10`), []string{schedule.QueueVersion}},
		{"own keys", func() { must(t, s.Keys.AllowOwnKeys(t.Context(), false)) }, []string{schedule.QueueVersion}},
		{"own keys again", func() { must(t, s.Keys.AllowOwnKeys(t.Context(), true)) }, []string{schedule.QueueVersion}},
		{"no key", func() { must(t, s.Keys.DeleteKey(t.Context(), ann.ID)) }, []string{schedule.QueueVersion}},
		{"a name", exec(`UPDATE users SET name = 'Bob' WHERE id = $1`, bo.ID), []string{schedule.QueueVersion}},
		{"a visit", exec(`UPDATE users SET seen_at = 9 WHERE id = $1`, bo.ID), nil},
	} {
		got := changedBy(t, s, []string{anns, bos}, step.change)
		slices.Sort(step.want)
		if !slices.Equal(got, step.want) {
			t.Errorf("%s changes %q, want %q", step.what, got, step.want)
		}
	}
}

// Transactions that change videos of the same person at the same time do not wait for
// each other's versions, and none of their changes is missed.
func TestVersionsHoldUpNobody(t *testing.T) {
	if !suite.OnServer() {
		t.Skip("SQLite runs one writing transaction at a time")
	}
	s, raw := suite.OpenRaw(t)
	ann := suite.AddUser(t, s, "Ann")
	name := schedule.PersonVersion(ann.ID)
	var ids []int64
	for range 5 {
		ids = append(ids, suite.AddTask(t, s, ann.ID, "kite").ID)
	}
	var open []*sql.Tx
	for _, id := range ids {
		tx, err := raw.BeginTx(t.Context(), nil)
		must(t, err)
		_, err = tx.Exec(`SET LOCAL lock_timeout = '2s'`)
		must(t, err)
		_, err = tx.Exec(`UPDATE tasks SET progress = 0.5, state = 'processing' WHERE id = $1`, id)
		must(t, err)
		open = append(open, tx)
	}
	for _, tx := range open {
		got := changedBy(t, s, []string{name}, func() { must(t, tx.Commit()) })
		suite.Same(t, got, []string{name, schedule.QueueVersion})
	}
}
