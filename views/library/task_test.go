package library_test

import (
	"testing"

	"dailies/views/library"
)

func TestPrettyBreaksOnlyJSON(t *testing.T) {
	for body, want := range map[string]string{
		`{"a":[1]}`:        "{\n  \"a\": [\n    1\n  ]\n}",
		"<html>502</html>": "<html>502</html>",
	} {
		if got := library.Pretty(body); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
