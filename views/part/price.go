package part

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/spending"
)

// A Price holds what is known about the cost before the videos are ordered.
type Price struct {
	Credits  db.Credits        // price of one video
	Stated   bool              // the service has stated the price; otherwise it is estimated
	Estimate ordering.Estimate // used if the price is not stated
	Count    int               // number of videos; 0 means one
	Draft    db.Credits        // what the draft cost, if this is its final
	Left     db.Credits        // the user's remaining credits, if known
	Budget   spending.Budget   // what may still be spent this month
	Service  int64             // ID of the service whose price it is
	// Mixed are the prices of groups of the videos, if these do not cost the same. The
	// other fields are about all of them then: Credits is what one costs on average.
	Mixed []Price
}

// Mix returns the price of all the videos of which these are the prices, in any order.
func Mix(prices ...Price) Price {
	var groups []Price
	for _, p := range prices {
		at := slices.IndexFunc(
			groups, func(g Price) bool { return g.Credits == p.Credits && g.Stated == p.Stated && g.Estimate == p.Estimate },
		)
		if at < 0 {
			at = len(groups)
			groups = append(groups, p)
			groups[at].Count = 0
		}
		groups[at].Count += p.Videos()
	}
	if len(groups) == 1 {
		return groups[0]
	}
	slices.SortFunc(groups, func(a, b Price) int {
		return cmp.Or(cmp.Compare(a.likely(), b.likely()), cmp.Compare(a.Count, b.Count))
	})
	all := groups[0]
	all.Mixed, all.Count = groups, 0
	for _, g := range groups {
		all.Count += g.Count
		all.Credits.Known = all.Credits.Known && g.Credits.Known
		all.Stated = all.Stated && g.Stated
		all.Estimate.Loose = all.Estimate.Loose || g.Estimate.Loose
	}
	each := all.LikelyInAll() / float64(all.Count)
	all.Credits.Amount, all.Estimate.Low, all.Estimate.High = each, groups[0].likely(), groups[len(groups)-1].likely()
	all.Estimate.Typical = db.Credits{Amount: each, Known: !slices.ContainsFunc(groups, func(g Price) bool { return !g.Known() })}
	if !all.Credits.Known {
		all.Credits = db.Credits{}
	}
	return all
}

// Estimated returns the price of one video, expected from past ones. A loose estimate,
// which is from videos with other options, is shown, but no other price is compared
// with it.
func Estimated(e ordering.Estimate) Price {
	p := Price{Credits: e.Typical, Estimate: e}
	if e.Loose {
		p.Credits = db.Credits{}
	}
	return p
}

// Known reports whether there is a price or an estimate.
func (p Price) Known() bool { return p.Credits.Known || p.Estimate.Typical.Known }

// Total returns the price of all the videos.
func (p Price) Total() db.Credits {
	if p.Mixed != nil && p.Credits.Known {
		return db.CreditsOf(p.LikelyInAll())
	}
	return db.Credits{Amount: p.Credits.Amount * float64(p.Videos()), Known: p.Credits.Known}
}

// Videos returns how many videos the price is for.
func (p Price) Videos() int { return max(1, p.Count) }

// Words returns the price in words.
func (p Price) Words() string {
	switch {
	case p.Mixed != nil && p.Known():
		return p.sum()
	case p.Estimate.Loose:
		return fmt.Sprintf("About %s", Price{Credits: p.Estimate.Typical, Count: p.Count}.sum())
	case !p.Credits.Known:
		return "Price known once it starts"
	case p.Stated:
		return p.sum()
	}
	return fmt.Sprintf("About %s", p.sum())
}

// sum returns the known total, with its calculation if there are several videos.
func (p Price) sum() string {
	switch {
	case p.Videos() == 1:
		return Credits(p.Credits)
	case p.Mixed != nil && p.Stated:
		return Plural(p.Videos(), "%s video = %[2]s", "%s videos = %[2]s", Credits(db.CreditsOf(p.LikelyInAll())))
	case p.Mixed != nil:
		return Plural(p.Videos(), "%s video = about %[2]s", "%s videos = about %[2]s", Credits(db.CreditsOf(p.LikelyInAll())))
	}
	return fmt.Sprintf("%d × %s = %s", p.Videos(), Number(p.Credits.Amount), Credits(p.Total()))
}

// Brief returns the price of one video for where there is little room. It is empty if
// it is not known, or only a loose estimate, which nothing there would explain: 1080p
// could seem to cost less than 720p.
func (p Price) Brief() string {
	switch {
	case p.Mixed != nil:
		return ""
	case p.Stated:
		return Number(p.Credits.Amount)
	case p.Estimate.Typical.Known && !p.Estimate.Loose:
		return fmt.Sprintf("about %s", Number(p.Estimate.Typical.Amount))
	}
	return ""
}

// Note says where the price comes from, or what remains after it.
func (p Price) Note() string {
	_, short := p.Short()
	switch {
	case p.Estimate.Loose:
		return fmt.Sprintf("with other options %s", p.lastTime())
	case !p.Credits.Known:
		return ""
	case p.Draft.Known && p.Videos() > 1:
		return difference(p.Credits, p.Draft, "each %s more than the draft", "each %s less than the draft", "each no more than the draft")
	case p.Draft.Known:
		return difference(p.Credits, p.Draft, "%s more than the draft", "%s less than the draft", "no more than the draft")
	case p.Budget.IsLimited():
		return p.budgetNote()
	case short:
		return fmt.Sprintf("%s left", Number(p.Left.Amount))
	case !p.Stated && p.Videos() > 1:
		return fmt.Sprintf("last time %s each", p.lastTime())
	case !p.Stated:
		return fmt.Sprintf("last time %s", p.lastTime())
	case p.Left.Known:
		return fmt.Sprintf("%s left after this", Number(max(0, p.Left.Amount-p.Total().Amount)))
	}
	return "Fixed price"
}

// lastTime returns what similar videos cost, such as "22 to 26".
func (p Price) lastTime() string {
	if p.Estimate.Low < p.Estimate.High {
		return fmt.Sprintf("%s to %s", Number(p.Estimate.Low), Number(p.Estimate.High))
	}
	return Number(cmp.Or(p.Credits, p.Estimate.Typical).Amount)
}

// Shortfall says that there are too few credits, or that a limit leaves too few, and
// for how many videos they are enough. It is empty if there are enough or that is not
// known.
func (p Price) Shortfall() string {
	if sentence := p.OverLimit(); sentence != "" {
		return sentence
	}
	enough, short := p.EnoughOf(p.Left)
	switch has, lacking := Number(p.Left.Amount), Amount(p.Total().Amount-p.Left.Amount); {
	case !short:
		return ""
	case enough > 0:
		return fmt.Sprintf("%s short: you have %s, enough for %d.", lacking, has, enough)
	default:
		return fmt.Sprintf("%s short: you have %s.", lacking, has)
	}
}

// Short reports whether there are too few credits for all the videos, or a limit leaves
// too few, and for how many videos there are enough. If neither the balance nor a limit
// is known, nothing is short.
func (p Price) Short() (enough int, short bool) {
	enough, short = p.EnoughOf(p.Left)
	if p.OverLimit() == "" {
		return enough, short
	}
	if p.Mixed != nil {
		return 0, true
	}
	each := Price{Credits: db.CreditsOf(p.Reservation())}
	allowed, _ := each.EnoughOf(p.Budget.Left())
	if short {
		allowed = min(allowed, enough)
	}
	return min(allowed, p.Videos()-1), true
}

// EnoughOf returns for how many of the videos the credits are enough, and whether that
// is too few. If the credits or the price are unknown, they are not too few.
func (p Price) EnoughOf(left db.Credits) (enough int, short bool) {
	if p.Mixed != nil { // for how many depends on which
		total := p.Total()
		return 0, left.Known && total.Known && left.Amount < total.Amount
	}
	enough, known := left.EnoughFor(p.Credits)
	return enough, known && enough < p.Videos()
}

// InAll returns what all the videos cost, for use inside a sentence; empty if that is not
// known.
func (p Price) InAll() string {
	switch {
	case !p.Known():
		return ""
	case p.Stated:
		return Credits(p.Total())
	}
	return fmt.Sprintf("about %s", Credits(db.CreditsOf(p.LikelyInAll())))
}

// InWords returns the known price of one video for use inside a sentence.
func (p Price) InWords() string {
	if p.Stated {
		return Credits(p.Credits)
	}
	return fmt.Sprintf("about %s", Credits(p.Credits))
}

// PriceDifference says how much more or less the first amount is than the second. Both
// must be known.
func PriceDifference(one, other db.Credits) string {
	return difference(one, other, "%s more", "%s less", "no more")
}

// difference puts the difference of two amounts into the sentence that fits: more, less
// or the same.
func difference(one, other db.Credits, more, less, same string) string {
	switch by := one.Amount - other.Amount; {
	case by > 0:
		return fmt.Sprintf(more, Amount(by))
	case by < 0:
		return fmt.Sprintf(less, Amount(-by))
	}
	return same
}

// Shown encodes the number of videos and their total price, if known, for a hidden
// field that says which price the page has shown.
func (p Price) Shown() string {
	text := strconv.Itoa(p.Videos())
	if p.Credits.Known {
		text += " " + strconv.FormatFloat(p.Total().Amount, 'f', -1, 64)
	}
	return text
}

// Exceeds reports whether the price is higher than the one that the page has shown, as
// encoded by Shown. An empty or invalid value, for example from another program, is
// never exceeded.
func (p Price) Exceeds(shown string) bool {
	var count int
	var total float64
	switch n, _ := fmt.Sscan(shown, &count, &total); n {
	case 0:
		return false
	case 1:
		return p.Videos() > count
	}
	return !p.Credits.Known || p.Total().Amount > total
}

// Changed says that the price differs from the one that the page showed.
func (p Price) Changed() string {
	switch {
	case !p.Credits.Known && p.Videos() > 1:
		return fmt.Sprintf("%d videos, no fixed price. Nothing was sent; press Make again to go on.", p.Videos())
	case !p.Credits.Known:
		return "No fixed price. Nothing was sent; press Make again to go on."
	case !p.Stated && p.Mixed == nil:
		return fmt.Sprintf("Now about %s. Nothing was sent; press Make again to go on.", p.sum())
	}
	return fmt.Sprintf("Now %s. Nothing was sent; press Make again to go on.", p.sum())
}

// NothingPaid says that the service accepted none of the videos.
func NothingPaid(videos int) string {
	if videos == 1 {
		return "Nothing charged."
	}
	return "Nothing started, nothing charged."
}
