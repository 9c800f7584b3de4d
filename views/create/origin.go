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
