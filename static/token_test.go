package static_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// tokens are the type sizes, weights and radii that pages have. No style sheet uses others.
var tokens = map[string]string{
	"--t1": ".75rem", "--t2": ".8125rem", "--t3": ".875rem", "--t4": ".9375rem", "--t5": "1.125rem", "--t6": "1.5rem",
	"--w1": "400", "--w2": "500", "--w3": "600", "--w4": "680",
	"--r-s": "6px", "--r-m": "10px", "--r-l": "14px",
	"--r-full": "99px", // what is round at its ends, such as a pill
}

// allowed are the declarations with other values, each with its reason.
var allowed = map[string]string{
	"font-size: 0":                    "text that only screen readers have",
	"font-size: 1rem !important":      "below 16 px, Safari on a phone zooms in on a field",
	"border-radius: 0":                "a square corner",
	"border-radius: 50%":              "a circle",
	"border-radius: 3px":              "the drawing of a video's shape, 13 px high",
	"font: var(--t4)/1.5 var(--font)": "the text of all pages",
	"font: var(--t2)/1.5 var(--mono)": "an answer of the service",
}

func TestStyleSheetsUseOnlyTheTokens(t *testing.T) {
	used := map[string]bool{}
	for name, text := range sources(t, "*.css") {
		for _, d := range declarations(t, name, text) {
			if reason := d.strays(); reason != "" {
				t.Errorf("%s:%d: %s: %s", name, d.line, d, reason)
			}
			used[d.String()] = true
			if value := tokens[d.property]; value != "" && (name != "app.css" || d.within != "@layer tokens > :root" || d.value != value) {
				t.Errorf("%s:%d: the token %s is %s, in app.css", name, d.line, d.property, value)
			}
		}
	}
	for token, value := range tokens {
		if !used[token+": "+value] {
			t.Errorf("app.css does not have the token %s: %s", token, value)
		}
	}
	for d := range allowed {
		if !used[d] {
			t.Errorf("no style sheet has %q any more", d)
		}
	}
}

func TestOtherSizesWeightsAndRadiiAreFound(t *testing.T) {
	for rule, want := range map[string]bool{
		"font-size: var(--t1)":                    false,
		"font-size: 13px":                         true,
		"font-size: calc(var(--t1) * 2)":          true,
		"font-size: var(--t9)":                    true,
		"font-size: var(--w1)":                    true,
		"font-size: larger":                       true,
		"font-size: var(--t1) !important":         false,
		"font-size: inherit":                      false,
		"font-weight: var(--w4)":                  false,
		"font-weight: bold":                       true,
		"font-weight: 600":                        true,
		"font: inherit":                           false,
		"font: bold 1rem serif":                   true,
		"font: var(--w3) var(--t1)/1 serif":       true,
		"FONT-SIZE: 13px":                         true,
		"border-radius: 4px":                      true,
		"border-radius: var(--r-m) 4px":           true,
		"border-radius: var(--r-m) 0":             false,
		"border-start-end-radius: 4px":            true,
		"border-top-left-radius: var(--r-s)":      false,
		"--font: serif":                           false,
		"font-family: var(--mono)":                false,
		`content: "; font-size: 3px"`:             false,
		"color: red; /* ; font-size: 3px */":      false,
		"background: url(a;font-size:3px;b)":      false,
		"@media (width > 3px) { font-size: 1px }": true,
	} {
		found := ""
		for _, d := range declarations(t, "example.css", "a:hover { "+rule+" }\nb { color: red }") {
			found += d.strays()
		}
		if (found != "") != want {
			t.Errorf("%s: %q", rule, found)
		}
	}
}

// strays returns why the declaration's value is not a token, or "".
func (d declaration) strays() string {
	kind := ""
	switch {
	case d.property == "font-size":
		kind = "--t"
	case d.property == "font-weight":
		kind = "--w"
	case d.property == "font":
		kind = "-"
	case strings.HasPrefix(d.property, "border-") && strings.HasSuffix(d.property, "-radius"):
		kind = "--r-"
	default:
		return ""
	}
	if allowed[d.String()] != "" {
		return ""
	}
	value := strings.TrimSuffix(d.value, " !important")
	for part := range strings.FieldsSeq(value) {
		name := strings.TrimSuffix(strings.TrimPrefix(part, "var("), ")")
		known := strings.HasPrefix(part, "var("+kind) && tokens[name] != ""
		if !known && value != "inherit" && (kind != "--r-" || part != "0") {
			return fmt.Sprintf("not one of %v", slices.Sorted(maps.Keys(tokens)))
		}
	}
	return ""
}

// A declaration is a property with its value, in the rules of a style sheet.
type declaration struct {
	property, value string
	within          string // the rules around it, such as "@layer tokens > :root"
	line            int
}

func (d declaration) String() string { return d.property + ": " + d.value }

// quiet matches what may contain a separator without being one.
var quiet = regexp.MustCompile(`(?s)/\*.*?\*/|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|url\([^)]*\)`)

// declarations returns those of a style sheet. It fails at anything that is none of rules,
// statements such as "@layer a, b;" and declarations.
func declarations(t *testing.T, name, text string) []declaration {
	t.Helper()
	text = quiet.ReplaceAllStringFunc(text, func(s string) string {
		lines := strings.Repeat("\n", strings.Count(s, "\n"))
		if strings.HasPrefix(s, "/*") {
			return lines
		}
		return "quoted" + lines
	})
	var found []declaration
	var rules []string
	line := 1
	for rest := text; ; {
		end := strings.IndexAny(rest, "{};")
		if end < 0 {
			if len(rules) > 0 || strings.TrimSpace(rest) != "" {
				t.Fatalf("%s: a rule has no end: %v %q", name, rules, rest)
			}
			return found
		}
		piece := strings.Join(strings.Fields(rest[:end]), " ")
		line += strings.Count(rest[:end], "\n")
		property, value, isDeclaration := strings.Cut(piece, ":")
		switch {
		case rest[end] == '{':
			rules = append(rules, piece)
		case piece == "" || strings.HasPrefix(piece, "@"):
		case !isDeclaration || len(rules) == 0:
			t.Fatalf("%s:%d: not a declaration: %q", name, line, piece)
		default:
			property := strings.TrimSpace(property)
			if !strings.HasPrefix(property, "--") {
				property = strings.ToLower(property)
			}
			found = append(found, declaration{property, strings.TrimSpace(value), strings.Join(rules, " > "), line})
		}
		if rest[end] == '}' {
			if len(rules) == 0 {
				t.Fatalf("%s:%d: a brace closes nothing", name, line)
			}
			rules = rules[:len(rules)-1]
		}
		rest = rest[end+1:]
	}
}
