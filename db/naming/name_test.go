package naming_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"dailies/db/naming"
	"dailies/web/costtest"
)

func TestNamesLoseWhatMisleads(t *testing.T) {
	for text, want := range map[string]string{
		"Kim Ito": "Kim Ito", " Kim \t\n Ito\r\n": "Kim Ito", "Kim\u00a0\u3000\u2028\u0085Ito": "Kim Ito",
		"Admin\u202e oreZ": "Admin oreZ", "a\u202ab\u202bc\u202cd\u202de\u202ef": "abcdef", "a\u2066b\u2067c\u2068d\u2069": "abcd", "\u200ea\u200f\u061cb": "ab",
		"K\u200bi\u200cm\u200d\ufeff\u2060\u00ad": "Kim", "a\u034fb\u2061\u2062\u2063\u2064c": "abc", "a\x00\x1b[31m\x7f\u009bb": "a[31mb",
		"\u115f\u1160\u3164\uffa0": "", "\u2800 \u2800": "", "\U0001d159\U00013441\U00016fe4\ufffc": "", "\u17b4\u17b5\u180b\u180e": "", "\ufe0f\u200d\U000e0041\U000e0100": "",
		"\ue000\U000f0000\ufffd\xff": "", "\u0301\u0302": "", " \u0301 \u20dd": "", "\ufdd0\uffff\U0010ffff\u0378": "",
		"e" + strings.Repeat("\u0301", 70): "e" + strings.Repeat("\u0301", 4), "e" + strings.Repeat("\u0489", 9) + "x": "e" + strings.Repeat("\u0489", 4) + "x",
		"e\u0301\u0301\u200d\u0301\u0301\u200b\u0301\u202e\u0301": "e\u0301\u0301\u0301\u0301", "क" + strings.Repeat("\u093e", 70): "क" + strings.Repeat("\u093e", 4),
		"a\ufe0fb\ufe00c\U000e0100": "abc", "1\ufe0f2": "12", "★\ufe0f\ufe0f": "★\ufe0f",
		"😀\U000e0068\U000e0069\U000e007f": "😀", "🏴\U000e0073\U000e0065\U000e0063\U000e0072\U000e0065\U000e0074\U000e0073\U000e007f": "🏴", "🏴\U000e0067\U000e0062\U000e0065": "🏴",
		"👩\u200d": "👩", "👩\u200dx": "👩x", "\u200d👩": "👩", "👩\u200d\u200d🚀": "👩\u200d🚀", "a\u200c\u200db": "ab", "می\u200c": "می", "\u200cمی": "می", "م\u200ca": "مa",
	} {
		if got := naming.Clean(text); got != want {
			t.Errorf("%+q: got %+q, want %+q", text, got, want)
		}
	}
}

func TestNamesOfAllPeopleAndTheirEmojiStay(t *testing.T) {
	for _, name := range []string{
		"Zoë Ørsted-Łukasz", "Nguyễn Thị Ánh", "Nguye\u0302\u0303n", "O’Brien", "Ольга", "Ελένη", "דָּוִד", "שּׁ\u05a3\u05b8", "محمد", "عُمَّر", "佐藤 花子", "葛\U000e0100城", "𠮷野家", "김민수", "สมชาย ใจดี",
		"می\u200cخواهم", "نرم\u200cافزار", "خانه\u200cهای", "क्\u200dष", "क\u094d\u200cष", "हिन्दी", "র\u200d\u09cdয", "ශ\u0dca\u200dරී", "അവന\u0d4d\u200d", "லக்ஷ்மி", "လျှော့ဈေး", "ខ្មែរ", "བསྒྲུབས", "ᠮᠣᠩᠭᠣᠯ\u180eᠠ", "ᠮᠣ\u180bᠩ",
		"👩\u200d🚀", "👩🏽\u200d🚀", "🏳\ufe0f\u200d🌈", "👨\u200d👩\u200d👧\u200d👦", "❤\ufe0f\u200d🔥", "☺\ufe0e", "🇸🇪", "5\ufe0f\u20e3", "#\u20e3", "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", "🧑🏿\u200d🦽\u200d➡\ufe0f", "©\ufe0f", "👍🏽", "\U0001fae9",
		"#1 — “best” (v2.0) 100 %", "½ × ∞ → ☃", "\U000323b0",
	} {
		if got := naming.Clean(name); got != name {
			t.Errorf("%+q becomes %+q", name, got)
		}
		if got := naming.CleanLines(name + "\n\n\t  " + name); got != name+"\n\n\t  "+name {
			t.Errorf("lines of %+q become %+q", name, got)
		}
	}
}

func TestLongNamesAreCleanedAtOnce(t *testing.T) {
	for _, r := range []string{"\U000e0061", "\u0301", "\u200d", "م\u200c", "👩\u200d", "\u094d\u200d", "\ufe0f"} {
		costtest.Linear(t, fmt.Sprintf("bytes of %+q", r), 1<<17, func(n int) time.Duration {
			name := "🏴" + strings.Repeat(r, n/len(r))
			return costtest.Of(func() { naming.Key(name) })
		})
	}
}

func TestNotesKeepTheirLines(t *testing.T) {
	if got := naming.CleanLines(" one\r\ntwo\u2028  three\u202e\u200b\tfour\u0000 \n"); got != "one\ntwo\n  three\tfour" {
		t.Errorf("got %q", got)
	}
}

func TestACutNameIsStillAName(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{{"Kim Ito", 4, "Kim"}, {"Kim Ito", 7, "Kim Ito"}, {"a👩\u200d🚀", 3, "a👩"}, {"می\u200cخ", 3, "می"}, {"\u202eabc", 3, "abc"}} {
		if got := naming.Short(c.text, c.most); got != c.want {
			t.Errorf("%+q in %d: got %+q, want %+q", c.text, c.most, got, c.want)
		}
	}
}

func TestNamesThatLookTheSameHaveOneKey(t *testing.T) {
	for _, same := range [][]string{
		{"Harbour", "HARBOUR", " har\u200bbour ", "h\u202earbour"}, {"é", "e\u0301", "É"}, {"می\u200cخواهم", "میخواهم"}, {"★", "★\ufe0f"}, {"葛", "葛\U000e0100"},
	} {
		for _, name := range same {
			if naming.Key(name) != naming.Key(same[0]) {
				t.Errorf("%+q and %+q are told apart", name, same[0])
			}
		}
	}
	if naming.Key("👩\u200d🚀") == naming.Key("👩🚀") || naming.Key("①") == naming.Key("1") {
		t.Error("names that look different have one key")
	}
}

func TestTextInASentenceDoesNotChangeItsOrder(t *testing.T) {
	for text, want := range map[string]string{
		"A boat": "A boat", "שלום": "\u2068שלום\u2069", "a 1 ١": "\u2068a 1 ١\u2069", "\u202eboat\u2069": "boat", "\u2068محمد\u2069": "\u2068محمد\u2069", "佐藤": "佐藤",
	} {
		if got := naming.Isolated(text); got != want || naming.Isolated(got) != got {
			t.Errorf("%+q: got %+q, want %+q", text, got, want)
		}
	}
}

func FuzzCleanName(f *testing.F) {
	f.Add("Kim\u202e \u200b\u3164")
	f.Add("👩🏽\u200d🚀🏳\ufe0f\u200d🌈5\ufe0f\u20e3🏴\U000e0067\U000e0062\U000e007f")
	f.Add("می\u200cخواهم क्\u200dष अ\u0301\u0301\u0301\u0301\u0301\u0301")
	f.Add("\xff\x00 a\u0344\u0344\u0344\u0958")
	f.Fuzz(func(t *testing.T, text string) {
		name := naming.Clean(text)
		if !utf8.ValidString(name) || len(name) > len(text) || naming.Clean(name) != name || strings.Join(strings.Fields(name), " ") != name {
			t.Fatalf("%+q becomes %+q and then %+q", text, name, naming.Clean(name))
		}
		if lines := naming.CleanLines(text); naming.CleanLines(lines) != lines {
			t.Fatalf("%+q becomes %+q and then %+q", text, lines, naming.CleanLines(lines))
		}
		if key := naming.Key(name); key != naming.Key(text) || key == "" && name != "" {
			t.Fatalf("the key of %+q is %+q", text, key)
		}
		visible, marks := 0, 0
		for _, r := range name {
			switch {
			case unicode.In(r, unicode.Bidi_Control, unicode.Cc, unicode.Co, unicode.Zl, unicode.Zp):
				t.Fatalf("%+q has %U", name, r)
			case unicode.Is(unicode.Variation_Selector, r) || unicode.Is(unicode.Cf, r): // tested by example
			case unicode.In(r, unicode.Mn, unicode.Me):
				if marks++; marks > 4 || visible == 0 {
					t.Fatalf("%+q has %d marks on a letter", name, marks)
				}
			case unicode.Is(unicode.Mc, r):
			case r != ' ':
				visible, marks = visible+1, 0
			}
		}
		if name != "" && visible == 0 {
			t.Fatalf("%+q cannot be seen", name)
		}
	})
}

// Every character that is kept without a look at the tables is in them as visible.
func TestPlainCharactersAreVisible(t *testing.T) {
	for _, span := range [][2]rune{{'!', '~'}, {'À', 'ɏ'}, {'Ѐ', 'ҁ'}, {'一', '鿿'}, {'가', '힣'}} {
		for r := span[0]; r <= span[1]; r++ {
			if !unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) {
				t.Errorf("%q is not", r)
			}
			if got := naming.Clean(string(r)); got != string(r) {
				t.Errorf("%q is cleaned to %q", r, got)
			}
		}
	}
}
