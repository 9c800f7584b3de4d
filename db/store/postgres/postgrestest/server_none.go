//go:build !unix

package postgrestest

import (
	"context"
	"errors"
)

// ErrMissing says that this machine has no Postgres server that tests can start.
var ErrMissing = errors.New("tests start a Postgres server on Unix alone")

// Server is a server that runs, of which there is none here.
type Server struct{}

// Start returns ErrMissing.
func Start(context.Context, ...string) (*Server, error) { return nil, ErrMissing }

// Database returns ErrMissing.
func (*Server) Database(context.Context) (address string, err error) { return "", ErrMissing }

// Empty returns ErrMissing.
func (*Server) Empty(context.Context) (address string, err error) { return "", ErrMissing }

// ErrNoPooler says that this machine has no pgbouncer that tests can start.
var ErrNoPooler = errors.New("tests start pgbouncer on Unix alone")

// Pooler is a pgbouncer that runs, of which there is none here.
type Pooler struct{}

// StartPooler returns ErrNoPooler.
func (*Server) StartPooler(context.Context, ...string) (*Pooler, error) { return nil, ErrNoPooler }

// Behind returns the address.
func (*Pooler) Behind(direct string) string { return direct }

// Stop does nothing.
func (*Pooler) Stop() error { return nil }

// Stop does nothing.
func (*Server) Stop() error { return nil }
