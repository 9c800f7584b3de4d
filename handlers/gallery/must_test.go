package gallery_test

import (
	"archive/zip"
	"fmt"
	"io"
	"strings"
	"testing"

	"dailies/db"
)

// unzip returns the contents of an archive's files by name.
func unzip(t *testing.T, archive string) map[string]string {
	t.Helper()
	r, err := zip.NewReader(strings.NewReader(archive), int64(len(archive)))
	must(t, err)
	files := map[string]string{}
	for _, f := range r.File {
		in, err := f.Open()
		must(t, err)
		content, err := io.ReadAll(in)
		must(t, err)
		if _, twice := files[f.Name]; twice {
			t.Errorf("%q is in it twice", f.Name)
		}
		if strings.HasSuffix(f.Name, ".webm") && f.Method != zip.Store {
			t.Errorf("%q is compressed", f.Name)
		}
		files[f.Name] = string(content)
	}
	return files
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func taskPage(t db.Task) string { return fmt.Sprintf("/tasks/%d", t.ID) }
