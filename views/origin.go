package views

import (
	"strconv"

	"dailies/db"
	"dailies/web/videoapi"
)

// An Origin is what the form is made from.
type Origin struct {
	Card Card
	Use  db.Bond
}

// title is short: it stands in one line with more.
func (o Origin) title() string { return clip(o.Card.Title(), 45) }

func (o Origin) id() string { return strconv.FormatInt(o.Card.Task.ID, 10) }

// A DraftOffer is a quicker model on which the form can be tried out first.
type DraftOffer struct {
	Model videoapi.Model
	Price Price
	Full  Price // on the model that is chosen
}

// note is what trying it out saves, as far as that is known.
func (d DraftOffer) note() string {
	each := ""
	if d.Price.count() > 1 {
		each = " each"
	}
	switch {
	case !d.Price.Credits.Known:
		return "price not known yet"
	case !d.Full.Credits.Known:
		return d.Price.inWords() + each
	case d.Price.Credits.Amount == d.Full.Credits.Amount:
		return "at the same price"
	}
	return difference(d.Price.Credits, d.Full.Credits, "") + each
}
