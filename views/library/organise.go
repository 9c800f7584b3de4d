package library

import (
	"fmt"

	"dailies/db"
	"dailies/db/format"
	"dailies/db/naming"
	"dailies/views/part"
)

// Starred says that n videos have a star now, or none any more.
func Starred(n int, on bool) string {
	if on {
		return theVideos(n, "Starred.", "%s videos starred.")
	}
	return theVideos(n, "Star removed.", "%s stars removed.")
}

// Tagged says which tags were added to n videos, or removed.
func Tagged(n int, add, remove []string) string {
	switch {
	case len(add) > 0 && n == 1:
		return fmt.Sprintf("Tagged %s.", quoted(add))
	case len(add) > 0:
		return fmt.Sprintf("%s videos tagged %s.", part.Number(n), quoted(add))
	case len(remove) > 0 && n == 1:
		return fmt.Sprintf("No longer tagged %s.", quoted(remove))
	case len(remove) > 0:
		return fmt.Sprintf("%s videos no longer tagged %s.", part.Number(n), quoted(remove))
	}
	return "Done."
}

// Hidden says who sees n videos now, and that others were not changed because
// they belong to other people.
func Hidden(n, others int, on bool) string {
	var changed, rest string
	switch {
	case n > 0 && on:
		changed = theVideos(n, "Private: only you see it.", "%s videos are private: only you see them.")
	case n > 0:
		changed = theVideos(n, "The team sees it now.", "The team sees %s videos now.")
	}
	switch {
	case others > 0 && n > 0:
		rest = part.Plural(others, "%s isn’t yours and stays as it is.", "%s aren’t yours and stay as they are.")
	case others > 0:
		rest = theVideos(others, "It isn’t yours, so it stays as it is.", "%s videos aren’t yours, so they stay as they are.")
	}
	return format.Sentences(changed, rest)
}

// Deleted says that n videos are in the bin, and why the videos in left are not.
func Deleted(n int, left []db.Task, viewer db.User) string {
	var deleted, undone, others string
	if n > 0 {
		deleted = theVideos(n, "It’s in the bin.", "%s videos are in the bin.")
	}
	foreign, running := 0, 0
	for _, t := range left {
		if t.DeletableBy(viewer) {
			running++
		} else {
			foreign++
		}
	}
	switch {
	case running > 0 && n > 0:
		undone = part.Plural(running, "%s isn’t done yet and stays.", "%s aren’t done yet and stay.")
	case running > 0:
		undone = theVideos(running, "It isn’t done yet, so it stays.", "%s videos aren’t done yet, so they stay.")
	}
	switch {
	case foreign > 0 && n+running > 0:
		others = part.Plural(foreign, "%s isn’t yours and stays.", "%s aren’t yours and stay.")
	case foreign > 0:
		others = theVideos(foreign, "It isn’t yours, so it stays.", "%s videos aren’t yours, so they stay.")
	}
	return format.Sentences(deleted, undone, others)
}

// Restored says that n videos have been restored.
func Restored(n int) string {
	return theVideos(n, "It’s back.", "%s videos are back.")
}

// theVideos returns the sentence about one video, or the one about n videos.
func theVideos(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return fmt.Sprintf(many, part.Number(n))
}

// quoted lists a few of the names and counts the others, because the message is
// stored in a cookie, which has little room.
func quoted(names []string) string {
	const most = 3
	var words []string
	for _, name := range names[:min(len(names), most)] {
		words = append(words, "“"+naming.Isolated(name)+"”")
	}
	if more := len(names) - most; more > 0 {
		words = append(words, fmt.Sprintf("%s more", part.Number(more)))
	}
	return format.List(words)
}

// starName returns the accessible name of the star button. aria-pressed says
// whether the video has a star.
func starName(c part.Card) string { return fmt.Sprintf("Star %s", c.Title()) }

// deletable reports whether the viewer can move the video to the bin now.
func (p TaskPage) deletable() bool {
	try := p.Card.Task
	return p.MayDelete && try.DeletedAt.IsZero() && try.Delete(p.Card.Task.UserID, p.Card.Now) == nil
}
