package cast_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dailies/db/cast"
)

// team is a cast of which everybody has as many pictures as the handle's last digit.
func team() []cast.Member {
	var members []cast.Member
	for i, handle := range []string{"anna3", "cup1", "tin2", "bo1"} {
		m := cast.Member{ID: int64(i + 1), Handle: handle, Name: strings.ToUpper(handle[:1]) + handle[1:len(handle)-1], Kind: cast.Person}
		for n := range int(handle[len(handle)-1] - '0') {
			m.Pictures = append(m.Pictures, fmt.Sprintf("https://p/%s/%d", m.Name, n+1))
		}
		members = append(members, m)
	}
	members[0].Look = "dark bob, @cup1 {{x}}"
	return members
}

func refer(n int) string { return fmt.Sprintf("image %d", n) }

func TestCastSharesThePlaces(t *testing.T) {
	references := cast.PictureRule{References: true, Places: 3, Refer: refer}
	for _, test := range []struct {
		name, prompt, pictures, chosen string
		rule                           cast.PictureRule
		words, sent                    string
		left                           int
	}{
		{name: "one member takes all places", prompt: "@anna3 walks", rule: references,
			words: "Anna (image 1, image 2, image 3) [dark bob, @cup1 {{x}}] walks", sent: "Anna/1 Anna/2 Anna/3"},
		{name: "two share them", prompt: "@cup1 of @Anna3 for @anna3", rule: references,
			words: "Cup (image 1) of Anna (image 2, image 3) [dark bob, @cup1 {{x}}] for Anna (image 2, image 3)",
			sent:  "Cup/1 Anna/1 Anna/2"},
		{name: "first pictures go first", prompt: "@tin2 @anna3 @cup1", rule: references,
			words: "Tin (image 1) Anna (image 2) [dark bob, @cup1 {{x}}] Cup (image 3)", sent: "Tin/1 Anna/1 Cup/1"},
		{name: "the person’s own come first", prompt: "@anna3 and @cup1", pictures: "own", rule: references,
			words: "Anna (image 2) [dark bob, @cup1 {{x}}] and Cup (image 3)", sent: "own Anna/1 Cup/1"},
		{name: "a gap is none", prompt: "@cup1", pictures: ",own,", rule: references, words: "Cup (image 2)", sent: "own Cup/1"},
		{name: "own ones are never dropped", prompt: "@cup1", pictures: "a,b,c", rule: references, words: "Cup", sent: "a b c", left: 1},
		{name: "too many", prompt: "@anna3 @cup1 @tin2 @bo1", rule: references,
			words: "Anna (image 1) [dark bob, @cup1 {{x}}] Cup (image 2) Tin (image 3) Bo", sent: "Anna/1 Cup/1 Tin/1", left: 1},
		{name: "another choice", prompt: "@anna3 @cup1 @tin2 @bo1", chosen: "@bo1,@tin2.2", rule: references,
			words: "Anna [dark bob, @cup1 {{x}}] Cup Tin (image 2) Bo (image 1)", sent: "Bo/1 Tin/2"},
		{name: "no picture is a choice", prompt: "@cup1", chosen: " ", rule: references, words: "Cup", sent: ""},
		{
			name: "a choice of somebody who is not there", prompt: "@cup1", chosen: "@bo1,@x,@cup1.2,@cup1,@cup1",
			rule: references, words: "Cup (image 1)", sent: "Cup/1",
		},
		{name: "a picture of the cast in a field", prompt: "@anna3 again", pictures: "@anna3.2", rule: references,
			words: "Anna (image 1, image 2, image 3) [dark bob, @cup1 {{x}}] again", sent: "Anna/2 Anna/1 Anna/3"},
		{name: "only in a field", prompt: "walks", pictures: "@Cup1", rule: references, words: "walks", sent: "Cup/1"},
		{
			name: "words alone", prompt: "@anna3 and @ana", rule: cast.PictureRule{Refer: refer},
			words: "Anna [dark bob, @cup1 {{x}}] and @ana", sent: "",
		},
		{name: "a start", prompt: "@cup1 falls", pictures: "@cup1", rule: cast.PictureRule{Places: 1}, words: "Cup falls", sent: "Cup/1"},
		{name: "nobody in a field", prompt: "x", pictures: "@x,@cup1.2", rule: references, words: "x", sent: "@x @cup1.2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var pictures []string
			if test.pictures != "" {
				pictures = strings.Split(test.pictures, ",")
			}
			var chosen []cast.Choice
			if test.chosen != "" {
				chosen = []cast.Choice{}
				for _, c := range strings.Split(test.chosen, ",") {
					if c, ok := cast.ParseChoice(c); ok {
						chosen = append(chosen, c)
					}
				}
			}
			s := test.rule.Cast(team(), test.prompt, pictures, chosen)
			given := slices.DeleteFunc(slices.Clone(s.Pictures), func(p string) bool { return p == "" })
			if got := strings.ReplaceAll(strings.Join(given, " "), "https://p/", ""); got != test.sent ||
				s.Prompt != test.words || len(s.Left) != test.left {
				t.Errorf("sent %q with %q, %d left", s.Prompt, got, len(s.Left))
			}
			for i, m := range s.Cast {
				for _, at := range m.Sent {
					if !slices.Contains(m.Pictures, given[at]) {
						t.Errorf("picture %d is not of %s", at, m.Name)
					}
				}
				if m.MemberID == 0 || i != slices.IndexFunc(s.Cast, func(a cast.Appearance) bool { return a.MemberID == m.MemberID }) {
					t.Errorf("%+v", s.Cast)
				}
			}
		})
	}
}

func TestBeyondTheRoom(t *testing.T) {
	chosen := []cast.Choice{{"anna3", 1}, {"anna3", 2}, {"cup1", 1}}
	s := cast.PictureRule{References: true, Places: 2, Refer: refer}.Cast(team(), "@anna3 @cup1", nil, chosen)
	if s.Beyond != 1 || len(s.Pictures) != 2 || len(s.WithoutPictures()) != 1 {
		t.Errorf("%+v", s)
	}
	s = cast.PictureRule{References: true, Places: 3}.Cast(team(), "@ana", []string{"@nobody", "@anna3"}, nil)
	if !slices.Equal(s.Nobody, []int{0}) || !slices.Equal(s.Unknown, []string{"@ana"}) {
		t.Errorf("%+v", s)
	}
}

func TestChoicesAreRead(t *testing.T) {
	for text, want := range map[string]string{
		"@anna": "@anna", " @Anna.1 ": "@anna", "＠anna.3": "@anna.3", "@安娜.2": "@安娜.2",
		"@anna.0": "", "@anna.4": "", "@anna.": "", "@": "", "@a b": "", "anna": "", "https://x/@anna": "", "@anna.x": "", "": "",
	} {
		c, ok := cast.ParseChoice(text)
		if ok != (want != "") || ok && c.String() != want {
			t.Errorf("%q is %q, %t", text, c, ok)
		}
	}
}

func TestAMistypedHandleIsFound(t *testing.T) {
	handles := []string{"anna", "red-cup", "red-tin", "tea-tin", "安娜", "bo"}
	for typed, want := range map[string]string{
		"ana": "anna", "аnna": "anna", "annaa": "anna", "red-cups": "red-cup", "rd-cp": "red-cup", "te": "tea-tin", "red": "", "安": "安娜",
		"b": "bo", "nn": "", "erik": "", "ba": "bo",
	} {
		if got := cast.Nearest(typed, handles); got != want {
			t.Errorf("%q is taken for %q, want %q", typed, got, want)
		}
	}
}

func TestOnlyTheUnknownHandleIsRenamed(t *testing.T) {
	got := cast.Rename("@ana, “@Ana” and @ana-b write to x@ana.org and https://x.org/@ana, @anas", "ana", "anna")
	if want := "@anna, “@anna” and @ana-b write to x@ana.org and https://x.org/@ana, @anas"; got != want {
		t.Errorf("it becomes %q", got)
	}
}
