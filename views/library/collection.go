package library

import (
	"fmt"
	"net/url"
	"strconv"

	"dailies/db/gallery"
	"dailies/db/naming"
	"dailies/views/input"
	"dailies/views/part"
)

// A CollectionsPage holds one page of the team's collections.
type CollectionsPage struct {
	Collections []gallery.Collection
	After       int64                // the page begins after this ID; 0 for the first page
	Last        int64                // the next page begins after this ID; 0 if there is none
	Binned      []gallery.Collection // deleted ones that the viewer may restore
	Name        *input.Text          // of a new collection
}

// A CollectionPage holds one collection and a part of its videos, in the collection's
// order.
type CollectionPage struct {
	Collection gallery.Collection
	Form       *CollectionForm
	Videos     gallery.Collected // all of them
	From       int               // how many of them come before Cards
	Cards      []part.Card
	MayDelete  bool
}

// A CollectionForm has what can be changed about a collection.
type CollectionForm struct{ Name, Note input.Text }

// NewCollectionForm returns the form of the collection.
func NewCollectionForm(c gallery.Collection) *CollectionForm {
	return &CollectionForm{
		Name: input.Text{
			Field: input.Field{
				Name: "name", Label: "Name", Value: c.Name,
				Rules: input.Rules{
					input.Required("Give it a name.").OnSubmit(),
					input.Max(gallery.MaxCollectionName, "80 letters at most. This has %d.").OnSubmit(),
				},
			},
			Kind: "text",
		},
		Note: input.Text{
			Field: input.Field{
				Name: "note", Label: "Note", Hint: "Guests see it too", Value: c.Note,
				Rules: input.Rules{input.Max(gallery.MaxCollectionNote, "1,000 letters at most. This has %d.").OnSubmit()},
			},
			Rows: 3,
		},
	}
}

// NewCollectionName returns the field for the name of a new collection.
func NewCollectionName() *input.Text {
	name := &NewCollectionForm(gallery.Collection{}).Name
	name.Label, name.Sample, name.Bare, name.Kind = "Name of a new collection", "Name", true, ""
	return name
}

// IsRefused reports whether something is wrong in the form.
func (f *CollectionForm) IsRefused() bool { return input.AreWrong(&f.Name, &f.Note) }

// NameTaken is the sentence about a name that another collection has.
const NameTaken = "This name is taken."

// empty reports whether the team has no collection.
func (p CollectionsPage) empty() bool { return len(p.Collections) == 0 && p.After == 0 }

func (p CollectionPage) maker(f *part.Frame) string {
	return part.You(f.Viewer != nil && f.Viewer.ID == p.Collection.CreatedBy, p.Collection.MakerName)
}

func (p CollectionPage) path() string { return part.CollectionPath(p.Collection.ID) }

// zip returns the address of an archive of all the videos; empty if no file is
// stored.
func (p CollectionPage) zip() string {
	if len(p.Videos.Kept) == 0 {
		return ""
	}
	return "/tasks/download?" + url.Values{"id": numbers(p.Videos.Kept)}.Encode()
}

// more reports whether there are videos after the cards.
func (p CollectionPage) more() bool { return p.From+len(p.Cards) < len(p.Videos.IDs) }

// next returns the address of the page with the videos after the cards.
func (p CollectionPage) next() string {
	return p.path() + "?after=" + strconv.FormatInt(p.Cards[len(p.Cards)-1].Task.ID, 10)
}

func (p CollectionPage) inGallery() string {
	return "/gallery?collection=" + strconv.FormatInt(p.Collection.ID, 10)
}

// A CollectionPart holds the collections that contain a video, and some to
// suggest.
type CollectionPart struct {
	TaskID int64
	In     []gallery.Collection // the collections that contain the video
	Recent []gallery.Collection // collections to suggest

	LookOnly bool // the viewer may not change anything
}

// shownIn bounds the number of a video's collections that its page lists.
const shownIn = 20

func (p CollectionPart) shown() []gallery.Collection { return p.In[:min(len(p.In), shownIn)] }

func (p CollectionPart) more() int { return len(p.In) - len(p.shown()) }

// TooManyLinks says that a video, a collection or a storyline has the maximum number of links.
func TooManyLinks() string {
	return fmt.Sprintf("%s links is the most. Turn one off first.", part.Number(gallery.MaxShares))
}

// TooManyCollections says that the team has reached the maximum number of
// collections.
func TooManyCollections() string {
	return fmt.Sprintf("%s collections is the most. Delete one first.", part.Number(gallery.MaxCollections))
}

func (p CollectionPart) id() string { return strconv.FormatInt(p.TaskID, 10) }

func (p CollectionPart) next() string { return part.TaskPath(p.TaskID) + "#collections" }

// AddedTo says how many of the chosen videos were added to the collection.
func AddedTo(name string, added, chosen int) string {
	switch {
	case added == 0 && chosen == 1:
		return fmt.Sprintf("It’s already in “%s”.", naming.Isolated(name))
	case added == 0:
		return fmt.Sprintf("They’re already in “%s”.", naming.Isolated(name))
	case added == 1:
		return fmt.Sprintf("Added to “%s”.", naming.Isolated(name))
	}
	return fmt.Sprintf("%s videos added to “%s”.", part.Number(added), naming.Isolated(name))
}

// RemovedFrom says how many videos were removed from a collection.
func RemovedFrom(removed int) string {
	switch removed {
	case 0:
		return "It wasn’t in the collection any more."
	case 1:
		return "Removed. It stays in the gallery."
	}
	return fmt.Sprintf("%s videos removed. They stay in the gallery.", part.Number(removed))
}

func videoCount(n int) string {
	if n == 0 {
		return "No video yet"
	}
	return part.Plural(n, "%s video", "%s videos")
}
