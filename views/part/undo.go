package part

// An Undo offers to take a deletion back.
type Undo struct {
	IDs  []string // of the videos; none where there are too many to be named
	Next string   // the page that offers it
	// Collection is the id of a deleted collection, in place of videos.
	Collection string
}
