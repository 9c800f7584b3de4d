package store

import (
	"slices"
	"strings"
)

// Transferred returns the columns of each table that a transfer copies, in the
// order of their names.
func Transferred() map[string][]string {
	columns := map[string][]string{}
	for _, t := range tables {
		columns[t.name] = slices.Sorted(strings.SplitSeq(strings.Trim(t.first()+", "+t.later, ", "), ", "))
	}
	return columns
}

// AnsweredTask returns the id of the task that another process says to be answered.
func AnsweredTask(what string) int64 { return answeredTask(what) }
