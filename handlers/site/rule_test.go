package site

import (
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/team"
	"dailies/views/input"
)

// A rule that is misspelt would end the request that reads its field.
func TestEveryRuleOfAFieldIsKnown(t *testing.T) {
	written := regexp.MustCompile(`\bValid\((?:fmt\.Sprintf\()?("(?:[^"\\]|\\.)*")`)
	found := 0
	for _, folder := range []string{"../../views", ".."} {
		err := fs.WalkDir(os.DirFS(folder), ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := os.ReadFile(folder + "/" + path)
			for _, m := range written.FindAllStringSubmatch(string(file), -1) {
				tag, err := strconv.Unquote(m[1])
				if err != nil {
					return err
				}
				found++
				for rule := range strings.SplitSeq(strings.NewReplacer("%d", "1", "%g", "1").Replace(tag), ",") {
					if isUnknown(rule) {
						t.Errorf("%s: there is no rule %q", path, rule)
					}
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 20 || !isUnknown("nonsense") {
		t.Errorf("%d rules were found", found)
	}
}

// isUnknown reports whether the validator has no such rule.
func isUnknown(tag string) (unknown bool) {
	defer func() {
		if text, is := recover().(string); is {
			unknown = strings.HasPrefix(text, "Undefined validation function")
		}
	}()
	_ = rules.Var("x", tag)
	return false
}

func TestOurOwnRules(t *testing.T) {
	pointer := func(n float64) *float64 { return &n }
	for _, tt := range []struct {
		tag   string
		value any
		other any
		keeps bool
	}{
		{"between=1 365", "1", nil, true}, {"between=1 365", "365", nil, true}, {"between=1 365", "0", nil, false},
		{"between=1 365", "366", nil, false}, {"between=1 365", "1.5", nil, false},
		{"visible", "a", nil, true}, {"visible", "\u200b", nil, false},
		{"unmistakable", "kim@example.com", nil, true}, {"unmistakable", "k i m@example.com", nil, true},
		{"unmistakable", "k\u0456m@example.com", nil, false},
		{"within=1h", time.Now().Add(time.Minute), nil, true}, {"within=1h", time.Now().Add(2 * time.Hour), nil, false},
		{"offered", "", []string{""}, true}, {"offered", "", []string{"a"}, false},
		{"required_beside", "", "", true}, {"required_beside", "", "a", false}, {"required_beside", "b", "a", true},
		{"producer", "00", nil, false}, {"provider", "relay-2", nil, true}, {"provider", "é", nil, false},
		{"provider", strings.Repeat("x", 101), nil, false},
		{"colour", team.Colour{R: 1}.String(), nil, true}, {"colour", "red", nil, false},
		{"bytes=2", "é", nil, true}, {"bytes=2", "éa", nil, false},
		{"lines=1", "a\n\n", nil, true}, {"lines=1", "a\nb", nil, false},
		{"scopes=2", "openid groups", nil, true}, {"scopes=1", "openid groups", nil, false}, {"scopes=2", `a"b`, nil, false},
		{"key", "sk-1", nil, true}, {"key", "sk 1", nil, false}, {"key", "sk-é", nil, false},
		{"thousandths", 1.234, nil, true}, {"thousandths", 1.2345, nil, false},
		{"omitnil,min=0,thousandths", (*float64)(nil), nil, true}, {"required", (*float64)(nil), nil, false},
		{"required,min=0", pointer(0), nil, true}, {"omitnil,min=0", pointer(-1), nil, false},
		{"min=1,unique,dive,event", []outbox.Event{outbox.VideoReady}, nil, true},
		{"min=1,unique,dive,event", []outbox.Event{outbox.VideoReady, outbox.VideoReady}, nil, false},
		{"min=1,unique,dive,event", []outbox.Event{"nothing"}, nil, false}, {"min=1,unique,dive,event", []outbox.Event(nil), nil, false},
		{"password=short", "harbour", db.User{}, false}, {"password=personal", "kim harbour", db.User{Name: "Kim Harbour"}, false},
		{"password=personal", "kim harbour", db.User{Name: "Ada"}, true},
	} {
		if got := keeps(tt.value, tt.other, input.Valid(tt.tag, "wrong")); got != tt.keeps {
			t.Errorf("%v keeps %s (%v): %v, want %v", tt.value, tt.tag, tt.other, got, tt.keeps)
		}
	}
}

func TestAnEmptyValueBreaksOnlyARuleThatRequiresOne(t *testing.T) {
	all := input.Rules{input.Valid("email", "wrong"), input.Min(3, "short"), input.Required("missing")}
	if got := Broken("", all); got != "missing" {
		t.Errorf("an empty value is %q", got)
	}
	named := "Add your name, so that %dora knows who wrote this."
	if got := Broken("", input.Rules{input.Required(named)}); got != named {
		t.Errorf("a sentence with a name became %q", got)
	}
	if got := Broken("", all[:2]); got != "" {
		t.Errorf("an empty value that is not required is %q", got)
	}
}
