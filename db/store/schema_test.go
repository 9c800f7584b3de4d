package store_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/review"
	"dailies/db/store/schema"
	"dailies/db/store/suite"
)

// columnsOf returns the columns of each table, except for those that the database computes.
func columnsOf(t *testing.T, raw *sql.DB) map[string][]string {
	t.Helper()
	list := `SELECT t.name, c.name FROM pragma_table_list t JOIN pragma_table_xinfo(t.name) c
		WHERE t.type = 'table' AND t.schema = 'main' AND t.name NOT LIKE 'sqlite_%' AND c.hidden = 0`
	if suite.OnServer() {
		list = `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public' AND is_generated = 'NEVER'`
	}
	rows, err := raw.Query(list)
	must(t, err)
	defer rows.Close()
	found := map[string][]string{}
	for rows.Next() {
		var table, column string
		must(t, rows.Scan(&table, &column))
		found[table] = append(found[table], column)
	}
	must(t, rows.Err())
	return found
}

// onServers are the tables that only a database on a server has. They tell which processes
// work on it.
var onServers = []string{"schema_version", "processes", "keys_in_use"}

// A table or column that a migration adds must be listed: who lists it decides whether it
// holds people's words.
func TestEveryColumnIsListed(t *testing.T) {
	_, raw := suite.OpenRaw(t)
	found := columnsOf(t, raw)
	for _, table := range schema.Tables {
		listed, has := table.All(), found[table.Name]
		switch {
		case table.Name == "tasks":
			listed = append(listed, "words") // computed from the prompt and the title
		case table.Name == "answers" && suite.OnServer():
			listed = append(listed, "rowid") // SQLite has one by itself
		case table.Name == "deliveries" && suite.OnServer():
			listed = append(listed, "user_id") // for processes of the version before webhooks had IDs
		}
		slices.Sort(listed)
		slices.Sort(has)
		if !slices.Equal(listed, has) {
			t.Errorf("of %s these columns are listed: %v, and it has %v", table.Name, listed, has)
		}
		delete(found, table.Name)
	}
	for _, name := range slices.Concat(schema.Derived, onServers) {
		delete(found, name)
	}
	for name := range found {
		t.Errorf("table %s is not listed", name)
	}
}

// What is listed as words, or as lists of them, is text: a purge clears it with an empty one.
func TestWordsAreText(t *testing.T) {
	_, raw := suite.OpenRaw(t)
	typeOf := `SELECT lower(type) FROM pragma_table_xinfo($1) WHERE name = $2`
	if suite.OnServer() {
		typeOf = `SELECT data_type FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1 AND column_name = $2`
	}
	for _, table := range schema.Tables {
		for _, column := range slices.Concat(columnsIn(table.Words), columnsIn(table.Lists)) {
			var is string
			must(t, raw.QueryRow(typeOf, table.Name, column).Scan(&is))
			if is != "text" {
				t.Errorf("%s.%s is %s", table.Name, column, is)
			}
		}
	}
}

// Every column with words about a video gets a word that stands nowhere else. After the
// purge it stands nowhere.
func TestNoWordsOfAPurgedVideoStay(t *testing.T) {
	s, raw := suite.OpenRaw(t)
	ann := suite.AddUser(t, s, "Ann")
	made := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a quagga on a beach").ID, db.Success, suite.Day)
	_, err := s.Tasks.UpdateTask(t.Context(), made.ID, func(t *db.Task) error {
		return t.Keep([]db.Media{{Kind: db.Video, Hash: "h", CreatedAt: suite.Day}}, true)
	}, db.Answer{Call: "query", Status: "success", Body: "{}", At: suite.Day})
	must(t, err)
	_, err = s.Tags.TagTasks(t.Context(), ann, []int64{made.ID}, []string{"x"}, nil, suite.Day)
	must(t, err)
	must(t, s.Links.AddShare(t.Context(), &gallery.Share{Token: "t", TaskID: made.ID, Title: "t", CreatedBy: ann.ID, CreatedAt: suite.Day, ExpiresAt: suite.Day}))
	collection := gallery.Collection{Name: "Fair", CreatedBy: ann.ID, CreatedAt: suite.Day, ChangedAt: suite.Day}
	must(t, s.Collections.AddCollection(t.Context(), &collection))
	share, err := s.Links.SharesOf(t.Context(), made.ID, 0, suite.Day.Add(-time.Hour))
	must(t, err)
	guest := suite.AddGuest(t, s, share[0].ID, "a quagga")
	suite.AddNote(t, s, review.Note{TaskID: made.ID, ShareID: share[0].ID, Author: guest.Author()})
	must(t, s.Guests.Decide(t.Context(), review.Verdict{TaskID: made.ID, ShareID: share[0].ID, Guest: guest, Answer: review.Approved, ChangedAt: suite.Day}))
	for _, statement := range []string{
		fmt.Sprintf(`INSERT INTO collection_tasks (collection_id, task_id, position, added_by, added_at) VALUES (%d, $1, 1, %d, 0)`, collection.ID, ann.ID),
		`INSERT INTO task_cast (task_id, member_id, place, handle, name, kind, look, pictures, sent) VALUES ($1, 1, 0, '', '', 'person', '', '[]', '[0]')`,
		fmt.Sprintf(`INSERT INTO program_requests (user_id, key, body, task_id, count, created_at, status, answer) SELECT %d, 'k', token, task_id, 1, 0, 202, '' FROM shares WHERE task_id = $1`, ann.ID),
		`INSERT INTO shared_takes (share_id, task_id, shown_at) SELECT id, task_id, 0 FROM shares WHERE task_id = $1`,
		`INSERT INTO note_takes (note_id, task_id) SELECT id, task_id FROM notes WHERE task_id = $1`,
		`INSERT INTO cuts (task_id, place, start, finish) VALUES ($1, 1, 0, 9)`,
	} {
		_, err := raw.Exec(statement, made.ID)
		must(t, err)
	}
	lists := map[string]string{"pictures": `["https://quagga.example/a.png"]`, "results": `[{"kind":"video","url":"https://quagga.example/a.mp4"}]`}
	rows := func(of schema.Table) (n int) {
		t.Helper()
		must(t, raw.QueryRow(`SELECT count(*) FROM `+of.Name+` WHERE `+of.Video+` = $1`, made.ID).Scan(&n))
		return n
	}
	for _, table := range schema.Tables {
		if table.Video == "" {
			continue
		}
		if rows(table) == 0 {
			t.Errorf("%s has nothing to purge in this test", table.Name)
		}
		for _, column := range slices.Concat(columnsIn(table.Words), columnsIn(table.Lists)) {
			value := "a quagga"
			if list, is := lists[column]; is {
				value = list
			}
			_, err := raw.Exec(`UPDATE `+table.Name+` SET `+column+` = $1 WHERE `+table.Video+` = $2`, value, made.ID)
			must(t, err)
		}
	}
	deleted, err := s.Bin.DeleteTasks(t.Context(), ann, []int64{made.ID}, suite.Day)
	must(t, err)
	suite.Same(t, deleted, []int64{made.ID})
	_, n, err := s.Bin.Purge(t.Context(), suite.Day.Add(db.BinLife), 10)
	if n != 1 || err != nil {
		t.Fatalf("%d purged, %v", n, err)
	}
	for _, table := range schema.Tables {
		if table.Video != "" && table.Name != "tasks" && !table.Kept && rows(table) > 0 {
			t.Errorf("%s still has rows of the video", table.Name)
		}
	}
	for table, columns := range columnsOf(t, raw) {
		for _, column := range columns {
			var n int
			if err := raw.QueryRow(`SELECT count(*) FROM ` + table + ` WHERE CAST(` + column + ` AS TEXT) LIKE '%quagga%'`).Scan(&n); err != nil {
				t.Errorf("%s.%s: %v", table, column, err)
			} else if n > 0 {
				t.Errorf("words of the video are in %s.%s", table, column)
			}
		}
	}
}

func columnsIn(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ", ")
}

func TestLeavingFollowsTheList(t *testing.T) {
	_, raw := suite.OpenRaw(t)
	for fate, least := range map[schema.Fate]int{schema.Ends: 4, schema.Released: 4, schema.Handed: 2} {
		n := 0
		for statement := range schema.Leaving(fate) {
			args := []any{1_000_007, 1_000_008}
			if fate != schema.Handed {
				args = args[:1]
			}
			_, err := raw.Exec(statement, args...)
			must(t, err)
			n++
		}
		if n < least {
			t.Errorf("fate %d has %d tables", fate, n)
		}
	}
}
