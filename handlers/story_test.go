package handlers_test

import (
	"fmt"
	"strings"
	"testing"

	"dailies/db"
)

// after is a change that makes the task the next scene of another.
func after(parent db.Task, prompt string) func(*db.Task) {
	return func(t *db.Task) {
		t.ParentID, t.Bond, t.Prompt, t.Options.Duration = parent.ID, db.Continued, prompt, 5
	}
}

func TestAChainPlaysAsOneStoryline(t *testing.T) {
	h := newHouse(t)
	kim := h.founder(t)
	ada := h.joiner(t, kim, "ada")
	one := h.film(t, 1, saying("the boat"))
	two := h.film(t, 2, after(one, "the storm"))
	three := h.film(t, 1, after(two, "the shore"))
	lone := h.film(t, 1, saying("alone"))
	kim.get(fmt.Sprintf("/tasks/%d", two.ID)).is(200).shows("Scene 2 of 3", fmt.Sprintf(`href="/story/%d"`, two.ID))
	kim.get(fmt.Sprintf("/tasks/%d", lone.ID)).is(200).hides("Play the storyline")
	kim.get(fmt.Sprintf("/story/%d", lone.ID)).is(200).shows("1 scene")
	for _, through := range []db.Task{one, two, three} {
		a := ada.get(fmt.Sprintf("/story/%d", through.ID)).is(200).shows("3 scenes", fmt.Sprintf(`href="/tasks/%d#next"`, three.ID))
		boat, storm, shore := strings.Index(a.body, "Scene 1: the boat"), strings.Index(a.body, "Scene 2: the storm"), strings.Index(a.body, "Scene 3: the shore")
		if boat < 0 || storm < boat || shore < storm {
			t.Errorf("the scenes stand at %d, %d and %d", boat, storm, shore)
		}
	}
	_, err := h.store.UpdateTask(t.Context(), three.ID, func(t *db.Task) error { t.Private = true; return nil })
	must(t, err)
	ada.get(fmt.Sprintf("/story/%d", one.ID)).is(200).shows("2 scenes").hides("the shore")
	ada.get(fmt.Sprintf("/story/%d", three.ID)).is(404)
	ada.get(fmt.Sprintf("/story/%d/download", three.ID)).is(404)
	kim.get("/story/0").is(404)
	kim.get(fmt.Sprintf("/story/%d", h.addTask(t, 1, db.Success).ID)).is(200).shows("Nothing to play yet")
}

func TestAStorylineIsDownloadedAsAList(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	one := h.film(t, 1, saying("the boat's\n#EXTINF:9,first\n../../morning"))
	two := h.film(t, 1, after(one, "the storm"))
	a := p.get(fmt.Sprintf("/story/%d/download", two.ID)).is(200)
	if kind := a.Header.Get("Content-Type"); kind != "application/zip" {
		t.Errorf("it is %s", kind)
	}
	files := unzip(t, a.body)
	names := []string{fmt.Sprintf("01 dailies-%d the boat's #EXTINF 9,first .. .. morning.webm", one.ID), fmt.Sprintf("02 dailies-%d the storm.webm", two.ID)}
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
	must(t, h.config.Media.Remove(video.Hash))
	files = unzip(t, p.get(fmt.Sprintf("/story/%d/download", one.ID)).is(200).body)
	if !strings.Contains(files["MISSING.txt"], names[1]) || strings.Contains(files["storyline.m3u"], names[1]) {
		t.Errorf("a missing file is not told: %q", files)
	}
}
