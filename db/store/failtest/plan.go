// Package failtest makes single calls to a database fail, for tests of what a program
// does then.
package failtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"

	"dailies/db/store/engine"
)

// ErrFailed is the error of a call that a Plan makes fail. No page may show its text.
var ErrFailed = errors.New("disk I/O error of the tests (10)")

// diskFull is how a server says that its disk is full; engine.IsFull knows it.
var diskFull = &pgconn.PgError{Code: "53100"}

// A Plan counts the calls to a database and makes one of them fail. A call executes a
// statement, begins or commits a transaction, or reads the next row. The zero Plan lets
// all calls through.
type Plan struct {
	// Observe, if set, is called with every statement, whether or not calls are counted.
	Observe engine.Observer

	mu      sync.Mutex
	counts  bool
	calls   []string
	rows    int
	fail    int
	lost    bool
	outage  bool
	full    bool
	failed  string
	commits []int
}

// In returns a context. The calls to a database that is opened with it follow the plan.
func (p *Plan) In(ctx context.Context) context.Context {
	if p.Observe != nil {
		ctx = engine.WithObserver(ctx, p.Observe)
	}
	return engine.WithWrapper(ctx, p.wrap)
}

// Begin counts calls from now on, and makes the n-th one fail. With 0 it only counts.
func (p *Plan) Begin(n int) { p.begin(n, false, false, false) }

// BeginLost is like Begin, but if the n-th call is a commit, its transaction is
// committed all the same: only the answer is lost. Any other call succeeds.
func (p *Plan) BeginLost(n int) { p.begin(n, true, false, false) }

// BeginOutage is like Begin, but all calls from the n-th one on fail, until Stop.
func (p *Plan) BeginOutage(n int) { p.begin(n, false, true, false) }

// BeginFull is like BeginOutage, because the disk is full.
func (p *Plan) BeginFull(n int) { p.begin(n, false, true, true) }

func (p *Plan) begin(n int, lost, outage, full bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts, p.calls, p.rows, p.fail, p.lost, p.outage, p.full, p.failed, p.commits = true, nil, 0, n, lost, outage, full, "", nil
}

// Stop lets all calls through again.
func (p *Plan) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts = false
}

// End is like Stop. It returns how many calls there were since Begin, and which one
// failed; empty if none did.
func (p *Plan) End() (calls int, failed string) {
	p.Stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.calls), p.failed
}

// Calls returns the calls since Begin: the kind and the statement of each.
func (p *Plan) Calls() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls
}

// Commits returns which of the calls since Begin were commits.
func (p *Plan) Commits() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.commits
}

// Rows returns how many rows were read since Begin.
func (p *Plan) Rows() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rows
}

// read counts a row.
func (p *Plan) read() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.counts {
		p.rows++
	}
}

// The kinds of calls.
const (
	exec     = "exec"
	query    = "query"
	next     = "next row"
	begin    = "begin"
	commit   = "commit"
	prepared = "prepare"
)

// call counts a call. It returns an error if the call fails, and whether the database
// executes it nevertheless.
func (p *Plan) call(kind, text string) (lost bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.counts {
		return false, nil
	}
	name := strings.TrimSpace(kind + " " + strings.Join(strings.Fields(text), " "))
	p.calls = append(p.calls, name)
	n := len(p.calls)
	if kind == commit {
		p.commits = append(p.commits, n)
	}
	if n != p.fail && !(p.outage && n > p.fail) || p.lost && kind != commit {
		return false, nil
	}
	p.failed = name
	if p.full {
		return p.lost, fmt.Errorf("%s: %w: %w", kind, ErrFailed, diskFull)
	}
	return p.lost, fmt.Errorf("%s: %w", kind, ErrFailed)
}
