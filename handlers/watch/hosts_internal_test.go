package watch

import (
	"testing"

	"dailies/db/schedule"
)

// The room that is booked for a copy whose size is not announced follows the sizes of
// the files before it, slowly, so that one unusual file changes little.
func TestTheUsualSizeOfAFileFollowsThoseCopied(t *testing.T) {
	var hosts hostTable
	for i, step := range []struct{ bytes, usual int64 }{{800, 800}, {400, 700}, {700, 700}, {2300, 1100}} {
		hosts.begin("host.example").end(copyDone, step.bytes)
		if got := hosts.hosts["host.example"].size; got != step.usual {
			t.Errorf("after file %d of %d bytes the usual size is %d, want %d", i+1, step.bytes, got, step.usual)
		}
	}
}

// The log names a key so that its owner knows it, but never the key itself.
func TestTheLogNamesAKeyWithoutTellingIt(t *testing.T) {
	for _, c := range []struct {
		call schedule.Call
		want string
	}{
		{schedule.Call{KeyName: "Marketing", KeyEnd: "a1b2", Payer: "Ana"}, "Marketing …a1b2"},
		{schedule.Call{KeyEnd: "a1b2", Payer: "Ana"}, "Ana’s own key …a1b2"},
		{schedule.Call{Payer: "Ana"}, "Ana’s earlier own key"},
	} {
		if got := nameOf(c.call); got != c.want {
			t.Errorf("%+v is called %q, want %q", c.call, got, c.want)
		}
	}
}
