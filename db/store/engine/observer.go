package engine

import (
	"context"
	"database/sql/driver"
)

// An Observer is called with every statement that a database runs, as the server gets
// it. It must be safe for use by several goroutines, and must not change the arguments.
type Observer func(text string, args []driver.NamedValue)

type observerKey struct{}

// WithObserver returns a context. A database that is opened with it reports its
// statements to the observer.
func WithObserver(ctx context.Context, observe Observer) context.Context {
	return context.WithValue(ctx, observerKey{}, observe)
}

// ObserverIn returns the observer of the context, which does nothing if there is none.
func ObserverIn(ctx context.Context) Observer {
	if observe, ok := ctx.Value(observerKey{}).(Observer); ok {
		return observe
	}
	return func(string, []driver.NamedValue) {}
}
