package db

// A Bond says what a task took from the one that it was made from.
type Bond string

const (
	NoBond    Bond = ""
	Copied    Bond = "everything"
	Reseeded  Bond = "unseeded" // everything but the seed
	Prompted  Bond = "prompt"   // only the prompt
	Pictured  Bond = "pictures" // only the pictures
	Finalized Bond = "final"    // everything, on the full model after a draft on the fast one
	Continued Bond = "next"     // its first picture is a frame of the other: the next scene
	Retried   Bond = "retry"    // the other did not work, or got lost
)

// Bonds returns all bonds that a form can ask for.
func Bonds() []Bond {
	return []Bond{Copied, Reseeded, Prompted, Pictured, Finalized, Continued, Retried}
}

// Lineage is where a task comes from and what came of it, as far as one viewer
// may see it.
type Lineage struct {
	Parent   *Task  // nil where there is none, or none to be seen
	Children []Task // the oldest first, bounded
	Batch    []Task // the others of the same press, bounded
}
