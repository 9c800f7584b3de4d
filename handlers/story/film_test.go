package story_test

import (
	"encoding/binary"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/media/splice"
	"dailies/handlers/handlerstest"
	libraryview "dailies/views/library"
)

// theFilm downloads a storyline's film and parses it.
func theFilm(t *testing.T, p *handlerstest.Browser, id int64) *splice.Clip {
	t.Helper()
	a := p.Get(handlerstest.StoryPath(id) + "/film").Is(200)
	if length := a.Header.Get("Content-Length"); length != strconv.Itoa(len(a.Text)) {
		t.Errorf("%d bytes, and it says %s", len(a.Text), length)
	}
	c, err := splice.Read(strings.NewReader(a.Text), int64(len(a.Text)))
	must(t, err)
	return c
}

func TestAStorylineIsOrderedCutAndDownloadedAsOneFilm(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	ids := handlerstest.Story(t, h, handlerstest.Rendered(t, "one", 64), handlerstest.Rendered(t, "two", 64),
		handlerstest.Rendered(t, "three", 64))
	page := handlerstest.StoryPath(ids[1])
	kim.Get(page).Is(200).Has(fmt.Sprintf(`a[href="%s/film"]`, page), `[name="first"][value="1"]`, `[name="last"][value="24"]`).
		Shows("72 frames, 3 s,")
	if n := theFilm(t, kim, ids[0]).Frames(); n != 72 {
		t.Errorf("the whole film has %d frames", n)
	}

	form := handlerstest.Cuts(fmt.Sprintf("%d 1 6", ids[2]), fmt.Sprintf("%d 13 24", ids[0]), fmt.Sprintf("%d 24 2", ids[1]))
	kim.Post(page, form).Is(303).LeadsTo(page)
	a := kim.Get(page).Is(200).Shows("Saved.", "19 frames")
	if first, second := strings.Index(a.Text, "part 3"), strings.Index(a.Text, "part 1"); first < 0 || second < first {
		t.Error("the scenes are in another order")
	}
	ada.Get(page).Is(200).Shows("19 frames").Has(`[name="first"][value="13"]`) // the storyline is the whole team's
	if n := theFilm(t, ada, ids[1]).Frames(); n != 6+12+1 {
		t.Errorf("the film has %d frames", n)
	}
	name := kim.Get(page + "/film").Header.Get("Content-Disposition")
	if want := fmt.Sprintf(`attachment; filename="dailies-storyline-%d part 3.webm"`, ids[2]); name != want {
		t.Errorf("it is called %s, not %s", name, want)
	}
	if kind := kim.Get(page + "/film").Header.Get("Content-Type"); kind != "video/webm" {
		t.Errorf("it is %s", kind)
	}

	form.Set("later", strconv.FormatInt(ids[2], 10))
	kim.Post(page, form).Is(303)
	a = kim.Get(page + "/download").Is(200)
	if list := handlerstest.Unzip(t, a.Text)["storyline.m3u"]; strings.Index(list, "part 1") > strings.Index(list, "part 3") {
		t.Errorf("a scene was not moved later: %q", list)
	}
	form = handlerstest.Cuts(fmt.Sprintf("%d x -7", ids[0]), fmt.Sprintf("%d 5 99999999999999999999", ids[1]), "99999 1 1", "x 1 1")
	form.Set("earlier", strconv.FormatInt(ids[0], 10))
	part := kim.Post(page, form, "HX-Request-Type", "partial").Is(200).Hides("<html").Shows(fmt.Sprintf("%d frames", 24+20+6))
	part.Has(fmt.Sprintf(`a[href="%s/film"]`, page))
}

func TestASceneBeginsAtAKeyFrame(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	ids := handlerstest.Story(t, h, handlerstest.Encoded(t), handlerstest.Encoded(t))
	page := handlerstest.StoryPath(ids[0])
	p.Get(page).Is(200).Shows("It can start at frames 1, 7.").Has(`[data-starts="0,6"]`)
	form := handlerstest.Cuts(fmt.Sprintf("%d 6 11", ids[0]), fmt.Sprintf("%d 9 12", ids[1]))
	p.Post(page, form).Is(303)
	p.Get(page).Is(200).Shows("Scene 1 can’t start exactly there. Use the nearest frame: 1 or 7.",
		"Scene 2 can’t start exactly there. Use the nearest frame: 7.")
	film := theFilm(t, p, ids[0])
	if film.Container != splice.MP4 || film.Frames() != 11+6 {
		t.Errorf("%s with %d frames", film.Container, film.Frames())
	}
}

func TestScenesThatDifferComeAsAnArchive(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	film := handlerstest.Rendered(t, "one", 64)
	for _, c := range []struct {
		films [][]byte
		says  string
	}{
		{[][]byte{film, handlerstest.Encoded(t)}, "This scene is MP4, the others are WebM."},
		{[][]byte{film, film, handlerstest.Rendered(t, "two", 96)}, "This scene has 96 × 48 pixels, the others have 64 × 48."},
		{[][]byte{film, []byte("no video at all, or none that is known")}, "This file can’t be joined to others."},
	} {
		page := handlerstest.StoryPath(handlerstest.Story(t, h, c.films...)[0])
		p.Get(page).Is(200).Shows("These scenes can’t be one film", c.says).Lacks(`[href$="/film"]`).Has(`a[href="` + page + `/download"]`)
		p.Get(page + "/film").Is(303).LeadsTo(page + "/download")
	}
}

func TestNobodyChangesAStorylineTheyCannotSee(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	ids := handlerstest.Story(t, h, handlerstest.Rendered(t, "one", 64))
	form := handlerstest.Cuts(fmt.Sprintf("%d 3 4", ids[0]))
	h.Alter(t, ids[0], func(t *db.Task) { t.Private = true })
	ada.Post(handlerstest.StoryPath(ids[0]), form).Is(404)
	ada.Get(handlerstest.StoryPath(ids[0]) + "/film").Is(404)
	other := h.Film(t, 2, handlerstest.Saying("her own"))
	ada.Post(handlerstest.StoryPath(other.ID), form).Is(303)
	kim.Get(handlerstest.StoryPath(ids[0])).Is(200).Shows("24 frames")
}

func TestALongStorylineIsSavedWithAllItsNotes(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	films := make([][]byte, 50)
	for i := range films {
		films[i] = handlerstest.Encoded(t)
	}
	ids := handlerstest.Story(t, h, films...)
	var scenes []string
	for _, id := range ids {
		scenes = append(scenes, fmt.Sprintf("%d 5 12", id))
	}
	kim.Post(handlerstest.StoryPath(ids[0]), handlerstest.Cuts(scenes...)).Is(303)
	kim.Get(handlerstest.StoryPath(ids[0])).Is(200).Shows("Saved.")
}

// endless returns an MP4 file with three hours of one-byte frames, in a quarter of a
// megabyte.
func endless() []byte {
	atom := func(kind string, parts ...string) string {
		body := strings.Join(parts, "")
		return string(binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))) + kind + body
	}
	u32 := func(numbers ...uint32) string {
		var b []byte
		for _, n := range numbers {
			b = binary.BigEndian.AppendUint32(b, n)
		}
		return string(b)
	}
	const many = 1 << 18
	table := atom("stbl", atom("stsd", u32(0, 1), atom("vp09", strings.Repeat("\x00", 24), "\x00\x40\x00\x40", strings.Repeat("\x00", 50))),
		atom("stsz", u32(0, 1, many)), atom("stts", u32(0, 1, many, 1)), atom("stsc", u32(0, 1, 1, many, 1)), atom("stco", u32(0, 1, 8)))
	track := atom("trak", atom("tkhd", u32(0, 0, 0, 1), strings.Repeat("\x00", 68)),
		atom("mdia", atom("mdhd", u32(0, 0, 0, 24)), atom("hdlr", u32(0, 0), "vide"), atom("minf", table)))
	return []byte(atom("ftyp", "isomisom") + atom("moov", atom("mvhd", u32(0, 0, 0, 1000)), track) +
		atom("mdat", strings.Repeat("x", many)))
}

func TestScenesOfTooManyPicturesComeAsAnArchive(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	film := endless()
	ids := handlerstest.Story(t, h, film, film, film, film, film, film)
	kim.Get(handlerstest.StoryPath(ids[1])).Is(200).Shows("so here they are as a ZIP").
		Lacks(fmt.Sprintf(`a[href="/story/%d/film"]`, ids[1]))
	kim.Get(handlerstest.StoryPath(ids[1]) + "/film").Is(303).LeadsTo(fmt.Sprintf("/story/%d/download", ids[1]))
}

func TestTheStorylineSaysThatAFilmHasNoCredentials(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	ids := handlerstest.Story(t, h, handlerstest.Encoded(t), append(handlerstest.Encoded(t), handlerstest.ContentCredentials...))
	p.Get(handlerstest.StoryPath(ids[0])).Is(200).Shows(libraryview.NoCredentials)
	if m := theFilm(t, p, ids[0]).Marks(); m.Credentials {
		t.Error("the film has them")
	}
	form := handlerstest.Cuts(fmt.Sprintf("%d 1 6", ids[0]))
	form.Set("out", strconv.FormatInt(ids[1], 10))
	p.Post(handlerstest.StoryPath(ids[0]), form).Is(303)
	p.Get(handlerstest.StoryPath(ids[0])).Is(200).Hides(libraryview.NoCredentials)
}

func TestAFilmGetsTheLabelOfTheTeam(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	ids := handlerstest.Story(t, h, handlerstest.Encoded(t), handlerstest.Encoded(t))
	if m := theFilm(t, p, ids[0]).Marks(); m.Label {
		t.Error("without a code, the film has a label")
	}
	p.Post("/team/labels", url.Values{"producer": {"001191440300708461136T1XGW3"}}).Is(303)
	first, again := p.Get(handlerstest.StoryPath(ids[0])+"/film").Is(200).Text, p.Get(handlerstest.StoryPath(ids[0])+"/film").Is(200).Text
	if m := theFilm(t, p, ids[0]).Marks(); !m.Label || !strings.Contains(first, fmt.Sprintf(`"ProduceID":"film-%d-`, ids[0])) {
		t.Error("the film has no label")
	}
	if first != again {
		t.Error("the same film has another label")
	}
	p.Post(handlerstest.StoryPath(ids[0]), handlerstest.Cuts(fmt.Sprintf("%d 1 6", ids[0]))).Is(303)
	number := regexp.MustCompile(`"ProduceID":"[^"]*"`)
	if other := p.Get(handlerstest.StoryPath(ids[0]) + "/film").Text; number.FindString(other) == number.FindString(first) {
		t.Error("another film has the same number")
	}
}
