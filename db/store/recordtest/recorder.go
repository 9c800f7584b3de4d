// Package recordtest records the statements that a database runs, and shows how SQLite
// executes them.
package recordtest

import (
	"database/sql/driver"
	"maps"
	"regexp"
	"strings"
	"sync"
)

// A Recorder keeps one example of each statement. The zero Recorder is ready for use, by
// several goroutines.
type Recorder struct {
	texts sync.Map // those that were looked at already, as they are
	mu    sync.Mutex
	seen  map[string]Example // by the statement's text in its short form
}

// An Example is a statement with arguments with which it was run.
type Example struct {
	Text string
	Args []any
}

var (
	spaces      = regexp.MustCompile(`\s+`)
	parameter   = regexp.MustCompile(`\$[0-9]+`)
	listOf      = regexp.MustCompile(`\$(, \$)+`)
	explainable = regexp.MustCompile(`^\s*(SELECT|WITH|INSERT|UPDATE|DELETE)\b`)
)

// short returns the text without what differs between runs of the same statement: the
// numbers of its parameters, and how many values its lists have.
func short(text string) string {
	return listOf.ReplaceAllString(parameter.ReplaceAllString(spaces.ReplaceAllString(strings.TrimSpace(text), " "), "$"), "$")
}

// Observe is an engine.Observer that records the statement, if it reads or changes rows.
func (r *Recorder) Observe(text string, args []driver.NamedValue) {
	if _, known := r.texts.LoadOrStore(text, true); known || !explainable.MatchString(text) {
		return
	}
	e, name := Example{Text: text}, short(text)
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.seen[name]; known {
		return
	}
	for _, arg := range args {
		e.Args = append(e.Args, arg.Value)
	}
	if r.seen == nil {
		r.seen = map[string]Example{}
	}
	r.seen[name] = e
}

// Statements returns an example of each statement by its text in one line, in which
// parameters have no numbers and lists one value.
func (r *Recorder) Statements() map[string]Example {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.seen)
}

// Forget makes the recorder begin anew. A statement that was recorded before is recorded
// again only if its text differs.
func (r *Recorder) Forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = nil
}
