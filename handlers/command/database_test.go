package command_test

import (
	"regexp"
	"strings"
	"testing"

	"dailies/db/store/postgres/postgrestest"
)

var setupToken = regexp.MustCompile(`/setup\?token=([A-Z0-9]{26})\n`)

// setupLinkOf starts the program, stops it, and returns the setup token that it
// printed.
func setupLinkOf(t *testing.T, args ...string) string {
	t.Helper()
	_, stderr, stop := start(t, append(args, "-addr", "127.0.0.1:0")...)
	found := setupToken.FindStringSubmatch(stderr.String())
	if stop() != 0 || found == nil {
		t.Fatalf("%q says %s", args, stderr)
	}
	return found[1]
}

// Several processes share one address: the link that one of them prints must work at
// all of them.
func TestTheSetupLinkIsThatOfTheDatabase(t *testing.T) {
	server, secret := postgrestest.Need(t), goodSecret
	databases := [2]string{}
	for i := range databases {
		var err error
		if databases[i], err = server.Database(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	link := func(database string) string {
		return setupLinkOf(t, "-data", t.TempDir(), "-secret", secret, "-database", database)
	}
	first := link(databases[0])
	if again := link(databases[0]); again != first {
		t.Errorf("%s, and from another process %s", first, again)
	}
	if other := link(databases[1]); other == first {
		t.Error("the link of one database opens another one")
	}
	if a, b := setupLinkOf(t, "-data", t.TempDir(), "-secret", secret), setupLinkOf(t, "-data", t.TempDir(), "-secret", secret); a == b {
		t.Error("a folder has the link of another one")
	}
	_, _, said := run(t, "-data", t.TempDir(), "-secret", otherSecret, "-database", databases[0])
	if !strings.Contains(said, "a Dailies with another secret") {
		t.Errorf("another secret: %s", said)
	}
}
