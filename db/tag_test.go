package db_test

import (
	"slices"
	"strings"
	"testing"

	"dailies/db"
)

func TestATagIsNamedOnceHoweverItIsSpelled(t *testing.T) {
	if got := db.TagNames("Boat, sea; boat\nBOAT、#boat， sea "); !slices.Equal(got, []string{"Boat", "sea"}) {
		t.Errorf("got %q", got)
	}
}

func TestATagIsCutBetweenCharacters(t *testing.T) {
	if got := db.TagName(strings.Repeat("船", 50)); got != strings.Repeat("船", 40) {
		t.Errorf("got %q", got)
	}
}
