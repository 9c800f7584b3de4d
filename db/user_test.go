package db_test

import (
	"testing"

	"dailies/db"
)

func TestInitials(t *testing.T) {
	for name, want := range map[string]string{
		"": "?", "  ": "?", "ann": "A", "Ann Bo": "AB", "Ann van der Berg": "AB", "  Ann   Bo ": "AB",
		"élodie öz": "ÉÖ", "李 小龙": "李小", "🙂": "🙂",
	} {
		if got := (db.User{Name: name}).Initials(); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestOnlyAdminsAreAdmins(t *testing.T) {
	if !(db.User{Role: db.Admin}).IsAdmin() || (db.User{Role: db.Member}).IsAdmin() || (db.User{}).IsAdmin() {
		t.Error("the wrong ones may invite")
	}
}

func TestInviteOpensOnceAndForAWhile(t *testing.T) {
	i := db.Invite{ExpiresAt: noon}
	if !i.Open(noon.Add(-1)) || i.Open(noon) {
		t.Error("the link does not end when it should")
	}
	i.UsedAt = noon.Add(-2)
	if i.Open(noon.Add(-1)) {
		t.Error("a used link is open")
	}
}
