package postgrestest

import (
	"errors"
	"testing"

	"dailies/web/scopetest"
)

// Need starts a server for the test and stops it when the test ends. If the machine
// has no server, the test is skipped, but not in CI.
func Need(tb testing.TB, settings ...string) *Server {
	tb.Helper()
	s, err := Start(tb.Context(), append(settings, "fsync=off", "synchronous_commit=off", "full_page_writes=off")...)
	if errors.Is(err, ErrMissing) {
		scopetest.Missing(tb, "postgresql")
	}
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Stop(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// NeedPooler starts pgbouncer for the test and stops it when the test ends. If the
// machine has no pgbouncer, the test is skipped, but not in CI.
func NeedPooler(tb testing.TB, s *Server, settings ...string) *Pooler {
	tb.Helper()
	p, err := s.StartPooler(tb.Context(), settings...)
	if errors.Is(err, ErrNoPooler) {
		scopetest.Missing(tb, "pgbouncer")
	}
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := p.Stop(); err != nil {
			tb.Error(err)
		}
	})
	return p
}
