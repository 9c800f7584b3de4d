package library

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/format"
	"dailies/views/part"
)

// A Story is a chain of videos, each of which begins with a frame of another.
type Story struct {
	ID     int64   // of the video from whose page the storyline was opened
	Scenes []Scene // those that can be played, in order
	Out    []Scene // those that were left out
	Film   StoryFilm
}

// A Scene is a video of a storyline, with the cut: the part of it that is used.
type Scene struct {
	part.Card
	Frames        int           // number of frames of the video; 0 if it cannot be cut
	Start, Finish int           // the frames that are used, counted from 0; Finish is excluded
	Keys          []int         // the frames that can come first; nil if all of them can
	From, To      time.Duration // when the part that is used begins and ends
	Begin, End    time.Duration // when the whole video begins and ends
}

// A StoryFilm describes the single film as which a storyline can be downloaded.
type StoryFilm struct {
	ID      int64
	Frames  int // 0 if the scenes cannot be joined into one film
	Length  time.Duration
	Bytes   int64
	Kind    string   // type of the file, such as "WebM"
	Misfits []Misfit // the scenes because of which they cannot be joined
	Notes   []string // how the result differs from what was requested
	Signed  bool     // a scene has Content Credentials
}

func (f StoryFilm) size() string {
	return part.Plural(
		f.Frames, "%s frame, %s s, %s of %s", "%s frames, %s s, %s of %s", part.Number(f.Length.Seconds()), part.Bytes(f.Bytes),
		f.Kind,
	)
}

// NoCredentials says what a film loses of scenes with Content Credentials.
const NoCredentials = "The film won’t have the Content Credentials of its scenes: they can’t survive joining."

// why says why the scenes cannot be joined.
func (f StoryFilm) why() string {
	if len(f.Misfits) == 0 {
		return "Together these scenes are too long for one film, so here they are as a ZIP."
	}
	return "These scenes can’t be one film, so here they are as a ZIP."
}

// A Misfit is a scene that does not fit the others of its storyline.
type Misfit struct {
	ID           int64 // of the video
	Scene        int   // its number in the storyline, from 1
	Kind         MisfitKind
	First, Other string // what the others have, and what it has
	Frame        int    // with WrongStart, the first one with which it could begin, from 1; 0 if there is none
}

// A MisfitKind says in what a scene differs.
type MisfitKind int

// What a scene can differ in.
const (
	WrongFile      MisfitKind = iota // it is missing or cannot be joined
	WrongContainer                   // the kinds of files, such as "MP4"
	WrongPictures                    // how the pictures are encoded
	WrongShape                       // "wide", "upright" or "square"
	WrongSize                        // in pixels
	WrongSound                       // how the sound is encoded; empty without sound
	WrongStart                       // its first frames are decoded from others that are cut away
)

// says says what does not fit.
func (m Misfit) says() string {
	switch {
	case m.Kind == WrongFile:
		return "Doesn’t fit. This file can’t be joined to others."
	case m.Kind == WrongStart && m.Frame > 0:
		return fmt.Sprintf("Doesn’t fit. It begins with frames that build on others, which were cut away. Start it at frame %d.", m.Frame)
	case m.Kind == WrongStart:
		return "Doesn’t fit. It begins with frames that build on others, which were cut away."
	case m.Kind == WrongContainer:
		return fmt.Sprintf("Doesn’t fit. This scene is %s, the others are %s.", m.Other, m.First)
	case m.Kind == WrongShape:
		return fmt.Sprintf("Doesn’t fit. This scene is %s, the others are %s.", m.Other, m.First)
	case m.Kind == WrongSize:
		return fmt.Sprintf("Doesn’t fit. This scene has %s pixels, the others have %s.", m.Other, m.First)
	case m.Kind == WrongSound && m.Other == "":
		return "Doesn’t fit. This scene has no sound, the others do."
	case m.Kind == WrongSound && m.First == "":
		return "Doesn’t fit. This scene has sound, the others don’t."
	case m.Kind == WrongSound && m.Other != m.First:
		return fmt.Sprintf("Doesn’t fit. Its sound is %s, that of the others %s.", m.Other, m.First)
	case m.Kind == WrongSound:
		return "Doesn’t fit. Its sound is encoded differently."
	}
	return "Doesn’t fit. Its pictures are encoded differently."
}

// Sentence says what does not fit, and what would fix it.
func (m Misfit) Sentence() string { return m.says() + " " + m.fix() }

// fix says what would make the scene fit.
func (m Misfit) fix() string {
	switch {
	case m.Kind == WrongShape:
		return "One film needs one shape: make it again in that of the others, or remove it."
	case m.Kind == WrongSize:
		return "Make it again in the resolution of the others, or remove it."
	case m.Kind == WrongSound && m.Other == "":
		return "Make it again with sound, or remove it."
	case m.Kind == WrongSound && m.First == "":
		return "Make it again without sound, or remove it."
	case m.Kind == WrongFile:
		return "Make it again, or remove it."
	}
	return "Make it again with the model of the others, or remove it."
}

// here returns the index of the scene from whose page the storyline was opened.
func (s Story) here() int {
	return max(0, slices.IndexFunc(s.Scenes, func(c Scene) bool { return c.Task.ID == s.ID }))
}

// newest returns the scene that was made last, wherever it is in the order. The
// next scene continues it.
func (s Story) newest() Scene {
	return slices.MaxFunc(s.Scenes, func(a, b Scene) int { return cmp.Compare(a.Task.ID, b.Task.ID) })
}

// fit says whether the scene fits the others.
func (s Story) fit(c Scene) string {
	for _, m := range s.Film.Misfits {
		if m.ID == c.Task.ID {
			return m.Sentence()
		}
	}
	return "Fits the other scenes."
}

// lookOnly reports whether the viewer may not change the storyline.
func (s Story) lookOnly() bool { return s.Scenes[0].LookOnly }

// length returns the total requested length of all scenes, in seconds.
func (s Story) length() int {
	sum := 0
	for _, c := range s.Scenes {
		sum += c.Task.Options.Duration
	}
	return sum
}

// summary says how many scenes there are. How long they are is said with the film that
// they make, if they make one.
func (s Story) summary() string {
	if s.Film.Frames > 0 {
		return part.Plural(len(s.Scenes), "%s scene", "%s scenes")
	}
	return part.Plural(len(s.Scenes), "%s scene, %d s", "%s scenes, %d s", s.length())
}

// size says how many frames the video has or, if that is not known, its requested
// length.
func (c Scene) size() string {
	if c.Frames == 0 {
		return part.VideoLength(c.Task.Options.Duration)
	}
	return part.Plural(c.Frames, "%s frame", "%s frames")
}

// keyFrames says with which frames the scene can begin.
func (c Scene) keyFrames() string {
	const most = 12
	var frames []string
	for _, k := range c.Keys[:min(most, len(c.Keys))] {
		frames = append(frames, strconv.Itoa(k+1))
	}
	if len(c.Keys) > most {
		return fmt.Sprintf("It can start at frames %s …", format.List(frames))
	}
	return fmt.Sprintf("It can start at frames %s.", format.List(frames))
}

// cutting returns the data attributes that tell the script about a scene: times
// in seconds, frames counted from 0.
func (c Scene) cutting() templ.Attributes {
	if c.Frames == 0 {
		return nil
	}
	return templ.Attributes{
		"data-from": seconds(c.From), "data-to": seconds(c.To), "data-begin": seconds(c.Begin), "data-end": seconds(c.End),
		"data-frames": strconv.Itoa(c.Frames), "data-starts": strings.Trim(strings.Join(strings.Fields(fmt.Sprint(c.Keys)), ","), "[]"),
	}
}

func storyPath(id int64) string { return "/story/" + strconv.FormatInt(id, 10) }

// sceneOfStory names the position of the video in its storyline; empty if it is
// alone.
func (p TaskPage) sceneOfStory() string {
	at := slices.IndexFunc(p.Story, func(t db.Task) bool { return t.ID == p.Card.Task.ID })
	if at < 0 || len(p.Story) < 2 {
		return ""
	}
	return fmt.Sprintf("Scene %d of %d", at+1, len(p.Story))
}

// seconds returns the time for scripts.
func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 4, 64) }
