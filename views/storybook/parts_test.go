package storybook_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"golang.org/x/net/html"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/schedule"
	"dailies/views/create"
	"dailies/views/input"
	"dailies/views/library"
	"dailies/views/part"
	"dailies/web/htmltest"
	"dailies/web/videoapi"
)

func TestPartsAskAgainOnlyWhileSomethingIsUnderWay(t *testing.T) {
	saving := with(kept(1), func(t *db.Task) { t.Keeping, t.Media = db.Saving, nil })
	for _, s := range db.States() {
		for name, task := range map[string]db.Task{string(s): task(1, s), "saving": saving, "kept": kept(1)} {
			c := card(task)
			parts := map[string]templ.Component{
				"/tasks/latest?":  create.LatestPart(create.Latest{Cards: []part.Card{card(kept(9)), c}}),
				"/tasks/1/status": library.TaskStatus(library.TaskPage{Card: c}),
			}
			for address, part := range parts {
				root := htmltest.Draw(t, part)
				asks := slices.ContainsFunc(
					htmltest.All(root, `[hx-trigger="every 2s"]`),
					func(n *html.Node) bool { return strings.HasPrefix(htmltest.Attr(n, "hx-get"), address) },
				)
				if asks != c.Live() || htmltest.Has(root, "[hx-trigger]") != c.Live() {
					t.Errorf("%s: asking %s again is %v, want %v", name, address, asks, c.Live())
				}
			}
		}
	}
}

func TestPartsAreTheSameInsideTheirPages(t *testing.T) {
	form, list := emptyForm(videoapi.TextToVideo, "seedance-2.0"), latest()
	page := library.TaskPage{Card: card(kept(3))}
	all := fullGallery()
	for _, c := range []struct {
		whole, part templ.Component
	}{
		{shown("Text", "/create/text-to-video", create.Create(form, list)), create.LatestPart(list)},
		{shown("Text", "/create/text-to-video", create.Create(form, list)), create.CreateOptions(form)},
		{shown("Video", "/tasks/3", library.ShowTask(page)), library.TaskStatus(page)},
		{shown("Gallery", "/gallery", library.ShowGallery(all)), library.GalleryResults(all)},
		{shown("Gallery", "/gallery", library.ShowGallery(all)), library.GalleryChoices(all)},
		{library.GalleryResults(all), library.GalleryMore(all)},
	} {
		if part := htmltest.Render(t, c.part); part == "" || !strings.Contains(htmltest.Render(t, c.whole), part) {
			t.Errorf("the page does not contain its part %.60q", part)
		}
	}
}

// keeping returns the card of a finished video whose file is not stored here.
func keeping(k db.Keeping, b db.ErrorKind) part.Card {
	return card(with(kept(1), func(t *db.Task) { t.Keeping, t.ErrorKind, t.Message, t.Media = k, b, "the link is gone", nil }))
}

func TestNoticeIsForAdmins(t *testing.T) {
	f := frame("Gallery", "/gallery")
	f.Notice = part.SpaceNotice(schedule.Space{Free: 3 << 30})
	notice := htmltest.First(t, htmltest.Draw(t, part.Framed(f, library.ShowGallery(library.Gallery{}))), "p.notice")
	if got := htmltest.Text(notice); got != "For admins. "+f.Notice || !strings.Contains(got, "2.1 GB") {
		t.Errorf("got %q", got)
	}
}

func TestWhatOthersWroteIsTextAndNeverMarkup(t *testing.T) {
	const evil = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>`
	bad := with(kept(1), func(t *db.Task) {
		t.Prompt, t.UserName, t.Message, t.RemoteID = evil, evil, evil, evil
		t.Pictures = []string{"javascript:alert(1)", "https://example.com/" + evil}
		t.Keeping, t.Results = db.Saving, []db.Result{{Kind: db.Video, URL: "javascript:alert(2)"}}
		t.Media = nil
	})
	form := filled(emptyForm(videoapi.ImageToVideo, "bytedance/v1-lite-image-to-video"))
	form.Prompt, form.Pictures[0], form.EndPicture, form.Options["seed"], form.Provider = evil, evil, "data:text/html,x", evil, evil
	form.Errors, form.Notes = input.Errors{"prompt": evil, "": evil}, []string{evil}
	c := card(bad)
	c.Mine, c.ModelName = false, evil
	fail := c
	fail.Task.State = db.Failed
	for name, page := range map[string]templ.Component{
		"task": shown(evil, "/tasks/1", library.ShowTask(library.TaskPage{
			Card: c, Answers: []db.Answer{{Call: "query", Status: evil, Body: evil}},
		})),
		"failed": shown(evil, "/tasks/1", library.ShowTask(library.TaskPage{Card: fail})),
		"gallery": shown("Gallery", "/gallery", library.ShowGallery(library.Gallery{
			Cards: []part.Card{c}, Filter: gallery.Filter{Query: evil},
		})),
		"create": shown("Image", "/create/image-to-video", create.Create(form, create.Latest{Cards: []part.Card{c, fail}})),
	} {
		root := htmltest.Draw(t, page)
		checkPolicy(t, root)
		for _, n := range htmltest.All(root, "*") {
			if n.Data == "img" && htmltest.Attr(n, "src") == "x" {
				t.Errorf("%s: a picture was smuggled in", name)
			}
		}
	}
}

func TestAFirstVisitIsSmall(t *testing.T) {
	page := htmltest.Render(t, practising("Text", "/create/text-to-video", create.Create(
		emptyForm(videoapi.TextToVideo, "seedance-2.0"), create.Latest{},
	)))
	if size := len(page); size > 24_000 {
		t.Errorf("the first page is %d bytes before compression", size)
	}
}
