package static_test

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dailies/static"
)

// sources returns the contents of the source files that the pattern matches, by name.
func sources(t *testing.T, pattern string) map[string]string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	all := map[string]string{}
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(content)
	}
	return all
}

// served returns the file as it is sent.
func served(t *testing.T, name string) string {
	t.Helper()
	content, err := io.ReadAll(get(t, static.URL(name)).Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

var lineComment, importOf = regexp.MustCompile(`^(//|/\*)`), regexp.MustCompile(`"\./\w+\.js"`)

// Every script is served with all of its lines, in their order, without comments and
// indentation.
func TestScriptsAreServedWithAllOfTheirCode(t *testing.T) {
	for name, source := range sources(t, "*.js") {
		rest := served(t, static.BundleOf(name))
		for i, line := range strings.Split(source, "\n") {
			if strings.Count(line, "`")%2 == 1 {
				t.Errorf("%s:%d: the indentation of a template literal of several lines would not be served", name, i+1)
			}
			text := strings.TrimSpace(line)
			if lineComment.MatchString(text) || importOf.MatchString(text) || text == "" {
				if comment, after, ends := strings.Cut(text, "*/"); strings.HasPrefix(text, "/*") && (!ends || after != "") {
					t.Errorf("%s:%d: the comment %q does not end with the line", name, i+1, comment)
				}
				continue
			}
			if code, _, comment := strings.Cut(text, " // "); comment && !strings.Contains(rest, text+"\n") {
				text = strings.TrimSpace(code)
			}
			at := strings.Index(rest, text+"\n")
			if at < 0 {
				t.Fatalf("%s:%d: %q is not served, or too early", name, i+1, line)
			}
			if strings.TrimSpace(rest[:at]) != "" && strings.HasPrefix(strings.TrimSpace(rest[:at]), "//") {
				t.Errorf("%s:%d: a comment is served before %q", name, i+1, line)
			}
			rest = rest[at+len(text):]
		}
	}
}

// A style sheet differs from its source only in comments, white space and the last
// semicolons of rules.
func TestStyleSheetsAreServedWithAllOfTheirRules(t *testing.T) {
	comment, last := regexp.MustCompile(`(?s)/\*.*?\*/`), strings.NewReplacer(" ", "", "\n", "", "\t", "")
	bare := func(text string) string {
		return strings.ReplaceAll(last.Replace(comment.ReplaceAllString(text, "")), ";}", "}")
	}
	all := sources(t, "*.css")
	for name, source := range all {
		if len(static.PartsOf(name)) > 1 {
			source = ""
			for _, part := range static.PartsOf(name) {
				source += all[part]
			}
		}
		got := served(t, name)
		if strings.Contains(got, "/*") || strings.Contains(got, "\n") {
			t.Errorf("%s is served with comments or in several lines", name)
		}
		if bare(got) != bare(source) {
			t.Errorf("%s is served with other rules", name)
		}
		for _, quoted := range regexp.MustCompile(`"[^"]*"`).FindAllString(comment.ReplaceAllString(source, ""), -1) {
			if !strings.Contains(got, quoted) {
				t.Errorf("%s is served without %s", name, quoted)
			}
		}
	}
}

func TestDenseKeepsTheWhiteSpaceThatMatters(t *testing.T) {
	for source, want := range map[string]string{
		"a :hover { color: red; }\n":                                      "a :hover{color:red}",
		"a > b, c + d { margin: 0 -1px; }":                                "a > b,c + d{margin:0 -1px}",
		"p { width: calc(100% - 2px); background: var(--a, var(--b) ); }": "p{width:calc(100% - 2px);background:var(--a,var(--b) )}",
		"q::before { content: \" ; } a : b , c\"; }":                      "q::before{content:\" ; } a : b , c\"}",
		`q::after { content: "\"; "; top: 0 }`:                            `q::after{content:"\"; ";top:0}`,
		"@media (hover: none) and (width > 4rem) { i { top: 0; } }":       "@media (hover:none) and (width > 4rem){i{top:0}}",
		"i { grid-template: \"a b\" auto \"c d\" 1fr / 9rem; }":           "i{grid-template:\"a b\" auto \"c d\" 1fr / 9rem}",
		"a { top: 0; } /* ; */ b { top: 0; /* } */ }":                     "a{top:0}b{top:0}",
		"b { color: red !important; }":                                    "b{color:red !important}",
	} {
		if got := string(static.Dense([]byte(source))); got != want {
			t.Errorf("%q: %q, want %q", source, got, want)
		}
	}
}
