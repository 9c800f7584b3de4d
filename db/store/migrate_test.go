package store_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/store"
)

// first makes a database as the first release left it, with finished videos of
// two people and one that runs, and returns where it is.
func first(tb testing.TB, videos int) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "dailies.db")
	raw, err := sql.Open("sqlite", path)
	must(tb, err)
	defer raw.Close()
	start, err := os.ReadFile("sqlite/migrations/001_start.sql")
	must(tb, err)
	for _, statement := range []string{
		string(start),
		`PRAGMA user_version = 1`,
		`INSERT INTO users (name, email, email_key, password, role, last_scene, created_at)
			VALUES ('Ann', 'a@example.com', 'a@example.com', 'hash', 'admin', '', 0), ('Bo', 'b@example.com', 'b@example.com', 'hash', 'member', '', 0)`,
		`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ` + fmt.Sprint(videos) + `)
			INSERT INTO tasks (user_id, form_token, scene, model, state, provider, created_at, options, pictures, prompt, charged)
			SELECT 1 + i % 2, 'form ' || i, 'text-to-video', 'veo3', 'success', '', i * 1000, '{"duration":5,"aspect_ratio":"9:16"}', '[]',
				CASE i % 20 WHEN 0 THEN '红色的风筝 ' || i WHEN 1 THEN '夕焼けの空を飛ぶ' ELSE 'A red kite over the sea at sunset, slow camera, number ' || i END, 30
			FROM n`,
		`INSERT INTO tasks (user_id, form_token, scene, model, state, provider, created_at, options, pictures, prompt)
			VALUES (1, 'running', 'text-to-video', 'veo3', 'pending', '', 0, '{}', 'null', 'a kite that flies')`,
		`INSERT INTO media (task_id, kind, position, hash, type, size, source, created_at) VALUES (20, 'video', 0, 'abc', 'video/webm', 1, '', 0)`,
	} {
		_, err := raw.Exec(statement)
		must(tb, err)
	}
	return path
}

func TestADatabaseOfTheFirstReleaseGoesOn(t *testing.T) {
	s := openAt(t, first(t, 60))
	for query, want := range map[string][]int64{
		"风筝": {60, 40, 20}, "飛ぶ": {41, 21, 1}, "kite 33": {33}, "flies": nil,
	} {
		tasks, err := s.Tasks(t.Context(), db.TaskFilter{Viewer: 2, Query: query, Ratios: []string{"9:16"}, Limit: 100})
		must(t, err)
		if !slices.Equal(idsOf(tasks), want) {
			t.Errorf("%q: %v, want %v", query, idsOf(tasks), want)
		}
	}
	every := db.TaskFilter{Viewer: 1, States: []db.State{db.AnyState}}
	states, err := s.CountFacet(t.Context(), every, db.ByState)
	must(t, err)
	same(t, states, map[string]int{"success": 60, "pending": 1})
	makers, err := s.CountFacet(t.Context(), every, db.ByMaker)
	must(t, err)
	same(t, makers, map[string]int{"1": 31, "2": 30})
	task, err := s.Task(t.Context(), 20)
	must(t, err)
	if _, kept := task.Video(); !kept || task.Prompt != "红色的风筝 20" || task.Starred || task.Private || task.ParentID != 0 {
		t.Errorf("%+v", task)
	}
	users, err := s.Users(t.Context())
	must(t, err)
	_, err = s.StarTasks(t.Context(), users[0], []int64{20}, true)
	must(t, err)
	_, err = s.TagTasks(t.Context(), users[0], []int64{20, 61}, []string{"old"}, nil, day)
	must(t, err)
	tasks, err := s.Tasks(t.Context(), db.TaskFilter{Viewer: 2, Starred: true, Tags: []string{"old"}, Limit: 100})
	must(t, err)
	same(t, idsOf(tasks), []int64{20})
	if damage, err := s.Damage(t.Context()); len(damage) > 0 || err != nil {
		t.Errorf("%q, %v", damage, err)
	}
}

// BenchmarkUpgrade100k opens a database of the first release.
func BenchmarkUpgrade100k(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		path := first(b, 100_000)
		b.StartTimer()
		start := time.Now()
		s, err := store.Open(b.Context(), path)
		must(b, err)
		b.ReportMetric(time.Since(start).Seconds(), "s")
		must(b, s.Close())
	}
}
