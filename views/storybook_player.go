package views

import "dailies/db"

func playerStories() []story {
	return []story{
		{"One video", transportBar(transport{})},
		{"Several at the same time", transportBar(transport{Whole: true, Sounds: []string{"Video 1", "Video 2"}})},
		{"Several one after another", transportBar(transport{Whole: true, Full: true})},
		{"Its keys", opened("Keys", playerKeys())},
	}
}

// storySides are videos that differ in what can differ.
func storySides() []Card {
	other := storyCard(storyKept(2), upright, ofSomebodyElse, seeded, func(t *db.Task) {
		t.Prompt, t.Charged, t.Options.Duration = "A tram crosses the old bridge at dawn, rain on the lens", db.CreditsOf(48), 8
	})
	other.ModelName = "Veo 3.1"
	return []Card{storyCard(storyKept(1), starred), other, storyCard(storyKept(3), wordless), storyCard(storyKept(4), wordy, inFrames)}
}

func compareStories() []story {
	cards := storySides()
	return []story{
		{"Two", together(Compare{Cards: cards[:2]})},
		{"Four", together(Compare{Cards: cards})},
		{"What differs between two", differences(Compare{Cards: cards[:2]})},
		{"What differs between four", differences(Compare{Cards: cards})},
		{"Some are not here", compareNotes(Compare{Left: 2, Missing: 1})},
	}
}

func sceneStories() []story {
	next := func(change func(*TaskPage)) TaskPage {
		p := TaskPage{Card: storyCard(storyKept(1)), Uploads: true}
		change(&p)
		return p
	}
	scenes := []Card{storyCard(storyKept(1)), storyCard(storyKept(2), wordy), storyCard(storyKept(3), wordless)}
	return []story{
		{"The next scene, folded", nextScene(next(func(*TaskPage) {}))},
		{"The next scene, open", opened("Next scene", nextScene(next(func(*TaskPage) {})))},
		{"The next scene, refused", nextScene(next(func(p *TaskPage) { p.NextError = "This file holds no picture." }))},
		{"Where the service could not fetch the frame", opened("Next scene", nextScene(next(func(p *TaskPage) { p.Uploads = false })))},
		{"Which scene a video is", storyLink(TaskPage{Card: scenes[1], Story: []db.Task{scenes[0].Task, scenes[1].Task, scenes[2].Task}})},
		{"A storyline", storyline(Story{ID: 2, Scenes: scenes})},
	}
}
