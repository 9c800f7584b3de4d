package cast_test

import (
	"strings"
	"testing"

	"dailies/db/cast"
)

func TestHandlesOfEveryScript(t *testing.T) {
	for handle, ok := range map[string]bool{
		"anna": true, "安娜": true, "анна": true, "أنا": true, "हिन्दी": true, "red-cup": true, "a_b": true, "42": true, "안나": true, "2k": true,
		"": false, "a": false, "@": false, "-anna": false, "anna-": false, "_a": false, "a b": false, "a.b": false, "a@b": false, "a\u200bb": false,
		strings.Repeat("x", 30): true, strings.Repeat("x", 31): false, strings.Repeat("安", 30): true, "\u0301aa": false, "🙂🙂": false, "²³": false,
	} {
		if cast.IsHandle(handle) != ok {
			t.Errorf("is %q a handle? want %t", handle, ok)
		}
	}
}

func TestFoldIgnoresCaseAndForm(t *testing.T) {
	for _, same := range [][]string{
		{"Anna", "anna", "ＡＮＮＡ"}, {"café", "cafe\u0301", "CAFÉ"}, {"straße", "STRASSE"}, {"ΣΊΣΥΦΟΣ", "σίσυφος"}, {"ﬁlm", "film"}, {"カメラ", "ｶﾒﾗ"},
	} {
		for _, other := range same[1:] {
			if cast.Fold(same[0]) != cast.Fold(other) {
				t.Errorf("%q and %q are two handles: %q, %q", same[0], other, cast.Fold(same[0]), cast.Fold(other))
			}
		}
	}
	if cast.Fold("anna") == cast.Fold("аnna") { // the second begins with a Cyrillic letter
		t.Error("letters that only look alike are the same")
	}
	if !cast.MixesAlike("аnna") || cast.MixesAlike("анна") || cast.MixesAlike("安娜anna") {
		t.Error("mixed scripts are not noticed, or others are")
	}
}

func TestAMemberIsStoredCleaned(t *testing.T) {
	if h := cast.CleanHandle("می\u200cخواهم"); !cast.IsHandle(h) || cast.Fold(h) != cast.Fold("می\u200cخواهم") {
		t.Errorf("a Persian handle with a joiner becomes %q", h)
	}
	good := cast.Member{Handle: "@Anna ", Name: " Anna", Kind: cast.Person, Pictures: []string{"", "https://example.com/a.png"}}.Cleaned()
	if good.Handle != "Anna" || good.Name != "Anna" || len(good.Pictures) != 1 {
		t.Errorf("%+v", good)
	}
	tin := cast.Member{Kind: cast.Product, Consent: cast.Consent{By: "Anna"}}.Cleaned()
	if tin.Consent.By != "" || tin.LacksConsent() || !good.LacksConsent() {
		t.Error("a product has a consent line, or a person needs none")
	}
}

func FuzzFold(f *testing.F) {
	for _, text := range []string{"Anna", "ﬁ", "ᾳ", "İ", "ΐ", "\u0345\u0300α", "ᏸ", "ß"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		key := cast.Fold(text)
		if cast.Fold(key) != key {
			t.Errorf("%q has the key %q, which has another key, %q", text, key, cast.Fold(key))
		}
		if h := cast.CleanHandle(text); cast.IsHandle(h) && cast.CleanHandle(h) != h {
			t.Errorf("the handle %q is cleaned to %q", h, cast.CleanHandle(h))
		}
	})
}
