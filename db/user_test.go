package db_test

import (
	"strings"
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

func TestSpellingsOfOneAddressHaveOneKey(t *testing.T) {
	const want = "zoë@example.com"
	for _, spelling := range []string{
		"zoë@example.com", "zoe\u0308@example.com", " ZOË@Example.com\n", "ｚｏë@example．com", "zo\u200bë@example.com", "zo\u00adë@example.com",
		"zo\u2060ë@example.com", "\ufeffzoë@example.com", "zo\ufe0fë@example.com", "zo\u034fë@example.com", "zo\u3164ë@example.com", "ℤoë@example.com",
	} {
		if got := db.EmailKey(spelling); got != want {
			t.Errorf("%+q: %+q", spelling, got)
		}
	}
	for _, other := range []string{"zoe@example.com", "zoë@example.org", "zo.ë@example.com", "zoë+1@example.com"} {
		if db.EmailKey(other) == want {
			t.Errorf("%q is taken for another address", other)
		}
	}
}

func TestAddressesThatPassForOthersAreRecognised(t *testing.T) {
	for _, email := range []string{
		"kim\u200b@example.com", "\ufeffkim@example.com", "ki\u00adm@example.com", "kim\u3164@example.com", "kim\ufe0f@example.com", "kim\u2800@example.com",
		"kim\u202e@example.com", "kim\u00a0@example.com", "kim\u3000ito@example.com", "k" + strings.Repeat("\u0301", 70) + "im@example.com", "kim\ue000@example.com",
		"\u0430dmin@example.com", "adm\u0456n@example.com", "kim@ex\u0430mple.com", "kim.it\u03bf@example.com", "k1\u0456m@example.com", "\u13aaim@example.com",
	} {
		if !db.Misleads(email) {
			t.Errorf("%+q passes", email)
		}
	}
	for _, email := range []string{
		"kim@example.com", "kim+videos_1@mail.example.com", "zoë@example.com", "ольга@example.com", "ольга.kim@пример.рф", "ελένη@example.gr", "佐藤taro@example.jp",
		"محمد@example.com", "नरेश@example.in", "o'brien@example.com",
	} {
		if db.Misleads(email) {
			t.Errorf("%+q is refused", email)
		}
	}
}

func FuzzEmailKey(f *testing.F) {
	f.Add("zoë@example.com")
	f.Add("İ\u0307@ﬁ.ſ")
	f.Fuzz(func(t *testing.T, email string) {
		key := db.EmailKey(email)
		if again := db.EmailKey(key); again != key {
			t.Errorf("%+q: the key %+q has the key %+q", email, key, again)
		}
	})
}
