package library

import (
	"fmt"
	"slices"

	"dailies/db"
	"dailies/db/format"
	"dailies/views/part"
)

// A Lineage holds the videos that are related to a video.
type Lineage struct {
	Parent   []part.Card // the video that it was made from; one or none
	Children []part.Card // made from it
	Batch    []part.Card // made together with it
}

// parentNote says what t took from its parent.
func (l Lineage) parentNote(t db.Task) func(part.Card) string {
	return func(part.Card) string { return part.ReuseLabel(t.Reuse) }
}

// childNote says what the child took from the video.
func childNote(c part.Card) string { return part.ReuseLabel(c.Task.Reuse) }

// batchName is the heading of the videos of t's batch: its other takes, if all have its
// prompt.
func (l Lineage) batchName(t db.Task) string {
	if slices.ContainsFunc(l.Batch, func(c part.Card) bool { return c.Task.Prompt != t.Prompt }) {
		return "Same batch"
	}
	return "Other takes"
}

// placeOf returns the position, from 1, that t has among the videos of Batch by
// ID, whether or not it is one of them.
func (l Lineage) placeOf(t db.Task) int {
	place := 1
	for _, other := range l.Batch {
		if other.Task.ID < t.ID {
			place++
		}
	}
	return place
}

// batchNote returns a function that numbers the videos of Batch with the same
// prompt as t; the others get no note.
func (l Lineage) batchNote(t db.Task) func(part.Card) string {
	return func(c part.Card) string {
		if c.Task.Prompt != t.Prompt {
			return ""
		}
		place := l.placeOf(c.Task)
		if t.ID < c.Task.ID {
			place++
		}
		return fmt.Sprintf("take %d", place)
	}
}

// relativeNote adds the model and, unless the video is ready, its state to a
// note.
func relativeNote(c part.Card, note string) string {
	state := ""
	if c.Task.State != db.Success {
		state = part.StateName(c.Task.State)
	}
	return format.Facts(note, c.ModelName, state)
}
