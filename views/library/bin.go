package library

import (
	"strconv"
	"time"

	"dailies/db"
	"dailies/db/format"
	"dailies/views/part"
)

// A Bin holds one page of the deleted videos that can be restored.
type Bin struct {
	Cards []part.Card
	Last  int64 // ID of the last card if there are older ones, else 0
	All   bool  // the bins of the whole team, as admins see them
	Own   int   // number of videos that the viewer can delete for good
	Now   time.Time
}

// next returns the address of the next page.
func (b Bin) next() string { return "/bin?before=" + strconv.FormatInt(b.Last, 10) }

// binLeft says how long the bin still keeps the video. A day that has begun
// counts as a whole day.
func binLeft(c part.Card) string {
	days := binDaysLeft(c)
	if days < 1 {
		return "Goes today"
	}
	return part.Plural(days, "%s day left", "%s days left")
}

// binned says the same on the video's page.
func binned(c part.Card) string {
	days := binDaysLeft(c)
	if days < 1 {
		return "This video is in the bin. Goes today."
	}
	return part.Plural(days, "This video is in the bin. %s day left.", "This video is in the bin. %s days left.")
}

func binDaysLeft(c part.Card) int {
	return int((c.Task.GoneAt().Sub(c.Now) + 24*time.Hour - 1) / (24 * time.Hour))
}

// binStay says how long the bin keeps videos, and whose it shows an admin.
func binStay(all bool) string {
	stay := part.Plural(int(db.BinLife/(24*time.Hour)), "Deleted videos stay here for %s day.", "Deleted videos stay here for %s days.")
	if !all {
		return stay
	}
	return format.Sentences(stay, "Admins see everyone’s, except private ones.")
}

// emptying says what emptying the bin does to n videos.
func emptying(n int) string {
	return theVideos(n, "Delete your video for good? You can’t undo this.", "Delete your %s videos for good? You can’t undo this.")
}

// Emptied says how many videos were deleted for good.
func Emptied(n int) string {
	if n == 0 {
		return "Your bin is empty already."
	}
	return theVideos(n, "Video deleted for good.", "%s videos deleted for good.")
}
