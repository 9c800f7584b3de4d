package video_test

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

// Of scenes that cannot be joined exactly, the sentence names each.
func TestASceneThatBeginsWithinAGroupOfPicturesIsNamed(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	ids := handlerstest.Story(t, h, filmOf(t, "plain24.mp4"), filmOf(t, "edit-list.mp4"))
	p.Get(fmt.Sprintf("/story/%d", ids[0])).Is(200).Shows("These scenes can’t be one film", "Scene 2", "It begins with frames that build on others, which were cut away. Start it at frame 7.")
	p.Post(fmt.Sprintf("/story/%d", ids[0]), handlerstest.Cuts(fmt.Sprint(ids[0], " 1 24"), fmt.Sprint(ids[1], " 7 18"))).Is(303)
	p.Get(fmt.Sprintf("/story/%d", ids[0])).Is(200).Shows("Download film").Hides("Doesn’t fit")
}

// What not every browser plays says so at the player and on its tile, and offers the download.
func TestAFilmThatMayNotPlaySaysSo(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	hevc := db.Film{Read: true, Format: db.MP4, Video: "hvc1.1.6.L30.90", Sound: "mp4a.40.2"}
	for _, c := range []struct {
		kind, name string
		film       db.Film
		script     string // what is said if the browser cannot play it
		plain      string // what is said without script; empty for what every browser plays
		badge      string
		query      string // what the browser is asked
	}{
		{"video/mp4", "hevc-sound.mp4", hevc, "This browser can’t play this file (H.265).", "Some browsers can’t play this file (H.265).", "May not play", `video/mp4; codecs=&#34;hvc1.1.6.L30.90, mp4a.40.2&#34;`},
		{"video/quicktime", "prores.mov", db.Film{Read: true, Format: db.MOV, Video: "apco"}, "play this file (ProRes).", "Some browsers can’t play this file (ProRes).", "May not play", `video/mp4; codecs=&#34;apco&#34;`},
		{"video/x-matroska", "h264.mkv", db.Film{Read: true, Format: db.MKV, Video: "avc1.64000a"}, "play this file (MKV).", "Some browsers can’t play this file (MKV).", "May not play", "video/x-matroska"},
		{"video/mp2t", "h264.ts", db.Film{Read: true, Format: db.TS, Video: "avc1"}, "play this file (TS).", "Some browsers can’t play this file (TS).", "May not play", "video/mp2t"},
		{"video/mp4", "sound-only.mp4", db.Film{Read: true, Format: db.MP4, Sound: "mp4a.40.2"}, "This file has sound but no picture.", "This file has sound but no picture.", "Sound only", `data-sure="true"`},
		{"video/mp4", "plain24.mp4", db.Film{Read: true, Format: db.MP4, Video: "avc1.64000a", Cut: true}, "This file isn’t whole: it breaks off.", "This file isn’t whole: it breaks off.", "Not whole", `data-sure="true"`},
		{"video/mp4", "av1.mp4", db.Film{Read: true, Format: db.MP4, Video: "av01.0.00M.08"}, "This browser can’t play this file (AV1).", "", "", "av01.0.00M.08"},
		{"video/mp4", "plain24.mp4", db.Film{}, "This browser can’t play this file.", "", "", ""},
	} {
		task := addFilm(t, h, c.kind, c.name, c.film)
		ending := strings.ToUpper(strings.TrimPrefix(task.Media[0].Ending(), "."))
		page := p.Get(handlerstest.TaskPage(task)).Is(200).Shows(c.script, c.query, ending+",")
		page.Has(fmt.Sprintf(`[data-unplayable] a[href="/media/%d?download=1"]`, task.Media[0].ID))
		tile := p.Get(fmt.Sprintf("/gallery?before=%d&through=%d", task.ID+1, task.ID)).Is(200)
		if c.plain == "" {
			page.Has(".unplayable.scripted").Lacks(".unplayable [data-spare]")
			tile.Lacks(".mark[data-unplayable]")
		} else {
			page.Lacks(".unplayable.scripted").Shows(c.plain)
			tile.Has(".mark[data-unplayable]").Shows(c.badge)
		}
		p.Get(fmt.Sprintf("/story/%d", task.ID)).Is(200).Shows(c.script)
	}
}
