package library

import "dailies/db"

// hasNext reports whether the video can be continued: it is there, and not in
// the bin.
func (p TaskPage) hasNext() bool {
	_, kept := p.Card.Task.Video()
	return kept && p.Card.Task.State == db.Success && p.Card.Task.DeletedAt.IsZero()
}
