package library

import (
	"fmt"
	"strings"

	"dailies/db"
	"dailies/views/part"
)

// Starred says that n videos have a star now, or none any more.
func Starred(n int, on bool) string {
	if on {
		return theVideos(n, "has a star now.", "have a star now.")
	}
	return theVideos(n, "has no star any more.", "have no star any more.")
}

// Tagged says which tags were added to n videos, or removed.
func Tagged(n int, add, remove []string) string {
	said := "Done."
	switch {
	case len(add) > 0:
		said = theVideos(n, "is", "are") + " tagged " + quoted(add) + "."
	case len(remove) > 0:
		said = theVideos(n, "is", "are") + " no longer tagged " + quoted(remove) + "."
	}
	return said
}

// Hidden says who sees n videos now, and that others were not changed because
// they belong to other people.
func Hidden(n, others int, on bool) string {
	said := []string{}
	switch {
	case n > 0 && on:
		said = append(said, theVideos(n, "is private: only you see it.", "are private: only you see them."))
	case n > 0:
		said = append(said, theVideos(n, "is there for the whole team.", "are there for the whole team."))
	}
	if others > 0 {
		said = append(said, theRest(others, n, "belongs to somebody else and stays as it is.", "belong to others and stay as they are."))
	}
	return strings.Join(said, " ")
}

// Deleted says that n videos are in the bin, and why the videos in left are not.
func Deleted(n int, left []db.Task, viewer db.User) string {
	said := []string{}
	if n > 0 {
		said = append(said, theVideos(n, "is in the bin.", "are in the bin."))
	}
	foreign, running := 0, 0
	for _, t := range left {
		if t.DeletableBy(viewer) {
			running++
		} else {
			foreign++
		}
	}
	if running > 0 {
		said = append(said, theRest(running, n, "is not done yet and stays.", "are not done yet and stay."))
	}
	if foreign > 0 {
		said = append(said, theRest(foreign, n+running, "belongs to somebody else and stays.", "belong to others and stay."))
	}
	return strings.Join(said, " ")
}

// Restored says that n videos have been restored.
func Restored(n int) string { return theVideos(n, "is back.", "are back.") }

// theVideos makes a sentence about n videos, from its end in the singular and in
// the plural.
func theVideos(n int, one, more string) string {
	if n == 1 {
		return "The video " + one
	}
	return part.Count(n, "video") + " " + more
}

// theRest is theVideos for a sentence that may follow a sentence about other
// videos.
func theRest(n, others int, one, more string) string {
	switch {
	case others == 0:
		return theVideos(n, one, more)
	case n == 1:
		return "1 " + one
	}
	return part.Number(n) + " " + more
}

// quoted lists a few of the names and counts the others, because the message is
// stored in a cookie, which has little room.
func quoted(names []string) string {
	const most = 3
	var words []string
	for _, name := range names[:min(len(names), most)] {
		words = append(words, "“"+db.Isolated(name)+"”")
	}
	if more := len(names) - most; more > 0 {
		words = append(words, part.Number(more)+" more")
	}
	return strings.Join(words, ", ")
}

// starName returns the accessible name of the star button. aria-pressed says
// whether the video has a star.
func starName(c part.Card) string { return fmt.Sprintf("Star %s", c.Title()) }

// deletable reports whether the viewer can move the video to the bin now.
func (p TaskPage) deletable() bool {
	try := p.Card.Task
	return p.MayDelete && try.DeletedAt.IsZero() && try.Delete(p.Card.Task.UserID, p.Card.Now) == nil
}
