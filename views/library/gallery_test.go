package library_test

import (
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/views/library"
	"dailies/views/storybook"
	"dailies/web/htmltest"
)

func TestFiltersSayWhatEachChoiceGives(t *testing.T) {
	shown := htmltest.Text(htmltest.Draw(t, library.GalleryChoices(storybook.Gallery())))
	for _, want := range []string{"Mine 42", "Jon Okafor, jon@example.com 100", "Seedance 2.0 42", "retired-1 3", "16:9 2,841", "Harbour 4", "夜 100", "Failed 1", "Last 7 days 3", "Today 0", "Starred 5"} {
		if !strings.Contains(shown, want) {
			t.Errorf("it does not say %q: %s", want, shown)
		}
	}
	for _, not := range []string{"Nobody’s films", "References", "Stopped"} {
		if strings.Contains(shown, not) {
			t.Errorf("it offers %q, which gives nothing", not)
		}
	}
}

func TestAChosenFilterIsThereThoughItGivesNothing(t *testing.T) {
	g := storybook.Gallery()
	g.Filter.Scenes, g.Filter.Models, g.Filter.Tags, g.Filter.Makers = []string{"reference-to-video"}, []string{"gone-2"}, []string{"dusk"}, []int64{3}
	root := htmltest.Draw(t, library.GalleryChoices(g))
	for name, value := range map[string]string{"scene": "reference-to-video", "model": "gone-2", "tag": "dusk", "who": "3"} {
		if !htmltest.Has(root, "[name="+name+"][value="+value+"][checked]") {
			t.Errorf("%s is not %s", name, value)
		}
	}
}

func TestEachFilterCanBeTakenAway(t *testing.T) {
	g := storybook.Gallery()
	g.Filter = gallery.Filter{Query: "giraffe", Viewer: 1, Makers: []int64{1}, States: []db.State{gallery.AnyState}, Tags: []string{"harbour"}, Starred: true, Collections: []int64{5}}
	g.Dates, g.Within = library.Dates{From: "2026-11-01", Until: "2026-11-30"}, g.Collections[:1]
	links := map[string]string{}
	for _, n := range htmltest.All(htmltest.Draw(t, library.GalleryPart(g)), "a[data-clear]") {
		links[htmltest.Attr(n, "data-clear")] = htmltest.Attr(n, "href")
	}
	const all = "/gallery?collection=5&from=2026-11-01&q=giraffe&starred=1&status=all&tag=harbour&until=2026-11-30&who=me"
	for name, without := range map[string]string{
		"collection": "collection=5&", "q": "q=giraffe&", "starred": "starred=1&", "status": "status=all&", "tag": "tag=harbour&", "who": "&who=me",
	} {
		want := strings.Replace(all, without, "", 1)
		if links[name] != want {
			t.Errorf("without %s it leads to %q, want %q", name, links[name], want)
		}
	}
	if want := "/gallery?collection=5&q=giraffe&starred=1&status=all&tag=harbour&who=me"; links["from until"] != want {
		t.Errorf("without the days it leads to %q", links["from until"])
	}
}

func TestOneValueOfSeveralCanBeTakenAway(t *testing.T) {
	g := storybook.Gallery()
	g.Filter = gallery.Filter{
		Viewer: 1, Makers: []int64{2, 1}, Models: []string{"seedance-2.0", "retired-1"}, States: []db.State{db.Success, db.Failed}, Tags: []string{"harbour", "夜"},
	}
	root := htmltest.Draw(t, library.GalleryChoices(g))
	links := map[string]string{}
	for _, n := range htmltest.All(root, "a[data-clear]") {
		links[htmltest.Attr(n, "data-clear")+" "+htmltest.Attr(n, "data-value")] = htmltest.Attr(n, "href")
	}
	const all = "/gallery?model=seedance-2.0&model=retired-1&status=success&status=failed&tag=harbour&tag=%E5%A4%9C&who=2&who=me"
	for value, without := range map[string]string{
		"model retired-1": "&model=retired-1", "status failed": "&status=failed", "status success": "&status=success", "tag harbour": "&tag=harbour", "who 2": "&who=2", "who me": "&who=me",
	} {
		if want := strings.Replace(all, without, "", 1); links[value] != want {
			t.Errorf("without %s it leads to %q, want %q", value, links[value], want)
		}
	}
	for _, chosen := range []string{"model=retired-1", "tag=harbour", "tag=夜", "status=success", "status=failed", "who=me", "who=2"} {
		name, value, _ := strings.Cut(chosen, "=")
		if !htmltest.Has(root, "[type=checkbox][name="+name+"][value="+value+"][checked]") {
			t.Errorf("%s is not chosen", chosen)
		}
	}
}

func TestSpansAreDays(t *testing.T) {
	early := time.Date(2026, 11, 14, 2, 0, 0, 0, time.FixedZone("far", 14*3600)) // the 13th in UTC
	for name, want := range map[string]string{"today": "2026-11-14", "week": "2026-11-08", "month": "2026-10-16", "year": "2026-01-01"} {
		if got := library.SpanOf(name, early).From.Format(time.DateOnly); got != want {
			t.Errorf("%s begins on %s, want %s", name, got, want)
		}
	}
	if got := library.SpanOf("nonsense", early); got != (gallery.Span{}) {
		t.Errorf("nonsense is %v", got)
	}
	for _, text := range []string{"", "2026-11-31", "1969-12-31", "0002-01-01", "2026-11-01T00:00", "<b>"} {
		if _, ok := library.Day(text, time.UTC); ok {
			t.Errorf("%q is a day", text)
		}
	}
}

func TestDaysAreSaidShortly(t *testing.T) {
	for want, days := range map[string]library.Dates{
		"1 – 30 November 2026":               {From: "2026-11-01", Until: "2026-11-30"},
		"1 October – 3 November 2026":        {From: "2026-10-01", Until: "2026-11-03"},
		"1 November 2025 – 30 November 2026": {From: "2025-11-01", Until: "2026-11-30"},
		"3 November 2026":                    {From: "2026-11-03", Until: "2026-11-03"},
		"Since 3 November 2026":              {From: "2026-11-03"},
	} {
		g := storybook.Gallery()
		g.Dates = days
		if shown := htmltest.Text(htmltest.Draw(t, library.GalleryChoices(g))); !strings.Contains(shown, "Remove the filter "+want+" Clear all") {
			t.Errorf("%v is not said as %q", days, want)
		}
	}
}
