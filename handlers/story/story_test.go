package story_test

import (
	"fmt"
	"strings"
	"testing"

	"dailies/db"
	"dailies/handlers/handlerstest"
)

func TestAChainPlaysAsOneStoryline(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	one := h.Film(t, 1, handlerstest.Saying("the boat"))
	two := h.Film(t, 2, handlerstest.After(one, "the storm"))
	three := h.Film(t, 1, handlerstest.After(two, "the shore"))
	lone := h.Film(t, 1, handlerstest.Saying("alone"))
	kim.Get(fmt.Sprintf("/tasks/%d", two.ID)).Is(200).Shows("Scene 2 of 3").Has(fmt.Sprintf(`[href="/story/%d"]`, two.ID))
	kim.Get(fmt.Sprintf("/tasks/%d", lone.ID)).Is(200).Hides("Play the storyline")
	kim.Get(fmt.Sprintf("/story/%d", lone.ID)).Is(200).Shows("1 scene")
	for _, through := range []db.Task{one, two, three} {
		a := ada.Get(fmt.Sprintf("/story/%d", through.ID)).Is(200).Shows("3 scenes").Has(fmt.Sprintf(`[href="/tasks/%d#next"]`, three.ID))
		boat, storm, shore := strings.Index(a.Text, "Scene 1: the boat"), strings.Index(a.Text, "Scene 2: the storm"),
			strings.Index(a.Text, "Scene 3: the shore")
		if boat < 0 || storm < boat || shore < storm {
			t.Errorf("the scenes stand at %d, %d and %d", boat, storm, shore)
		}
	}
	_, err := h.Store.Tasks.UpdateTask(t.Context(), three.ID, func(t *db.Task) error { t.Private = true; return nil })
	must(t, err)
	ada.Get(fmt.Sprintf("/story/%d", one.ID)).Is(200).Shows("2 scenes").Hides("the shore")
	ada.Get(fmt.Sprintf("/story/%d", three.ID)).Is(404)
	ada.Get(fmt.Sprintf("/story/%d/download", three.ID)).Is(404)
	kim.Get("/story/0").Is(404)
	kim.Get(fmt.Sprintf("/story/%d", h.AddTask(t, 1, db.Success).ID)).Is(200).Shows("Nothing to play yet")
}

func TestAStorylineIsDownloadedAsAList(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	one := h.Film(t, 1, handlerstest.Saying("the boat's\n#EXTINF:9,first\n../../morning"))
	two := h.Film(t, 1, handlerstest.After(one, "the storm"))
	a := p.Get(fmt.Sprintf("/story/%d/download", two.ID)).Is(200)
	if kind := a.Header.Get("Content-Type"); kind != "application/zip" {
		t.Errorf("it is %s", kind)
	}
	files := handlerstest.Unzip(t, a.Text)
	names := []string{fmt.Sprintf("01 dailies-%d the boat's #EXTINF 9,first .. .. morning.webm", one.ID),
		fmt.Sprintf("02 dailies-%d the storm.webm", two.ID)}
	if len(files) != 4 || files[names[0]] == "" || files[names[1]] == "" {
		t.Fatalf("it holds %q", files)
	}
	list := "#EXTM3U\n#EXTINF:0,the boat's #EXTINF:9,first ../../morning\n" + names[0] + "\n#EXTINF:5,the storm\n" + names[1] + "\n"
	if files["storyline.m3u"] != list {
		t.Errorf("the playlist is %q", files["storyline.m3u"])
	}
	joined := "ffconcat version 1.0\nfile '" + strings.Replace(names[0], "'", `'\''`, 1) + "'\nfile '" + names[1] + "'\n"
	if files["concat.txt"] != joined {
		t.Errorf("the list for ffmpeg is %q", files["concat.txt"])
	}

	video, _ := two.Video()
	must(t, h.Config.Media.Remove(t.Context(), video.Hash))
	files = handlerstest.Unzip(t, p.Get(fmt.Sprintf("/story/%d/download", one.ID)).Is(200).Text)
	if !strings.Contains(files["MISSING.txt"], names[1]) || strings.Contains(files["storyline.m3u"], names[1]) {
		t.Errorf("a missing file is not told: %q", files)
	}
}
