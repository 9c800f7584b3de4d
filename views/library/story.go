package library

import (
	"fmt"
	"slices"
	"strconv"

	"dailies/db"
	"dailies/views/part"
)

// A Story is a chain of videos, each of which begins with a frame of the one
// before.
type Story struct {
	ID     int64       // of the video from which the page was opened
	Scenes []part.Card // that can be played, the first one first
}

// here returns the index of the scene from which the page was opened.
func (s Story) here() int {
	return max(0, slices.IndexFunc(s.Scenes, func(c part.Card) bool { return c.Task.ID == s.ID }))
}

func (s Story) last() part.Card { return s.Scenes[len(s.Scenes)-1] }

// length returns the requested length of all scenes together, in seconds.
func (s Story) length() int {
	sum := 0
	for _, c := range s.Scenes {
		sum += c.Task.Options.Duration
	}
	return sum
}

// summary returns the number of scenes and their length.
func (s Story) summary() string {
	return part.Count(len(s.Scenes), "scene") + ", " + strconv.Itoa(s.length()) + " seconds"
}

func storyPath(id int64) string { return "/story/" + strconv.FormatInt(id, 10) }

// sceneOfStory returns the place of the video in its storyline, empty where it
// is alone.
func (p TaskPage) sceneOfStory() string {
	at := slices.IndexFunc(p.Story, func(t db.Task) bool { return t.ID == p.Card.Task.ID })
	if at < 0 || len(p.Story) < 2 {
		return ""
	}
	return fmt.Sprintf("Scene %d of %d", at+1, len(p.Story))
}
