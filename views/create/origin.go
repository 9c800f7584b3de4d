package create

import (
	"fmt"
	"strconv"

	"dailies/db"
	"dailies/db/naming"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// An Origin is the video from which the form was filled, and what was taken from it.
type Origin struct {
	Card part.Card
	Use  db.Reuse
	Take int // the number of the new take, if it answers notes
}

// An AnsweredNote is a note that a video answers.
type AnsweredNote struct {
	ID     int64
	Author string
	Body   string
	At     string // the moment that it is about, such as "0:02.4"; empty for none
	Millis int64  // the same in milliseconds
	In     bool   // its words are in the prompt
}

// answers reports whether the form is that of the next take.
func (f CreateForm) answers() bool { return f.Origin != nil && f.Origin.Use == db.Answered }

// page returns the path of the page under which a browser keeps what was typed.
func (f CreateForm) page() string {
	if f.answers() {
		return part.NextTakePath(f.Origin.Card.Task.ID)
	}
	return part.ScenePath(f.Scene)
}

// frames reports whether the frames of the video can be pictures of the form.
func (f CreateForm) frames() bool { return f.Uploads && f.Origin.Card.Task.Playable() }

// frameWords is the label of the button that takes the frame of a note into the form.
func (f CreateForm) frameWords() string {
	if f.Scene == videoapi.ReferenceToVideo {
		return "Use this frame as a reference"
	}
	return "Start from this frame"
}

// answeredCount says how many notes there are.
func (f CreateForm) answeredCount() string {
	return part.Plural(len(f.AnsweredNotes), "%s note", "%s notes")
}

// source returns the address of the video that the notes are about.
func (o Origin) source() string {
	video, _ := o.Card.Task.Video()
	return part.MediaPath(video)
}

// thumb returns the address of a picture of the video; empty without one.
func (o Origin) thumb() string {
	if m, ok := o.Card.Task.Thumb(); ok {
		return part.MediaPath(m)
	}
	if m, ok := o.Card.Task.Cover(); ok {
		return part.MediaPath(m)
	}
	return ""
}

// title returns the video's title, shortened to leave room on the line.
func (o Origin) title() string { return naming.Isolated(part.Clip(naming.Clean(o.Card.Title()), 45)) }

func (o Origin) id() string { return strconv.FormatInt(o.Card.Task.ID, 10) }

// A DraftOffer suggests a quicker model on which to try the form first.
type DraftOffer struct {
	Model videoapi.Model
	Price part.Price
	Full  part.Price // price on the chosen model
}

// note says which model makes the draft, and what it saves, if that is known.
func (d DraftOffer) note() string {
	var cost string
	switch {
	case !d.Price.Credits.Known:
		return fmt.Sprintf("With %s", d.Model.Name)
	case !d.Full.Credits.Known:
		cost = d.Price.InWords()
	case d.Price.Credits.Amount == d.Full.Credits.Amount:
		return fmt.Sprintf("With %s, at the same price", d.Model.Name)
	default:
		cost = part.PriceDifference(d.Price.Credits, d.Full.Credits)
	}
	if d.Price.Videos() > 1 {
		return fmt.Sprintf("With %s, %s each", d.Model.Name, cost)
	}
	return fmt.Sprintf("With %s, %s", d.Model.Name, cost)
}

// priceNote says where the price comes from or, for a draft, what the price is for.
func (f CreateForm) priceNote() string {
	if f.DraftFirst && f.Draft != nil {
		return f.Draft.note()
	}
	return f.Price.Note()
}
