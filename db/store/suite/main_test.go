package suite_test

import (
	"os"
	"testing"

	"dailies/db/store/suite"
)

func TestMain(m *testing.M) { os.Exit(suite.Run(m, "")) }
