package library

import (
	"fmt"

	"dailies/db"
	"dailies/db/format"
	"dailies/db/gallery"
	"dailies/db/naming"
)

// What pages say after something was done, or why it was not. What stands beside a field
// is in views/library.
const (
	noneChosen = "Choose one video or more first."
	formBroken = "Something’s missing in this form. Go back and try again."

	noCollection      = "Choose a collection, or type a new name."
	collectionDeleted = "The collection is deleted. Its videos are in the gallery as before."

	noteDone  = "Note done."
	notesSeen = "All seen."

	takeMoved   = "It’s a take of that video now."
	takeShown   = "The client sees it now."
	noTake      = "That’s not a take that this link can show."
	takeRemoved = "It’s no longer a take of others."

	noTag   = "Type a tag first."
	tagFull = "A video has 20 tags at most. Nothing was changed."
	noTitle = "Type a title first."

	linkReady    = "Your link is ready."
	linkOff      = "Link turned off."
	linkBack     = "Link works again."
	guestGone    = "Guest removed."
	switchedOver = "The team switched video services"
	notMade      = "Not made. Nothing was charged."
	leftAsIs     = "Left as it is. If it’s made after all, it appears here."
)

// notMadeAll says that videos are not made which were not sent before the team changed the
// video service.
func notMadeAll(n int) string {
	return format.Plural(n, notMade, "%s videos aren’t made. Nothing was charged for them.")
}

func tooManyChosen(most int) string {
	return fmt.Sprintf("%d videos at once is the most. Choose fewer.", most)
}

func collectionFull(c gallery.Collection) string {
	return fmt.Sprintf("A collection holds %d videos at most. Nothing was added to “%s”.", gallery.MaxCollection, naming.Isolated(c.Name))
}

func collectionOfAnother(c gallery.Collection) string {
	return fmt.Sprintf("%s made this collection. Only they or an admin can delete it.", naming.Isolated(c.MakerName))
}

func collectionBack(c gallery.Collection) string {
	return fmt.Sprintf("“%s” is back, with its videos and its links.", naming.Isolated(c.Name))
}

// These are lines of a file in an archive, about what the archive lacks.
func videoNotSaved(t db.Task) string { return fmt.Sprintf("Video %d isn’t saved here.\r\n", t.ID) }

func videoFileMissing(t db.Task, name string) string {
	return fmt.Sprintf("The file of video %d is missing: %s\r\n", t.ID, name)
}

func sceneFileMissing(scene int, name string) string {
	return fmt.Sprintf("The file of scene %d is missing: %s\r\n", scene, name)
}
