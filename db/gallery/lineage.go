package gallery

import (
	"time"

	"dailies/db"
)

// Lineage holds the task that another one was made from and those made from it, as
// far as the viewer may see them.
type Lineage struct {
	Parent   *db.Task  // nil if there is none, or none that the viewer may see
	Children []db.Task // oldest first; limited in number
	Batch    []db.Task // the other tasks of the same submission; limited in number
}

// A Cut selects the frames of a video that a storyline shows.
type Cut struct {
	TaskID int64
	Start  int  // the first frame that is shown, counted from 0
	Finish int  // the frame after the last one that is shown; 0 means the end of the video
	Out    bool // the scene is left out of the storyline
}

// A Batch summarises the videos that one submission made in bulk, except those in
// the bin.
type Batch struct {
	Name       string
	RecipeName string // of the recipe that they were made with
	Videos     int
	Ready      int
	Running    int
	Spent      float64 // charges less refunds
	CreatedAt  time.Time
}

// A Group tells about those videos of one submission that a viewer may see.
type Group struct {
	Ready      []int64 // IDs of the finished ones, the oldest first
	Videos     int
	Running    int
	RecipeName string // of the recipe that they were made with; empty for none
}
