package cast_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"dailies/db/cast"
	"dailies/web/costtest"
)

// those returns a function that knows the handles.
func those(handles ...string) func(string) bool {
	return func(handle string) bool {
		return slices.ContainsFunc(handles, func(h string) bool { return cast.Fold(h) == handle })
	}
}

func TestHandlesAreFoundInTexts(t *testing.T) {
	known := those("anna", "anna-marie", "red-cup", "安娜", "安娜2", "แอนนา", "안나", "zoë", "ⅷ", "नेहा", "アンナ")
	for _, test := range []struct{ text, want string }{
		{"@anna pours tea", "[anna]"},
		{"tea for @Anna, and @ANNA's cup", "[anna] [anna]"},
		{"@anna-marie is not @anna", "[anna-marie] [anna]"},
		{"@anna-mari", "?@anna-mari"},
		{"@annabel", "?@annabel"},
		{"@anna- and @anna_", "[anna] [anna]"},
		{"@ana and @ana and @erik", "?@ana ?@ana ?@erik"},
		{"(@anna) [@anna] \"@anna\" '@anna' “@anna” «@anna» „@anna“", strings.TrimSpace(strings.Repeat("[anna] ", 7))},
		{"l’@anna", "[anna]"},
		{"@anna,@red-cup;@anna: @anna&@anna **@anna** <@anna>", "[anna] [red-cup] [anna] [anna] [anna] [anna] [anna]"},
		{"x.org/@anna /@anna .@anna", ""},
		{"@an\u200cna @anna\u200d", "[anna] [anna]"},
		// Scripts without spaces: letters may stand on both sides.
		{"@安娜在海边走", "[安娜]"},
		{"看@安娜走，@安娜2号。「@安娜」", "[安娜] [安娜2] [安娜]"},
		{"@anna在海边走", "[anna]"},
		{"@安娜walks", "[安娜]"},
		{"@安在海边", "?@安在海边"},
		{"@ana在海边", "?@ana"},
		{"アンナ@アンナがあるく", "[アンナ]"},
		{"ดู@แอนนาเดิน", "[แอนนา]"},
		{"@안나가 걷는다", "[안나]"},
		{"@नेहा चलती है", "[नेहा]"},
		{"@नेह", "?@नेह"},
		// Different forms of the same letters.
		{"@zoe\u0308 and @ZOË", "[zoë] [zoë]"},
		{"＠ａｎｎａ", "[anna]"},
		{"\u200f@anna", "[anna]"},
		// Mailboxes and pages.
		{"ana@example.com, ana+x@anna", ""},
		{"邮件安娜@anna.com", ""},
		{"\"ana\"@anna.com", ""},
		{"@anna@mastodon.example", ""},
		{"https://example.com/@anna https://example.com/?(@anna www.example.com/(@anna", ""},
		{"see https://example.com/a @anna", "[anna]"},
		{"看https://example.com/a，@安娜", "[安娜]"},
		{"HTTPS://EXAMPLE.COM/'@anna", ""},
		// No handles at all.
		{"@ @", ""},
		{"a @ b", ""},
		{"@-anna @_anna @@anna", ""},
		{"@" + strings.Repeat("x", 31), "?@" + strings.Repeat("x", 31)},
		{"@anna.Then she", "[anna]"},
		{"@anna @anna", "[anna] [anna]"},
		{"", ""},
	} {
		var got []string
		whole := ""
		for _, p := range cast.Pieces(test.text, known) {
			whole += p.Text
			switch {
			case p.Unknown:
				got = append(got, "?"+p.Text)
			case p.Handle != "":
				got = append(got, "["+p.Handle+"]")
			}
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%q: handles %q, want %q", test.text, s, test.want)
		}
		if whole != test.text {
			t.Errorf("%q: the pieces make up %q", test.text, whole)
		}
	}
}

// What replaces a handle is not searched for handles or blanks, whatever it is.
func TestSubstitutionIsASinglePass(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	words := []string{"@anna", "@bo", "{{who}}", "@", " ", "(", "é", "在", "@@", "x@bo.com", "@安"}
	some := func() string {
		s := ""
		for range random.IntN(6) {
			s += words[random.IntN(len(words))]
		}
		return s
	}
	for range 5000 {
		text, names := some(), map[string]string{"anna": some(), "bo": some(), "安": some()}
		pieces := cast.Pieces(text, those("anna", "bo", "安"))
		got := cast.Write(pieces, func(handle string, _ bool) string { return names[handle] })
		want := ""
		for _, p := range pieces {
			if p.Handle == "" || p.Unknown {
				want += p.Text
			} else {
				want += names[p.Handle]
			}
		}
		if got != want {
			t.Fatalf("%q with %q became %q, want %q", text, names, got, want)
		}
		// Without anybody in the cast, the text stays as it is.
		if same := cast.Write(cast.Pieces(text, those()), nil); same != text {
			t.Fatalf("%q became %q without a cast", text, same)
		}
	}
}

// Whatever stands before and after it on other lines, a handle on a line of its own is
// found.
func TestTextAroundDoesNotHideAHandle(t *testing.T) {
	for _, around := range []string{"x", "https://example.com/", "\"", "(", "在", "a@b", "www.", "@", "@ana", "://", "é\u0301"} {
		text := around + "\n@anna\n" + around
		if got := cast.Mentioned(cast.Pieces(text, those("anna"))); !slices.Equal(got, []string{"anna"}) {
			t.Errorf("%q: handles %q", text, got)
		}
	}
}

func TestManyHandlesTakeLittleTime(t *testing.T) {
	for _, c := range []struct{ begins, part string }{
		{"", "@"}, {"", "@anna "}, {"@", "x"}, {"", "@在"}, {"", "在"}, {"@", "在"}, {"@a", "\u0301"}, {"", "@" + strings.Repeat("在", 127)},
		{"", "www."}, {"", "://"},
	} {
		costtest.Linear(t, fmt.Sprintf("%s%.20s…", c.begins, c.part), cast.MaxText, func(n int) time.Duration {
			text := c.begins + strings.Repeat(c.part, (n-len(c.begins))/len(c.part))
			return costtest.Of(func() { cast.Pieces(text, those("anna")) })
		})
	}
	long := strings.Repeat("@anna ", cast.MaxText)
	if got := cast.Pieces(long, those("anna")); len(got) != 1 || got[0].Handle != "" {
		t.Errorf("a text of %d bytes has %d pieces", len(long), len(got))
	}
}

func FuzzPieces(f *testing.F) {
	for _, text := range []string{"@anna pours tea", "@安娜在海边走", "a@b.com https://x/@anna", "@ \"@anna", "\xff@anna\xff"} {
		f.Add(text)
	}
	known := those("anna", "安娜", "a")
	f.Fuzz(func(t *testing.T, text string) {
		pieces := cast.Pieces(text, known)
		whole, handles := "", 0
		for _, p := range pieces {
			whole += p.Text
			switch {
			case p.Handle == "" && p.Text == "", p.Unknown && p.Handle == "":
				t.Errorf("%q has the piece %+v", text, p)
			case p.Handle == "":
				continue
			case p.Unknown == known(p.Handle):
				t.Errorf("%q: %+v is known or not", text, p)
			}
			if r, _ := utf8.DecodeRuneInString(p.Text); r != '@' && r != '＠' {
				t.Errorf("%q has the handle %q", text, p.Text)
			}
			handles++
		}
		if whole != text {
			t.Errorf("the pieces of %q make up %q", text, whole)
		}
		if handles > strings.Count(text, "@")+strings.Count(text, "＠") {
			t.Errorf("%q has %d handles", text, handles)
		}
		again := cast.Write(pieces, func(handle string, first bool) string { return fmt.Sprintf("<%s %t>", handle, first) })
		if strings.Count(again, " true>") < len(cast.Mentioned(pieces)) {
			t.Errorf("%q became %q", text, again)
		}
	})
}
