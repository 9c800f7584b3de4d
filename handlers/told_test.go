package handlers_test

import (
	"archive/zip"
	"bytes"
	"database/sql"
	"fmt"
	"io"
	"strings"
	"testing"

	"dailies/db/store/schema"
	"dailies/handlers/handlerstest"
)

// Every column with people's words gets a word that stands nowhere else. The files that
// people take along have those that db/store/schema lists as told, and no other.
func TestFilesTellTheWordsThatTheSchemaLists(t *testing.T) {
	l := handlerstest.FirstDesign(t)
	h := handlerstest.NewAt(t, l.Dir)
	kim := handlerstest.OldBrowser(t, h, l.Person(t, "admin"))
	h.AddTeamKey(t, "Marketing")
	var video int64
	for _, task := range l.Tasks {
		if task.State == "success" && task.Keeping == "kept" {
			video = max(video, task.ID)
		}
	}
	d, err := sql.Open("sqlite", "file:"+h.Database+"?_pragma=busy_timeout(5000)")
	must(t, err)
	defer d.Close()
	do := func(statement string, args ...any) (rows int64) {
		t.Helper()
		result, err := d.Exec(statement, args...)
		must(t, err)
		rows, err = result.RowsAffected()
		must(t, err)
		return rows
	}
	do(`INSERT INTO task_tags (task_id, tag_id) SELECT id, (SELECT min(id) FROM tags) FROM tasks WHERE true ON CONFLICT DO NOTHING`)
	do(`UPDATE tasks SET key_id = (SELECT max(id) FROM team_keys), private = 0 WHERE purged_at IS NULL`)
	do(`INSERT INTO settings (name, value) VALUES ('draft 1 text-to-video', '')`)

	do(`INSERT INTO shares (token, task_id, title, created_by, created_at, expires_at) VALUES (x'00', ?, '', 1, 0, 0)`, video)
	do(`INSERT INTO guests (share_id, token, name, name_key, number, created_at) SELECT max(id), x'00', '', '', 1, 0 FROM shares`)
	do(`INSERT INTO notes (task_id, share_id, guest_id, at, until, frame, body, mark, internal, created_at) SELECT ?, share_id, id, 0, 0, 0, '', '', 0, 0 FROM guests`, video)

	listed := func(list string) []string {
		return strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(", ", r) })
	}
	word := func(table, column string) string {
		return "quagga" + strings.ReplaceAll(table+column, "_", "") // a tag and a name may have no underscore
	}
	told, untold := []string{}, []string{}
	for _, table := range schema.Tables {
		lists := listed(table.Lists)
		for _, column := range append(listed(table.Words), lists...) {
			value := fmt.Sprintf("'%s' || %s", word(table.Name, column), strings.Split(table.Key, ", ")[0])
			switch {
			case column == "results":
				value = fmt.Sprintf(`'[{"kind":"video","url":"https://%s.example/a.mp4"}]'`, word(table.Name, column))
			case len(lists) > 0 && column == lists[0]:
				value = fmt.Sprintf(`'["https://%s.example/a.png"]'`, word(table.Name, column))
			}
			where := "true"
			switch table.Name {
			case "settings": // the others say how the program works
				where = "name LIKE 'draft %'"
			case "sessions":
				where = "agent <> ''"
			case "tasks":
				where = "purged_at IS NULL"
			}
			rows := do(`UPDATE ` + table.Name + ` SET "` + column + `" = ` + value + ` WHERE ` + where)
			if is := strings.Contains(", "+table.Exported+",", ", "+column+","); is {
				told = append(told, word(table.Name, column))
				if rows == 0 {
					t.Errorf("%s has no row in this test", table.Name)
				}
			} else if rows > 0 {
				untold = append(untold, word(table.Name, column))
			}
		}
	}
	if len(untold) < 20 {
		t.Errorf("only %d columns that no file tells are in use: %v", len(untold), untold)
	}
	files := kim.Get("/usage.csv").Is(200).Text + kim.Get("/audit.csv").Is(200).Text + kim.Get(fmt.Sprintf("/tasks/%d/recipe", video)).Is(200).Text + kim.Get(fmt.Sprintf("/tasks/%d/notes.csv", video)).Is(200).Text
	archive := kim.Get(fmt.Sprintf("/tasks/download?id=%d", video)).Is(200).Text
	whole, err := zip.NewReader(strings.NewReader(archive), int64(len(archive)))
	must(t, err)
	for _, f := range whole.File {
		if strings.HasSuffix(f.Name, ".json") {
			in, err := f.Open()
			must(t, err)
			var text bytes.Buffer
			_, err = io.Copy(&text, in)
			must(t, err)
			files += text.String()
		}
	}
	for _, word := range told {
		if !strings.Contains(files, word) {
			t.Errorf("no file has %s", word)
		}
	}
	for _, word := range untold {
		if strings.Contains(files, word) {
			t.Errorf("a file has %s", word)
		}
	}
}
