package store

import (
	"context"
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

// Attempts returns how many names have taken attempts.
func (s *Store) Attempts(ctx context.Context) (n int, err error) {
	err = s.reads.QueryRowContext(ctx, `SELECT count(*) FROM attempts`).Scan(&n)
	return n, err
}
