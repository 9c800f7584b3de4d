package part

import (
	"fmt"
	"strconv"
	"time"

	"dailies/db/gallery"
	"dailies/db/review"
)

// A ShareLink describes a link to a video, a collection or a storyline, as far as the viewer
// may see it.
type ShareLink struct {
	Share   gallery.Share
	Address string // absolute URL; empty if the link is Secret or cannot be shown again
	Secret  bool   // the viewer may know neither the URL nor what it shows
	Mine    bool   // the viewer made it
	Able    bool   // the viewer may revoke it
	Asleep  bool   // it shows nothing at present

	Visitors []review.Visitor // its guests, where these are listed
}

// decisions says what the guest decided about the videos of a link with several.
func decisions(v review.Visitor) string {
	changes := 0
	for _, given := range v.Verdicts {
		if given.Answer == review.Changes {
			changes++
		}
	}
	approved := len(v.Verdicts) - changes
	switch {
	case changes == 0:
		return Plural(approved, "Approved %s video", "Approved %s videos")
	case approved == 0:
		return Plural(changes, "Wants changes to %s video", "Wants changes to %s videos")
	}
	return fmt.Sprintf("Approved %s, wants changes to %s", Number(approved), Number(changes))
}

// wrote says how much the guest wrote; empty for nothing.
func wrote(v review.Visitor) string {
	if v.Notes == 0 {
		return ""
	}
	return Plural(v.Notes, "%s note", "%s notes")
}

// removal says what goes with the guest.
func removal(v review.Visitor) string {
	return fmt.Sprintf("%s goes with all notes and answers, for good.", v.Author().Called())
}

// removePath returns the path to which the guest is removed.
func (l ShareLink) removePath(v review.Visitor) string {
	return fmt.Sprintf("/shares/%d/guests/%d/remove", l.Share.ID, v.ID)
}

// backPath returns the path to which the link is brought back.
func (l ShareLink) backPath() string { return fmt.Sprintf("/shares/%d/back", l.Share.ID) }

// over says how the link ended.
func (l ShareLink) over() string {
	if !l.Share.RevokedAt.IsZero() {
		return fmt.Sprintf("Turned off, %s", Date(l.Share.RevokedAt))
	}
	return fmt.Sprintf("Ended, %s", Date(l.Share.ExpiresAt))
}

// heading returns the name of the link in a list.
func (l ShareLink) heading() string {
	switch {
	case !l.Secret && l.Share.Title != "":
		return l.Share.Title
	case !l.Secret && l.Share.Story:
		return fmt.Sprintf("The storyline of video %d, without a title", l.Share.TaskID)
	case !l.Secret && l.Share.TaskID != 0:
		return fmt.Sprintf("Video %d, without a title", l.Share.TaskID)
	case !l.Secret:
		return "A collection, without a title"
	case l.Share.Video.Private:
		return "A private video"
	}
	return "A deleted video"
}

// unknown reports whether the URL is missing although the viewer may see it.
func (l ShareLink) unknown() bool { return !l.Secret && l.Address == "" }

func (l ShareLink) id() string { return "share-" + strconv.FormatInt(l.Share.ID, 10) }

func (l ShareLink) revokePath() string {
	return "/shares/" + strconv.FormatInt(l.Share.ID, 10) + "/revoke"
}

// changePath returns the path of the page on which the link is chosen.
func (l ShareLink) changePath(page string) string {
	return page + "?link=" + strconv.FormatInt(l.Share.ID, 10)
}

// about returns the path of what the link shows.
func (l ShareLink) about() string {
	if l.Share.Story {
		return fmt.Sprintf("/story/%d", l.Share.TaskID)
	}
	if l.Share.TaskID != 0 {
		return TaskPath(l.Share.TaskID)
	}
	return CollectionPath(l.Share.CollectionID)
}

// AsleepReason says why the link shows nothing at present.
func (l ShareLink) AsleepReason() string {
	if l.Share.Video.Private {
		return "Off while the video is private"
	}
	return "Off while the video is in the bin"
}

// made says who made the link, and when.
func (l ShareLink) made(now time.Time) string {
	if l.Mine {
		return fmt.Sprintf("Made by you, %s", Ago(l.Share.CreatedAt, now))
	}
	return fmt.Sprintf("Made by %s, %s", l.Share.MakerName, Ago(l.Share.CreatedAt, now))
}

// Left says how long a link still works.
func Left(until, now time.Time) string {
	left := until.Sub(now)
	switch {
	case left < 90*time.Minute:
		return "ends within the hour"
	case left < 36*time.Hour:
		return fmt.Sprintf("%d hours left", int(left.Round(time.Hour).Hours()))
	}
	return fmt.Sprintf("%d days left", int(left.Round(24*time.Hour).Hours()/24))
}

// You returns the name of the maker within a sentence: "you" for the viewer.
func You(mine bool, name string) string {
	if mine {
		return "you"
	}
	return name
}
