//go:build !unix

package postgrestest

import (
	"context"
	"errors"
)

// ErrMissing says that tests cannot start a Postgres server on this machine.
var ErrMissing = errors.New("tests start a Postgres server on Unix alone")

// Server is never used on this system.
type Server struct{}

// Start returns ErrMissing.
func Start(context.Context, ...string) (*Server, error) { return nil, ErrMissing }

// Database returns ErrMissing.
func (*Server) Database(context.Context) (address string, err error) { return "", ErrMissing }

// Empty returns ErrMissing.
func (*Server) Empty(context.Context) (address string, err error) { return "", ErrMissing }

// ErrNoPooler says that tests cannot start pgbouncer on this machine.
var ErrNoPooler = errors.New("tests start pgbouncer on Unix alone")

// Pooler is never used on this system.
type Pooler struct{}

// StartPooler returns ErrNoPooler.
func (*Server) StartPooler(context.Context, ...string) (*Pooler, error) { return nil, ErrNoPooler }

// Behind returns the address.
func (*Pooler) Behind(direct string) string { return direct }

// Stop does nothing.
func (*Pooler) Stop() error { return nil }

// Stop does nothing.
func (*Server) Stop() error { return nil }
