package schema_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"dailies/db/store/schema"
)

// Whoever adds a column for people's words, or a table of what belongs to a video, decides
// what becomes of it.
func TestWordsHaveAFate(t *testing.T) {
	seen := map[string]bool{}
	for _, table := range schema.Tables {
		words := table.Words+table.Lists != ""
		if words && table.Leaves == 0 && table.Remains == "" {
			t.Errorf("when a person leaves, what becomes of %s?", table.Name)
		}
		ofVideo := slices.Contains(table.All(), "task_id")
		if words && ofVideo && table.Video == "" && table.Remains == "" {
			t.Errorf("when a video is purged, what becomes of %s?", table.Name)
		}
		if (table.Leaves != 0) != (table.Person != "") {
			t.Errorf("%s: who leaves, and what becomes of it?", table.Name)
		}
		for _, column := range []string{table.Video, table.Person} {
			if column != "" && column != table.Derived && !slices.Contains(table.First(), column) {
				t.Errorf("%s has no column %s", table.Name, column)
			}
		}
		if seen[table.Name] || slices.Contains(schema.Derived, table.Name) {
			t.Errorf("%s is listed twice", table.Name)
		}
		seen[table.Name] = true
	}
}

// Whoever adds a column for people's words decides whether it is in a file that they take
// along. handlers/told_test.go reads the files.
func TestWordsAreToldOrNot(t *testing.T) {
	listed := func(list string) []string {
		if list == "" {
			return nil
		}
		return strings.Split(list, ", ")
	}
	for _, table := range schema.Tables {
		words, decided := slices.Concat(listed(table.Words), listed(table.Lists)), slices.Concat(listed(table.Exported), listed(table.Unexported))
		slices.Sort(words)
		slices.Sort(decided)
		if !slices.Equal(words, decided) {
			t.Errorf("%s has words in %v; exported or not: %v", table.Name, words, decided)
		}
		if (table.Unexported == "") != (table.Reason == "") {
			t.Errorf("%s: why are words in no file?", table.Name)
		}
	}
}

// Rows that refer to others go first.
func TestAPurgeGoesFromTheDetailsToTheVideo(t *testing.T) {
	statements := slices.Collect(schema.Purge())
	if len(statements) < 7 || !strings.HasPrefix(statements[len(statements)-1], "UPDATE tasks SET prompt = '', ") {
		t.Errorf("%q", statements)
	}
	for _, statement := range statements[:len(statements)-1] {
		if !regexp.MustCompile(`^(DELETE FROM [a-z_]+|UPDATE [a-z_]+ SET [a-z_]+ = '') WHERE task_id = \$1$`).MatchString(statement) {
			t.Errorf("%q", statement)
		}
	}
}
