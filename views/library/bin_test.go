package library_test

import (
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/views/library"
	"dailies/views/part"
	"dailies/views/storybook"
	"dailies/web/htmltest"
)

func TestBinSaysHowLong(t *testing.T) {
	deleted := func(id, maker int64, ago time.Duration) part.Card {
		return storybook.Card(storybook.Kept(id), func(t *db.Task) { t.UserID, t.DeletedAt = maker, storybook.Now.Add(-ago) })
	}
	for want, c := range map[string]part.Card{
		"30 days left": deleted(9, 1, time.Minute),
		"1 day left":   deleted(8, 2, 29*24*time.Hour+time.Hour),
		"Goes today":   deleted(3, 1, 31*24*time.Hour),
	} {
		card := htmltest.Draw(t, library.BinTile(c))
		if said := htmltest.Text(htmltest.First(t, card, ".over small")); !strings.HasSuffix(said, "· "+want) {
			t.Errorf("deleted %v: it says %q, want %q", c.Task.DeletedAt, said, want)
		}
		if htmltest.Has(card, "a[href="+c.Path()+"]") != c.Mine {
			t.Errorf("%s: only its maker may open a deleted video", want)
		}
	}
	if said := htmltest.Text(htmltest.First(
		t,
		htmltest.Draw(t, part.Framed(part.Frame{}, library.ShowBin(library.Bin{Cards: []part.Card{deleted(9, 1, time.Minute)}}))),
		".lead",
	)); said != "Deleted videos stay here for 30 days." {
		t.Errorf("the page says %q", said)
	}
}
