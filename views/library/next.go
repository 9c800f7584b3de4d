package library

import "dailies/db"

// hasNext reports whether a next scene can be made from the video.
func (p TaskPage) hasNext() bool {
	_, kept := p.Card.Task.Video()
	return kept && p.Card.Task.State == db.Success && p.Card.Task.DeletedAt.IsZero()
}
