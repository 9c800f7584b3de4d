package video

import (
	"strings"

	"dailies/db"
	"dailies/db/store/engine"
)

// wordsIn returns the title and the prompt in the form of the search index.
func wordsIn(t db.Task) string {
	if t.Title == "" {
		return engine.Apart(t.Prompt)
	}
	return engine.Apart(strings.TrimSpace(t.Title + "\n" + t.Prompt))
}

// FillWords is part of a migration of SQLite: it fills the column words of tasks that
// were added before the column existed.
func FillWords(tx *engine.Tx) {
	for last := int64(0); ; {
		tasks := engine.All(tx, engine.ScanFields(promptFields), `SELECT id, prompt FROM tasks WHERE id > $1 ORDER BY id LIMIT 1000`, last)
		if !tx.OK() || len(tasks) == 0 {
			return
		}
		for _, t := range tasks {
			last = t.ID
			words := wordsIn(t)
			if words == t.Prompt {
				continue
			}
			tx.Exec(`UPDATE tasks SET words = $1 WHERE id = $2`, words, t.ID)
		}
	}
}

func promptFields(t *db.Task) []any {
	return []any{&t.ID, &t.Prompt}
}
