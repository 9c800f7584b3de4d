package cast_test

import (
	"testing"

	"dailies/db/cast"
)

func TestAMistypedHandleIsFound(t *testing.T) {
	handles := []string{"anna", "red-cup", "red-tin", "tea-tin", "安娜", "bo"}
	for typed, want := range map[string]string{
		"ana": "anna", "аnna": "anna", "annaa": "anna", "red-cups": "red-cup", "rd-cp": "red-cup", "te": "tea-tin", "red": "", "安": "安娜", "b": "bo", "nn": "", "erik": "", "ba": "bo",
	} {
		if got := cast.Nearest(typed, handles); got != want {
			t.Errorf("%q is taken for %q, want %q", typed, got, want)
		}
	}
}

func TestOnlyTheUnknownHandleIsRenamed(t *testing.T) {
	got := cast.Rename("@ana, “@Ana” and @ana-b write to x@ana.org and https://x.org/@ana, @anas", "ana", "anna")
	if want := "@anna, “@anna” and @ana-b write to x@ana.org and https://x.org/@ana, @anas"; got != want {
		t.Errorf("it becomes %q", got)
	}
}
