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

// Stop does nothing.
func (*Server) Stop() error { return nil }
