package library

import (
	"cmp"
	"slices"
	"strconv"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/views/input"
	"dailies/views/part"
)

// Of says what links show.
type Of int

// What links can show.
const (
	OfVideo Of = iota
	OfCollection
	OfStory
)

// A SharePart holds the links to a video, a collection or a storyline, for the people who
// make and copy them.
type SharePart struct {
	Path     string // of the page of what is shared
	Of       Of
	Able     bool // there is something that a link would show
	LookOnly bool // the viewer may not make links
	Form     *ShareForm
	Chosen   *part.ShareLink // the link that is copied and changed; nil if one is to be made
	After    int64           // the ID of the viewer's newest link that can be copied; 0 if there is none
	Links    []part.ShareLink
}

// Choose chooses the link with the ID, if the viewer may change it and it can be copied.
func (p *SharePart) Choose(id int64) {
	for i, l := range p.Links {
		if l.Share.ID == id && l.Able && l.Address != "" && !p.LookOnly {
			p.Chosen = &l
			p.Form = ShareFormOf(l.Share)
			p.Links = slices.Delete(slices.Clone(p.Links), i, i+1)
			return
		}
	}
}

// A ShareForm holds the settings of a link.
type ShareForm struct {
	Title input.Text
	Days  input.Choice
}

// NewShareForm returns the form of a new link. It does not suggest a title, because guests
// are not told what a video is called here.
func NewShareForm() *ShareForm {
	form := &ShareForm{
		Title: input.Text{Field: input.Field{Name: "title", ID: "share-name", Label: "Title"}, Kind: "text", Bare: true, Sample: "What guests read", Most: db.MaxTitle, Room: db.MaxTitle, Long: LongTitle},
		Days:  input.Choice{Field: input.Field{Name: "days", ID: "share-days", Label: "Ends in", Value: strconv.Itoa(gallery.UsualShareDays)}, Wrong: "Choose one of these.", Hidden: true},
	}
	for _, days := range gallery.ShareDays() {
		form.Days.Options = append(form.Days.Options, input.Option{Value: strconv.Itoa(days), Label: part.Plural(days, "%s day", "%s days")})
	}
	return form
}

// ShareFormOf returns the form that changes the link. No number of days is chosen: without
// one, the link ends when it would have.
func ShareFormOf(s gallery.Share) *ShareForm {
	form := NewShareForm()
	form.Title.Value, form.Days.Value = s.Title, ""
	return form
}

// action returns the path to which the settings are sent.
func (p SharePart) action() string {
	if p.Chosen != nil {
		return "/shares/" + strconv.FormatInt(p.Chosen.Share.ID, 10)
	}
	return p.Path + "/share"
}

// ends says when the link ends, beside that setting.
func (p SharePart) ends() string {
	if p.Chosen != nil {
		return part.Date(p.Chosen.Share.ExpiresAt)
	}
	for _, o := range p.Form.Days.Options {
		if o.Value == p.Form.Days.Value {
			return o.Label
		}
	}
	return ""
}

// titleShown returns the title of the link, beside that setting.
func (p SharePart) titleShown() string { return cmp.Or(p.Form.Title.Value, "None") }

// why says why no link can be made at present.
func (p SharePart) why() string {
	switch p.Of {
	case OfCollection, OfStory:
		return "Needs a finished video the team can see"
	}
	return "You can share it once it’s ready."
}

// promise says what guests see.
func (p SharePart) promise() string {
	switch p.Of {
	case OfCollection:
		return "Anyone with the link can watch these videos, also later ones. They’ll read the collection’s name and note, never a prompt."
	case OfStory:
		return "Anyone with the link can watch the film as it is at the time. They won’t see a prompt."
	}
	return "Anyone with the link can watch. They won’t see the prompt."
}

// back says what the page with the links leads back to.
func (p SharePart) back() string {
	switch p.Of {
	case OfCollection:
		return "Collection"
	case OfStory:
		return "Storyline"
	}
	return "Video"
}
