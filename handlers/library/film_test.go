package library_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"dailies/db"
	"dailies/handlers/handlerstest"
)

// filmOf returns one of the small films that package splice is tested with.
func filmOf(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("../../db/media/splice/testdata/" + name)
	must(t, err)
	return b
}

// addFilm adds a finished video with the file.
func addFilm(t *testing.T, h *handlerstest.Server, kind, name string, film db.Film) db.Task {
	t.Helper()
	kept := h.File(t, db.Video, kind, filmOf(t, name))
	kept.Film = film
	return h.Film(t, 1, func(t *db.Task) {
		t.Prompt = "a boat"
		if len(t.Media) > 0 { // the task is finished
			t.Media = []db.Media{kept}
		}
	})
}

// Markers stand on the frames of the file: at its own rate, and where the rate varies, at the
// times of its frames.
func TestExportsUseTheTimesOfTheFile(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	for _, c := range []struct{ kind, name, at, timecode, later, rate string }{
		{"video/quicktime", "h264-pcm.mov", "500", "00:00:00:12 00:00:00:13", "01:00:00:12 01:00:00:13", "1/24s"},
		{"video/quicktime", "prores.mov", "250", "00:00:00:06 00:00:00:07", "01:00:00:06 01:00:00:07", "1/24s"},
		{"video/x-matroska", "h264.mkv", "500", "00:00:00:11 00:00:00:12", "01:00:00:11 01:00:00:12", "1/24s"}, // its first frame is shown at 0.04 s,
		{"video/mp4", "vfr.mp4", "1260", "00:00:01:02 00:00:01:03", "01:00:01:02 01:00:01:03", "1/8s"},         // a frame begins at 1.25 s; most last an eighth
	} {
		page := fmt.Sprintf("/tasks/%d/notes", addFilm(t, h, c.kind, c.name, db.Film{}).ID)
		p.Post(page, noteForm("at", c.at, "body", "Here")).Is(303)
		for query, want := range map[string]string{"": c.timecode, "?start=00:00:00:00": c.timecode, "?start=01:00:00:00": c.later} {
			if edl := p.Get(page + ".edl" + query).Is(200).Text; !strings.Contains(edl, "C        "+want) {
				t.Errorf("%s%s: no %q in\n%s", c.name, query, want, edl)
			}
		}
		if xml := p.Get(page + ".fcpxml").Is(200).Text; !strings.Contains(xml, fmt.Sprintf(`frameDuration="%s"`, c.rate)) {
			t.Errorf("%s: no frames of %s in %s", c.name, c.rate, xml)
		}
		p.Get(page + ".edl?start=02:00:00:00").Is(422).Shows("The timecode can start at")
		p.Get(strings.TrimSuffix(page, "/notes")).Is(200).Shows("EDL from 01:00:00:00", ".edl?start=01:00:00:00")
	}
}
