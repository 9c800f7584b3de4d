package people_test

import (
	"os"
	"testing"

	"dailies/db/store/suite"
)

func TestMain(m *testing.M) { os.Exit(suite.Run(m, "people")) }

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
