package create

import (
	"errors"
	"fmt"

	"dailies/db/format"
	"dailies/db/naming"
	"dailies/db/ordering"
	"dailies/views/part"
)

// The sentences that keep a form from being sent.
const (
	PromptMissing = "Write what should happen, or add a picture."
	ModelUnknown  = "Choose one of these models."
	NotOffered    = "Choose one of these."
	NewModel      = "New model: check the options, then press Make."
	KeyMissing    = "Add a key first."
	OtherService  = "Your team uses another video service now. Check the price, then press Make again."
	KeyMissingYet = "Add a key first. Leave this page open until an admin adds one, then press Make again."
	KeyElsewhere  = "Add a key first, in another tab, then press Make again."
	LimitReached  = "This month’s limit is reached."
	AskElsewhere  = "Open “Your limit” in another tab to ask for more, then press Make again."

	RecipesFull     = "100 recipes is the most. Delete one first."
	RecipeChanged   = "This recipe changed just now. Check it, then press Make."
	NewModelOfSaved = "New model: check the options, then save."
	NoSuchBlank     = "This recipe has no such blank."
	AnywayMissing   = "No fixed price. Tick “Make anyway” to go on."

	RowsChanged  = "This recipe changed just now. Check the rows and the total."
	RowsLeftOut  = "No rows left"
	TotalChanged = "The total has changed. Check it once more."
)

// The sentences about pictures.
const (
	PicturesUnused = "“Words” takes no pictures. Choose Picture, Start and end, or References."
	StartMissing   = "Add a picture to start with."
	EndMissing     = "Add a picture to end with."
	PictureMissing = "Add a picture: drop it here, choose a file, or paste a link."
	AddressOdd     = "This isn’t a web address. It starts with https:// or http://"
	OfPractice     = "Only practice mode can open this picture. Choose another."
	UploadsOff     = "Uploads aren’t set up. Paste a link, or ask an admin."
	FileMissing    = "Choose a file first."
	FrameMissing   = "Choose a picture first."
	TooManyFiles   = "20 pictures at a time at most."
	NoPicture      = "No picture here."
	StorageFull    = "Picture storage is full. Tell an admin, or use a link."
	AlbumFull      = "Your picture storage is full. Delete some under Your pictures, or use a link."
)

// TooLong says how many characters a text may have.
func TooLong(most int) string { return fmt.Sprintf("%d characters at most", most) }

// FilledTooLong says by how many characters the prompt of a recipe is too long with what
// was filled in.
func FilledTooLong(by int) string {
	return part.Plural(by, "%s character too long", "%s characters too long")
}

// ProviderOdd says what the field for the service's provider takes.
func ProviderOdd(most int) string {
	return fmt.Sprintf("Provider: %d plain letters and digits at most. Press Make to go on without it.", most)
}

// TooManyVideos says how many videos one press makes.
func TooManyVideos(most int) string {
	return fmt.Sprintf("%d videos at most. Take out some lines.", most)
}

// InLine names the line of a list with which a sentence is concerned.
func InLine(line int, sentence string) string { return fmt.Sprintf("Line %d: %s", line, sentence) }

// RoomForPictures says how many pictures there is room for, and that there are some too
// many.
func RoomForPictures(most, over int) string {
	if over == 1 {
		return part.Plural(most, "Room for %s picture. Remove one.", "Room for %s pictures. Remove one.")
	}
	return part.Plural(most, "Room for %s picture. Remove %[2]d.", "Room for %s pictures. Remove %[2]d.", over)
}

// ModelReplaced says that a model does not make such videos, and which one does.
func ModelReplaced(asked, used string) string {
	return fmt.Sprintf("%s can’t do this, so %s is chosen.", asked, used)
}

// EndRemoved says that a model has no use for the second picture.
func EndRemoved(model string) string {
	return fmt.Sprintf("%s takes one picture, so the end was removed.", model)
}

// NotUploaded says that a chosen file was not sent along.
func NotUploaded(name string) string {
	return fmt.Sprintf("%s isn’t uploaded yet. Choose it again, then press “Upload”.", naming.Isolated(name))
}

// BlankMissing says that the blank is empty.
func BlankMissing(b ordering.Blank) string {
	if b.Picture {
		return fmt.Sprintf("Add the picture for “%s”.", naming.Isolated(b.Name))
	}
	return fmt.Sprintf("Fill in “%s”.", naming.Isolated(b.Name))
}

// RecipeBroken says what is wrong with a recipe, and who can put it right.
func RecipeBroken(why string, r ordering.Recipe) string {
	return fmt.Sprintf("This recipe needs a fix: %s Ask %s to change it.", why, naming.Isolated(r.MakerName))
}

// BlankNameOdd says what the name of a blank consists of.
func BlankNameOdd() string {
	return fmt.Sprintf("Name it with letters, digits, spaces, - or _, %d at most.", ordering.MaxBlankName)
}

// BlankClash says that two blanks have the name.
func BlankClash(name string) string {
	return fmt.Sprintf("“%s” can’t be words and a picture. Rename one of them.", name)
}

// TooManyBlanks says how many blanks a recipe may have, and has.
func TooManyBlanks(has int) string {
	return fmt.Sprintf("%d blanks at most; this has %d.", ordering.MaxBlanks, has)
}

// NotInPrompt says that the words of a blank are not in the prompt.
func NotInPrompt(words string) string { return fmt.Sprintf("“%s” isn’t in the prompt.", words) }

// RowsToMend says how many rows of a table have errors.
func RowsToMend(rows int) string {
	return part.Plural(rows, "%s row needs a look", "%s rows need a look")
}

// SameRow says that another row has the same values.
func SameRow(row int) string { return fmt.Sprintf("The same as row %d.", row) }

// TableFault says why a table cannot be read.
func TableFault(err error) string {
	switch {
	case errors.Is(err, ordering.ErrTableSize):
		return fmt.Sprintf("This table is over %s. Split it.", part.Bytes(ordering.MaxTable))
	case errors.Is(err, ordering.ErrTableRows):
		return fmt.Sprintf("%d rows at most. Split the table.", ordering.MaxRows)
	}
	return "Paste a table with at least one row."
}

// TableNotes returns sentences that say how a table was understood.
func TableNotes(t ordering.Table) (notes []string) {
	if t.Headed {
		notes = append(notes, "The first row names the columns.")
	}
	if len(t.Ignored) > 0 {
		notes = append(notes, fmt.Sprintf("This recipe doesn’t ask for %s.", quoted(t.Ignored)))
	}
	if len(t.Missing) > 0 {
		notes = append(notes, fmt.Sprintf("The table has no column for %s.", quoted(t.Missing)))
	}
	return notes
}

// quoted returns the first few names in quotation marks, as a list for a sentence.
func quoted(names []string) string {
	const most = 5
	var shown []string
	for _, name := range names[:min(len(names), most)] {
		shown = append(shown, fmt.Sprintf("“%s”", part.Clip(name, 60)))
	}
	if more := len(names) - most; more > 0 {
		shown = append(shown, fmt.Sprintf("%d more", more))
	}
	if len(shown) == 1 {
		return shown[0]
	}
	return fmt.Sprintf("%s and %s", format.List(shown[:len(shown)-1]), shown[len(shown)-1])
}

// The sentences about a next take whose video is not there.
const (
	TakeBinned = "This video is in the bin. Restore it to make another take."
	TakeGone   = "The video with the notes is gone. Press again to make a video of its own."
)

// NotesGone says that n notes that were chosen do not exist any more.
func NotesGone(n int) string {
	return format.Plural(n, "A note was deleted meanwhile.", "%s notes were deleted meanwhile.")
}

// ShapeUnseen says which shape is sent in place of that of a picture whose size is not
// known.
func ShapeUnseen(ratio string) string {
	return fmt.Sprintf("The picture’s size isn’t known, so %s is sent.", ratio)
}

// StillChecking says that n rows of a table have pictures that were not looked at yet.
func StillChecking(n int) string {
	return format.Plural(
		n, "The pictures of %s row are still being checked. Nothing was made: press again when they are.",
		"The pictures of %s rows are still being checked. Nothing was made: press again when they are.",
	)
}

// ShareLinkChanged says that the link of a file store leads to the file itself now.
const ShareLinkChanged = "This link showed the file store’s page. We changed it to the picture itself."

// LongPrompt is the number of characters from which on a prompt may be too long for a model.
// None states its limit; the pages of such services stop there.
const LongPrompt = 2000

// PromptLong warns about a longer prompt.
const PromptLong = "Over 2,000 characters: the model may refuse it, or read only its beginning."
