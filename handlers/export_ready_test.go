package handlers

import "context"

// Readiness is readiness, whose check a test calls.
type Readiness struct{ readiness }

// Check calls check.
func (r *Readiness) Check(ctx context.Context, writable func(context.Context) error) error {
	return r.check(ctx, writable)
}
