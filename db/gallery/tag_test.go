package gallery_test

import (
	"slices"
	"strings"
	"testing"

	"dailies/db/gallery"
)

func TestATagIsNamedOnceHoweverItIsSpelled(t *testing.T) {
	if got := gallery.TagNames("Boat, sea; boat\nBOAT、#boat， sea "); !slices.Equal(got, []string{"Boat", "sea"}) {
		t.Errorf("got %q", got)
	}
}

func TestATagIsCutBetweenCharacters(t *testing.T) {
	if got := gallery.TagName(strings.Repeat("船", 50)); got != strings.Repeat("船", 40) {
		t.Errorf("got %q", got)
	}
}
