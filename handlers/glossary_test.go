package handlers_test

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// shunned are words that no page, mail or error says, with what it says instead. One word
// stands for one thing.
var shunned = []struct{ words, instead string }{
	{`please`, "a plain request: “Choose one.”"},
	{`somebody|someone|whoever`, "a name, “an admin”, or “you”"},
	{`(?:can|did|do|does|is|are|was|were|has|have|had|will|would|could|should|need)(?: not|not)`, "a contraction, such as “isn’t”"},
	{`(?:it|there) is \pL+|you (?:are|will)`, "a contraction, such as “it’s”"},
	{`\pL+'\pL+`, "the apostrophe ’"},
	{`e-mails?`, "email"},
	{`log(?:ged|s)? (?:in|out)|log-?in|sign-on|sign on|SSO`, "sign in, sign-in"},
	{`one-time codes?|2FA|two-factor`, "company sign-in; second step"},
	{`API keys?|standard keys?`, "team key, own key"},
	{`presets?|templates?`, "recipe"},
	{`images?|photos?`, "picture"},
	{`still images?|stills|posters?`, "frame; thumbnail"},
	{`(?:start|end|first) (?:frames?|pictures?)`, "start, end"},
	{`clips?`, "video; scene"},
	{`aspect ratios?|durations?`, "shape; length"},
	{`generat(?:e|es|ed|ing)|remix(?:ed)?`, "make"},
	{`in bulk|one press|(?:made|ordered) together`, "batch, takes"},
	{`refund(?:s|ed)?|returned|given back`, "came back"},
	{`ceilings?|quotas?|budgets?`, "limit"},
	{`trash|deleted items|gone for good`, "bin; delete for good"},
	{`favou?rites?|albums?|bookmarks?`, "star; collection"},
	{`comments?|remarks?`, "note"},
	{`visitors?|strangers?`, "guest"},
	{`notices?|banners?`, "notification; announcement"},
	{`sandbox|demo`, "practice mode"},
	{`Members page|Members →|integrations?`, "Team"},
	{`providers?`, "video service; company sign-in"},
	{`joined videos?|sequences?`, "film; storyline"},
	{`unconfirmed|pending|processing`, "one of the six states"},
}

// shunnedWords has a group for each of them.
var shunnedWords = func() *regexp.Regexp {
	var all []string
	for _, s := range shunned {
		all = append(all, "("+s.words+")")
	}
	return regexp.MustCompile(`(?i)(?:^|[^\pL\pN-])(?:` + strings.Join(all, "|") + `)(?:$|[^\pL\pN-])`)
}()

// keep are the folders whose sentences keep to the glossary.
var keep = []string{
	"../db/format", "../db/option", "../db/signin", "../static", "../views", "../web", "account", "cast", "create", "form", "gallery", "money",
	"picture", "press", "program", "recipe", "routes.go", "share", "signin", "site", "story", "team", "video", "wall", "watch",
}

// excepted are texts that have such a word all the same.
var excepted = map[string]string{
	"Provider": "the name of the service's field",
	"Provider: %d plain letters and digits at most. Press Make to go on without it.":      "the name of the service's field",
	"Too close to somebody’s work. Leave out titles and brands.":                          "it can be anybody's",
	"Add a key to make videos. You’ll find it in the service’s settings, under API keys.": "what the service calls it",
	"Google, Microsoft, Okta or any OpenID Connect provider. Not set up.":                 "what OpenID Connect calls it",
	"Give this address to the provider: X":                                                "what OpenID Connect calls it",
	"Some providers tell groups only if asked, such as with the word groups":              "what OpenID Connect calls it",
}

func TestSentencesKeepToTheGlossary(t *testing.T) {
	met := map[string]bool{}
	for _, root := range keep {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && slices.Contains([]string{"metrics", "testdata", "videoapi", "vendor"}, d.Name()) {
				return fs.SkipDir
			}
			if strings.HasSuffix(path, "_test.go") || !strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, ".js") {
				return nil
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, sentence := range sentencesOf(t, path, string(text)) {
				met[sentence] = true
				if word, instead := shunnedIn(sentence); word != "" && excepted[sentence] == "" {
					t.Errorf("%s: %q, not %q: %s", path, instead, word, sentence)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for sentence := range excepted {
		if !met[sentence] {
			t.Errorf("no page says any more: %s", sentence)
		}
	}
}

func TestShunnedWordsAreFound(t *testing.T) {
	for text, want := range map[string]bool{
		`"Please choose one."`:   true,
		`"Choose one."`:          false,
		`"It isn’t answering."`:  false,
		`"It is not answering."`: true,
		`"It cannot be played"`:  true,
		`"It is how it is."`:     true,
		`"As it is."`:            false,
		`"The team's key"`:       true,
		`"Your image"`:           true,
		`"Log in"`:               true,
		`"Your e-mail"`:          true,
		`"Images"`:               true,
		`"/images/of/somebody"`:  false, // a path
		`"page clip"`:            false, // classes
		`"somebody signed in"`:   false, // for the log
		`errors.New("Somebody")`: false,
		`say.Sentence("<b>Images</b> of {name}", say.Bold("b"))`:    true,
		`say.Sentence("Pictures of {image}", say.Text("image", i))`: false,
		`templruntime.WriteString(b, 1, "<p>Please</p>")`:           true,
		`templruntime.WriteString(b, 1, "<p class=clip>")`:          false,
		`templruntime.WriteString(b, 1, "<p title=Image>")`:         true,
	} {
		found := ""
		for _, sentence := range sentencesOf(t, "example.go", "package example\n\nvar _ = "+text+"\n") {
			word, _ := shunnedIn(sentence)
			found += word
		}
		if (found != "") != want {
			t.Errorf("%s: %q", text, found)
		}
	}
	if found := scriptSentences("tell(\"Please wait\"); // \"Please\"\nfind(\"image\");"); len(found) != 1 || found[0] != "Please wait" {
		t.Errorf("in a script: %q", found)
	}
}

// shunnedIn returns the first shunned word of a sentence, and what stands for it.
func shunnedIn(sentence string) (word, instead string) {
	m := shunnedWords.FindStringSubmatch(sentence)
	for i, s := range shunned {
		if m != nil && m[i+1] != "" {
			return m[i+1], s.instead
		}
	}
	return "", ""
}

// sentencesOf returns what people read of a Go file or a script: its texts, and the text of
// the HTML that it writes.
func sentencesOf(t *testing.T, path, text string) []string {
	if strings.HasSuffix(path, ".js") {
		return scriptSentences(text)
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	var page strings.Builder
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if called := name(n.Fun); called == "templruntime.WriteString" {
				written, _ := literal(n.Args[2])
				page.WriteString(written)
				return false
			} else if called == "say.Sentence" {
				forms, _ := formsOf(n.Args[0])
				for _, form := range forms {
					found = append(found, placeNames.ReplaceAllString(markup.ReplaceAllString(form, ""), "X"))
				}
			}
			return !callsNobodyReads(n)
		case *ast.ImportSpec, *ast.Field:
			return false
		case *ast.BasicLit:
			if text, ok := literal(n); ok && isRead(path, text) {
				found = append(found, text)
			}
		}
		return true
	})
	return append(found, htmlSentences(page.String())...)
}

// isRead reports whether a text of a program is for people. Texts for the log begin with a
// small letter. On pages, parts of lines do, too; names of classes have no other signs.
func isRead(path, text string) bool {
	return !code.MatchString(text) && (begins.MatchString(text) || strings.HasPrefix(path, "../views") && spaced.MatchString(text) && !classes.MatchString(text))
}

var (
	markup     = regexp.MustCompile(`</?\w+>`)
	placeNames = regexp.MustCompile(`\{\w+\}`)
	begins     = regexp.MustCompile(`^[“‘]?(?:\p{Lu}|[\d,]+ \pL|%\S* \pL)`)
	spaced     = regexp.MustCompile(`\pL.* |.* \pL`)
	classes    = regexp.MustCompile(`^[a-z]+(?: [a-z]+)*$`)
)

// htmlSentences returns what people read, and what screen readers say, of HTML.
func htmlSentences(page string) []string {
	var found []string
	z := html.NewTokenizer(strings.NewReader(strings.ReplaceAll(page, "<noscript>", ""))) // whose content would be one text
	for {
		switch z.Next() {
		case html.ErrorToken:
			return found
		case html.TextToken:
			found = append(found, strings.Join(strings.Fields(string(z.Text())), " "))
		case html.StartTagToken, html.SelfClosingTagToken:
			for _, a := range z.Token().Attr {
				if slices.Contains([]string{"aria-label", "title", "placeholder", "alt", "data-busy", "data-said"}, a.Key) {
					found = append(found, a.Val)
				}
			}
		}
	}
}

var scriptTexts = regexp.MustCompile(`"((?:[^"\\\n]|\\.)*)"` + "|`([^`]*)`")

// scriptSentences returns what people read of a script.
func scriptSentences(text string) []string {
	var found []string
	for line := range strings.Lines(text) {
		code, _, _ := strings.Cut(line, "// ")
		for _, m := range scriptTexts.FindAllStringSubmatch(code, -1) {
			if text := cmp.Or(m[1], m[2]); begins.MatchString(text) {
				found = append(found, text)
			}
		}
	}
	return found
}
