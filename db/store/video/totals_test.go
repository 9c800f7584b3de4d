package video_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/ordering"
	"dailies/db/secrets"
	"dailies/db/spending"
	"dailies/db/store/sampletest"
	"dailies/db/store/suite"
)

func TestKeptBytesFollowEveryFile(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	kept := func(want int64) {
		t.Helper()
		got, err := s.Files.KeptBytes(t.Context())
		must(t, err)
		suite.Same(t, got, want)
	}
	kept(0)
	var ids []int64
	for range 3 {
		ids = append(ids, suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "kite").ID, db.Success, suite.Day).ID)
	}
	for i, id := range ids {
		_, err := s.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error {
			t.Media = []db.Media{{Kind: db.Video, Hash: "v" + t.FormToken, Size: int64(1000 * (i + 1)), CreatedAt: suite.Day}, {Kind: db.Cover, Hash: "c" + t.FormToken, Size: 10, CreatedAt: suite.Day}}
			t.Keeping = db.Kept
			return nil
		})
		must(t, err)
	}
	kept(6030)
	_, err := s.Tasks.UpdateTask(t.Context(), ids[0], func(t *db.Task) error {
		t.Media[0].Hash, t.Media[0].Size = "again", 500
		return nil
	})
	must(t, err)
	kept(5530)
	must(t, s.Pictures.AddPicture(t.Context(), &ordering.Picture{UserID: ann.ID, Token: secrets.NewToken(), Hash: "picture", Type: "image/png", Size: 7, CreatedAt: suite.Day}))
	kept(5537)
	_, err = s.Bin.DeleteTasks(t.Context(), ann, ids[:1], suite.Day)
	must(t, err)
	kept(5537)
	_, err = s.Bin.EmptyBin(t.Context(), ann.ID, suite.Day.Add(time.Hour), suite.Day.Add(time.Hour), 10)
	must(t, err)
	kept(5027)
}

// The totals of a database that was made before they were kept are filled in.
func TestTotalsOfEarlierVersionsAreFilledIn(t *testing.T) {
	path, raw := suite.Migrated(t, "021_typed.sql")
	for _, statement := range []string{
		`INSERT INTO users (name, email, email_key, password, role, last_scene, created_at)
			VALUES ('Ann', 'a@example.com', 'a@example.com', 'hash', 'admin', '', 0), ('Bo', 'b@example.com', 'b@example.com', 'hash', 'member', '', 0)`,
		`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
			INSERT INTO tasks (user_id, form_token, scene, model, state, provider, created_at, options, pictures, prompt, charged, day, private, deleted_at)
			SELECT 1 + i % 2, 'form ' || i, 'text-to-video', 'veo3', 'success', '', i * 86400000, '{"duration":5}', '[]', 'kite', 30000, i, i % 4 = 0, iif(i = 40, 1, NULL)
			FROM n`,
		`INSERT INTO media (task_id, kind, position, hash, type, size, source, created_at) SELECT id, 'video', 0, 'abc' || id, 'video/webm', 100, '', 0 FROM tasks`,
		`INSERT INTO pictures (user_id, hash, type, size, width, height, name, created_at) VALUES (1, 'p', 'image/png', 5, 1, 1, '', 0)`,
		`INSERT INTO collections (name, note, created_by, created_at, changed_at) VALUES ('Spring', '', 1, 0, 0)`,
		`INSERT INTO collection_tasks (collection_id, task_id, position, added_by, added_at) SELECT 1, id, id, 1, 0 FROM tasks`,
	} {
		_, err := raw.Exec(statement)
		must(t, err)
	}
	s := suite.OpenAt(t, path)
	suite.CheckTotals(t, s)
	size, err := s.Files.KeptBytes(t.Context())
	must(t, err)
	suite.Same(t, size, 4005)
	for viewer, want := range map[int64]int{1: 39, 2: 30} { // every fourth is Ann's private one, the last of which is in the bin
		c, err := s.Collections.Collection(t.Context(), viewer, 1)
		must(t, err)
		suite.Same(t, c.Count, want)
	}
	months, err := s.Usage.MonthlySpending(t.Context(), spending.Filter{People: []int64{2}})
	must(t, err)
	if len(months) != 2 || months[0].Day != 0 || months[1].Day != 31 || months[0].Tasks+months[1].Tasks != 20 || months[1].Paid != 150 {
		t.Errorf("%+v", months)
	}
	bin, err := s.Bin.Tasks(t.Context(), db.User{ID: 1, Role: db.Member}, 0, 10)
	must(t, err)
	suite.Same(t, suite.IDs(bin), []int64{40})
}

func TestWrongTotalsOfRowsAreFound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dailies.db")
	s := suite.OpenAt(t, path)
	ann := suite.AddUser(t, s, "Ann").ID
	id := suite.Bring(t, s, suite.AddTask(t, s, ann, "kite").ID, db.Success, suite.Day).ID
	c := gallery.Collection{Name: "Spring", CreatedBy: ann, CreatedAt: suite.Day}
	must(t, s.Collections.AddCollection(t.Context(), &c))
	_, err := s.Collections.AddToCollection(t.Context(), c.ID, ann, []int64{id}, suite.Day)
	must(t, err)
	raw, err := sql.Open("sqlite", path)
	must(t, err)
	defer raw.Close()
	for _, tt := range []struct{ change, undo, says string }{
		{`UPDATE kept_bytes SET bytes = bytes + 9`, `UPDATE kept_bytes SET bytes = bytes - 9`, "size of all files: 9 bytes, but the files say 0"},
		{`UPDATE collection_counts SET videos = 0`, `UPDATE collection_counts SET videos = 1`, "videos in collection 1 that the team may see: 0, but the collection says 1"},
		{`INSERT INTO collection_counts VALUES (1, 1, 3)`, `DELETE FROM collection_counts WHERE user_id = 1`, "that only person 1 may see: 3, but the collection says 0"},
		{`UPDATE kind_counts SET videos = 0`, `UPDATE kind_counts SET videos = 1`, "that the team may see: 1, but the menu says 0"},
		{`INSERT INTO kind_counts VALUES ('text-to-video', 'veo9', '1:1', 0, 2)`, `DELETE FROM kind_counts WHERE model = 'veo9'`, "text-to-video veo9 1:1) that the team may see: 0, but the menu says 2"},
		{`UPDATE maker_counts SET videos = 5`, `UPDATE maker_counts SET videos = 1`, "videos of a maker (1) that the team may see: 1, but the menu says 5"},
		{`INSERT INTO tag_counts VALUES (8, 1)`, `DELETE FROM tag_counts`, "videos with a tag (8) that the team may see: 0, but the menu says 1"},
		{`INSERT INTO cast_counts VALUES (8, 1)`, `DELETE FROM cast_counts`, "videos with a member of the cast (8) that the team may see: 0, but the menu says 1"},
		{`UPDATE day_counts SET videos = 4`, `UPDATE day_counts SET videos = 1`, "that the team may see: 1, but the menu says 4"},
		{`INSERT INTO day_counts VALUES (7, 0, 2)`, `DELETE FROM day_counts WHERE day = 7`, "videos of a day (7) that the team may see: 0, but the menu says 2"},
		{`UPDATE usage_months SET tasks = 3`, `UPDATE usage_months SET tasks = 1`, "usage of person 1 in 2026-11"},
		{`INSERT INTO usage_months VALUES (202501, 1, 'veo3', 'success', 0, 1, 1, 0, 0)`, `DELETE FROM usage_months WHERE month = 202501`, "usage of person 1 in 2025-01"},
	} {
		_, err := raw.Exec(tt.change)
		must(t, err)
		wrong, err := s.Usage.WrongTotals(t.Context())
		must(t, err)
		if len(wrong) != 1 || !strings.Contains(wrong[0], tt.says) {
			t.Errorf("%s: %q, want %q", tt.change, wrong, tt.says)
		}
		_, err = raw.Exec(tt.undo)
		must(t, err)
	}
}

func TestTheTotalsOfTheMetricsAreThoseOfAllVideos(t *testing.T) {
	s := suite.Open(t)
	people := []db.User{suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bob")}
	expect := func(unconfirmed int, failed int64, paid float64) {
		t.Helper()
		w, err := s.Work(t.Context(), suite.Day)
		must(t, err)
		kept, err := s.Files.KeptBytes(t.Context())
		must(t, err)
		if w.Unconfirmed != unconfirmed || w.Failed != failed || w.Paid != paid || w.KeptBytes != kept {
			t.Errorf("%d unconfirmed, %d failed, %g paid, %d of %d bytes; want %d, %d, %g", w.Unconfirmed, w.Failed, w.Paid, w.KeptBytes, kept, unconfirmed, failed, paid)
		}
	}
	expect(0, 0, 0)
	var lost int64
	for i, state := range []db.State{db.Success, db.Failed, db.Canceled, db.Rejected, db.Unconfirmed, db.Unconfirmed, db.Failed, db.Processing, db.Queued} {
		task := suite.AddTask(t, s, people[i%2].ID, "a kite")
		suite.Bring(t, s, task.ID, state, suite.Day.AddDate(0, i, 0))
		if state == db.Unconfirmed {
			lost = task.ID
		}
	}
	expect(2, 4, 5*30) // a success, two failures, one cancelled and one that is being made
	_, err := s.Tasks.UpdateTask(t.Context(), lost, func(t *db.Task) error { return t.Decide(suite.Day) })
	must(t, err)
	expect(1, 4, 5*30)
	must(t, s.Pictures.AddPicture(t.Context(), &ordering.Picture{UserID: people[0].ID, Token: secrets.NewToken(), Hash: "picture", Type: "image/png", Size: 7, CreatedAt: suite.Day}))
	expect(1, 4, 5*30)
}

// BenchmarkMetrics measures what a scrape of the metrics counts, among 100,000 tasks, or
// as many as DAILIES_BENCH_TASKS says.
func BenchmarkMetrics(b *testing.B) {
	s, _ := filled(b, sampletest.Tasks(b), 100)
	for b.Loop() {
		if _, err := s.Work(b.Context(), sampletest.End()); err != nil {
			b.Fatal(err)
		}
	}
}
