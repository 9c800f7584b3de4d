package audit_test

import (
	"os"
	"regexp"
	"testing"

	"dailies/db/audit"
)

// The audit's filter by noun depends on the list of actions.
func TestEveryActionIsListed(t *testing.T) {
	source, err := os.ReadFile("audit.go")
	if err != nil {
		t.Fatal(err)
	}
	listed := 0
	for _, noun := range audit.Nouns() {
		listed += len(audit.Actions(noun))
	}
	found := regexp.MustCompile(`Action += "([a-z-]+)\.`).FindAllSubmatch(source, -1)
	for _, a := range found {
		if len(audit.Actions(string(a[1]))) == 0 {
			t.Errorf("no action about %s is listed", a[1])
		}
	}
	if listed != len(found) || listed == 0 {
		t.Errorf("%d actions are listed, of %d", listed, len(found))
	}
}
