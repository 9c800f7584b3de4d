package gallery

import (
	"fmt"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/naming"
)

const (
	noCollection      = "Choose a collection, or type a new name."
	collectionDeleted = "The collection is deleted. Its videos are in the gallery as before."

	noTag   = "Type a tag first."
	tagFull = "A video has 20 tags at most. Nothing was changed."
)

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
