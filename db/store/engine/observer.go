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

// A Wrapper returns a connector that reaches the database through another one, so that a
// test can make calls fail.
type Wrapper func(driver.Connector) driver.Connector

type wrapperKey struct{}

// WithWrapper returns a context. A database that is opened with it connects through the
// wrapper's connectors. The server opens its database without one.
func WithWrapper(ctx context.Context, wrap Wrapper) context.Context {
	return context.WithValue(ctx, wrapperKey{}, wrap)
}

// WrapperIn returns the wrapper of the context, which changes nothing if there is none.
func WrapperIn(ctx context.Context) Wrapper {
	if wrap, ok := ctx.Value(wrapperKey{}).(Wrapper); ok {
		return wrap
	}
	return func(c driver.Connector) driver.Connector { return c }
}
