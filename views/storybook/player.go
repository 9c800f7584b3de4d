package storybook

import (
	"time"

	"dailies/db"
	"dailies/views/library"
	"dailies/views/part"
)

func playerStories() []story {
	return []story{
		{"One video", part.TransportBar(part.Transport{Full: true})},
		{"Several at the same time", part.TransportBar(part.Transport{Sounds: []string{"Video 1", "Video 2"}})},
		{"A browser may not play the film", part.Film(
			Card(Kept(1)), db.Media{Film: db.Film{Read: true, Format: db.MP4, Video: "hvc1.1.6.L93.B0"}}, false,
		)},
		{"The film has no picture", part.Film(
			Card(Kept(2)), db.Media{Film: db.Film{Read: true, Format: db.MP4, Sound: "mp4a.40.2"}}, false,
		)},
		{"Its keys", opened("Keyboard", part.PlayerKeys())},
	}
}

// comparedCards returns videos that differ in everything that a comparison shows.
func comparedCards() []part.Card {
	other := Card(Kept(2), upright, ofSomebodyElse, seeded, func(t *db.Task) {
		t.Prompt, t.Charged, t.Options.Duration = "A tram crosses the old bridge at dawn, rain on the lens", db.CreditsOf(48), 8
	})
	other.ModelName = "Veo 3.1"
	return []part.Card{Card(Kept(1), starred), other, Card(Kept(3), wordless), Card(Kept(4), wordy, inFrames)}
}

func compareStories() []story {
	cards := comparedCards()
	return []story{
		{"Two", library.SideBySide(library.Compare{Cards: cards[:2]})},
		{"Four", library.SideBySide(library.Compare{Cards: cards})},
		{"What differs between two", library.Differences(library.Compare{Cards: cards[:2]})},
		{"What differs between four", library.Differences(library.Compare{Cards: cards})},
		{"Some aren’t here", library.CompareNotes(library.Compare{Left: 2, Missing: 1})},
	}
}

func sceneStories() []story {
	next := func(change func(*library.TaskPage)) library.TaskPage {
		p := library.TaskPage{Card: Card(Kept(1)), Uploads: true}
		change(&p)
		return p
	}
	scenes := []part.Card{Card(Kept(1)), Card(Kept(2), wordy), Card(Kept(3), wordless)}
	return []story{
		{"The next scene, with your own picture", library.NextScene(next(func(p *library.TaskPage) {
			p.NextError = "We can’t use this file. Choose a JPEG, PNG, WebP, GIF or BMP."
		}))},
		{"Where the service couldn’t open the frame", library.NextScene(next(
			func(p *library.TaskPage) { p.Uploads, p.NextError = false, "We can’t open it." },
		))},
		{"Which scene a video is", library.StoryLink(library.TaskPage{
			Card: scenes[1], Story: []db.Task{scenes[0].Task, scenes[1].Task, scenes[2].Task},
		})},
		{"A storyline", element("p", "hint", "It fills a page with a style sheet of its own. Look there.")},
		{"One film", library.DownloadFilm(library.StoryFilm{
			ID: 2, Frames: 204, Length: 8500 * time.Millisecond, Bytes: 12_400_000, Kind: "WebM",
			Notes: []string{"Scene 2 can’t start exactly there. Use the nearest frame: 49."},
		})},
		{"No single film", library.DownloadFilm(library.StoryFilm{
			ID: 2, Misfits: []library.Misfit{{ID: 3, Scene: 3, Kind: library.WrongShape, First: "wide", Other: "upright"}},
		})},
	}
}
