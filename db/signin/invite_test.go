package signin_test

import (
	"testing"

	"dailies/db/signin"
)

func TestInviteOpensOnceAndForAWhile(t *testing.T) {
	i := signin.Invite{ExpiresAt: noon}
	if !i.Open(noon.Add(-1)) || i.Open(noon) {
		t.Error("the link does not end when it should")
	}
	i.UsedAt = noon.Add(-2)
	if i.Open(noon.Add(-1)) {
		t.Error("a used link is open")
	}
}
