package format_test

import (
	"testing"

	"dailies/db/format"
)

func TestPluralTakesTheFormThatFits(t *testing.T) {
	for n, want := range map[int]string{0: "0 people made it", 1: "1 person made it", 2: "2 people made it", 1500: "1,500 people made it"} {
		if got := format.Plural(n, "%s person made it", "%s people made it"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	if got, want := format.Plural(3, "%[2]s of %[1]s file", "%[2]s of %[1]s files", "1 kB"), "1 kB of 3 files"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	values := []any{"kept", "spare"}[:1]
	if got := format.Plural(2, "%s, %s", "%s, %s", values...); got != "2, kept" || values[:2][1] != "spare" {
		t.Errorf("%q, and the values are %q", got, values[:2])
	}
}

func TestTextsAreJoinedWithoutEmptyOnes(t *testing.T) {
	for got, want := range map[string]string{
		format.Sentences("Saved.", "", "It lasts."): "Saved. It lasts.",
		format.Facts("", "take 2", "Sora"):          "take 2 · Sora",
		format.List([]string{"Ana", "", "Ben"}):     "Ana, Ben",
		format.Sentences():                          "",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
