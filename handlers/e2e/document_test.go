package e2e

import (
	"bytes"
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// A document is a Markdown file of the repository.
type document struct {
	name  string // its path in the repository
	prose string // without code in blocks
	lines []string
	code  []block
}

// A block is code that stands apart from the text.
type block struct {
	line     int    // of its first line, from 1
	language string // after ```; empty if the block is indented
	lines    []string
}

// documents are for users, operators, developers and those who find a vulnerability, and
// the last for programmers who use the sandbox alone.
var documents = []string{"README.md", ".github/OPERATING.md", ".github/CONTRIBUTING.md", ".github/SECURITY.md", "web/videoapi/sandbox/README.md"}

// inRepository returns the path of a file of the repository.
func inRepository(name string) string { return filepath.Join("..", "..", filepath.FromSlash(name)) }

func readDocument(t *testing.T, name string) document {
	t.Helper()
	text, err := os.ReadFile(inRepository(name))
	if err != nil {
		t.Fatal(err)
	}
	d := document{name: name, lines: strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")}
	var prose []string
	var open *block // a block between two ```
	indented := false
	for i, line := range d.lines {
		switch language, fence := strings.CutPrefix(line, "```"); {
		case fence && open == nil:
			open = &block{line: i + 2, language: language}
		case fence:
			d.code = append(d.code, *open)
			open = nil
		case open != nil:
			open.lines = append(open.lines, line)
		case strings.HasPrefix(line, "    "):
			if !indented {
				d.code = append(d.code, block{line: i + 1})
			}
			last := &d.code[len(d.code)-1]
			last.lines = append(last.lines, strings.TrimSpace(line))
			indented = true
			continue
		default:
			prose = append(prose, line)
		}
		indented = false
	}
	if open != nil {
		t.Errorf("%s: the block in line %d has no end", name, open.line)
	}
	d.prose = strings.Join(prose, "\n")
	return d
}

var (
	linkForm   = regexp.MustCompile(`\]\(([^()\s]+)\)|<(?:img|a)[^>]* (?:src|href)="([^"]+)"`)
	markupForm = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)|[*` + "`" + `]`)
	lineForm   = regexp.MustCompile(`^L([0-9]+)(?:-L([0-9]+))?$`)
	spanForm   = regexp.MustCompile("`([^`]+)`")
)

// anchors returns what follows # in links to the headings, as GitHub makes it.
func (d document) anchors() map[string]bool {
	found := map[string]bool{}
	for _, heading := range d.headings("#") {
		anchor := anchorOf(heading)
		for n, first := 1, anchor; found[anchor]; n++ {
			anchor = first + "-" + strconv.Itoa(n)
		}
		found[anchor] = true
	}
	return found
}

// headings returns the texts of headings whose marks begin with the given ones.
func (d document) headings(marks string) (texts []string) {
	for line := range strings.SplitSeq(d.prose, "\n") {
		if begin, text, _ := strings.Cut(line, " "); strings.HasPrefix(begin, marks) && strings.Trim(begin, "#") == "" {
			texts = append(texts, text)
		}
	}
	return texts
}

func anchorOf(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(markupForm.ReplaceAllString(heading, "$1")))
}

func TestAnchorsAreThoseOfGitHub(t *testing.T) {
	for heading, want := range map[string]string{
		"Single sign-on": "single-sign-on", "A model's `option`": "a-models-option", "[Usage](#x), _mail_ & more": "usage-_mail_--more", "Größe 2": "größe-2",
	} {
		if got := anchorOf(heading); got != want {
			t.Errorf("%q: got %q, want %q", heading, got, want)
		}
	}
	twice := document{prose: "# A\n## B\ntext\n## B\n#no heading\n"}
	if found := twice.anchors(); len(found) != 3 || !found["b-1"] {
		t.Errorf("got %v", found)
	}
}

// Tests have no network, so they check only the form of web addresses.
func TestLinksOfDocumentsLeadSomewhere(t *testing.T) {
	t.Parallel()
	for _, name := range documents {
		d, links := readDocument(t, name), 0
		for _, found := range linkForm.FindAllStringSubmatch(d.prose, -1) {
			links++
			if problem := d.follow(t, found[1]+found[2]); problem != "" {
				t.Errorf("%s: %s: %s", name, found[1]+found[2], problem)
			}
		}
		if links == 0 && name != documents[4] {
			t.Errorf("%s has no links", name)
		}
	}
}

// follow returns what is wrong with a link in the document, or "".
func (d document) follow(t *testing.T, link string) string {
	address, err := url.Parse(link)
	if err != nil {
		return err.Error()
	}
	if address.Scheme != "" || address.Host != "" {
		if address.Scheme != "https" || !strings.Contains(address.Host, ".") || address.User != nil {
			return "is no address such as https://example.com"
		}
		return ""
	}
	target := d
	if address.Path != "" {
		name := path.Join(path.Dir(d.name), address.Path)
		if strings.HasPrefix(name, "../") || path.IsAbs(address.Path) {
			return "leads out of the repository"
		}
		info, err := os.Stat(inRepository(name))
		if err != nil {
			return "there is no such file"
		}
		if address.Fragment == "" {
			return ""
		}
		if info.IsDir() {
			return "a folder has no headings"
		}
		target = readDocument(t, name)
	}
	if found := lineForm.FindStringSubmatch(address.Fragment); found != nil && !strings.HasSuffix(target.name, ".md") {
		for _, number := range found[1:] {
			if n, _ := strconv.Atoi(number); number != "" && (n < 1 || n > len(target.lines)) {
				return "there is no such line"
			}
		}
		return ""
	}
	if !strings.HasSuffix(target.name, ".md") || !target.anchors()[address.Fragment] {
		return "there is no such heading"
	}
	return ""
}

func TestALinkThatLeadsNowhereIsNoticed(t *testing.T) {
	d := readDocument(t, ".github/OPERATING.md")
	for _, link := range []string{
		"#nothing", "../README.md#nothing", "NOTHING.md", "../../README.md", "/README.md", "http://example.com", "https://nothing", "../main.go#L9999", "../main.go#main", "../db#db",
	} {
		if d.follow(t, link) == "" {
			t.Errorf("%s seems to lead somewhere", link)
		}
	}
	for _, link := range []string{"#backup", "../README.md#settings", "CONTRIBUTING.md", "https://go.dev/dl/", "../main.go#L1", "../main.go#L1-L9", "../db"} {
		if problem := d.follow(t, link); problem != "" {
			t.Errorf("%s: %s", link, problem)
		}
	}
}

func TestDocumentsBeginWithTheirContents(t *testing.T) {
	t.Parallel()
	for _, name := range documents[:4] {
		d := readDocument(t, name)
		contents, _, _ := strings.Cut(d.prose, "\n## ")
		for _, heading := range d.headings("##") {
			if slices.Contains(d.headings("###"), heading) {
				continue
			}
			if !strings.Contains(contents, "](#"+anchorOf(heading)+")") {
				t.Errorf("%s: the contents lack %q", name, heading)
			}
		}
	}
	if d := readDocument(t, "README.md"); len(d.lines) > 350 {
		t.Errorf("README.md has %d lines; the first quarter of an hour takes 350 at most", len(d.lines))
	}
}

// notThere are paths in the documents that are not in the repository, and why.
var notThere = map[string]string{
	"db/comment.go": "an example", "db/store/video/comment.go": "an example", "db/store/video/comment_test.go": "an example",
	"views/library/comment.templ": "an example", "handlers/video/comment.go": "an example",
	"db/store/sqlite/migrations/0NN_comments.sql": "an example",
}

// A file or folder that was renamed must not keep its old name in the documents.
func TestPathsInDocumentsExist(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^(?:db|web|views|static|handlers|\.github|\.release|\.ci)/[\w./-]*$`)
	seen := map[string]bool{}
	for _, name := range documents {
		d := readDocument(t, name)
		var paths []string
		for _, found := range spanForm.FindAllStringSubmatch(d.prose, -1) {
			paths = append(paths, found[1])
		}
		for _, b := range d.code {
			for _, line := range b.lines {
				if first, _, _ := strings.Cut(line, " "); b.language == "text" {
					paths = append(paths, first)
				}
			}
		}
		for _, p := range paths {
			if !form.MatchString(p) {
				continue
			}
			seen[p] = true
			if _, err := os.Stat(inRepository(p)); (err != nil) != (notThere[p] != "") {
				t.Errorf("%s names %s; is it there? %v", name, p, err == nil)
			}
		}
	}
	for p := range notThere {
		if !seen[p] {
			t.Errorf("no document names %s any more", p)
		}
	}
	if len(seen) < 40 {
		t.Errorf("only %d paths were found", len(seen))
	}
}

func TestJSONInDocumentsIsValid(t *testing.T) {
	t.Parallel()
	n := 0
	for _, name := range documents[:4] { // that of the sandbox leaves something out
		for _, b := range readDocument(t, name).code {
			if b.language == "json" {
				n++
				if !json.Valid([]byte(strings.Join(b.lines, "\n"))) {
					t.Errorf("%s: the JSON in line %d is not valid", name, b.line)
				}
			}
		}
	}
	if n == 0 {
		t.Error("there is none")
	}
}

// settingRow matches a line of the README's table of settings: flag, variable, default.
var settingRow = regexp.MustCompile("^\\| (?:`-([a-z0-9-]+)`)? ?\\| `(DAILIES_[A-Z0-9_]+)` \\| ([^|]*?) ?\\| [^|]+\\|$")

func TestTheTableOfSettingsIsThatOfTheProgram(t *testing.T) {
	t.Parallel()
	status, help := ask(t, "-h")
	if status != 0 {
		t.Fatal(help)
	}
	offered := map[string]string{} // the flag of each variable
	for _, found := range regexp.MustCompile(`(?m)^  -([a-z0-9-]+)`).FindAllStringSubmatch(help, -1) {
		offered["DAILIES_"+strings.ToUpper(strings.ReplaceAll(found[1], "-", "_"))] = found[1]
	}
	for _, setting := range settingsOf(t) {
		if _, ok := offered[setting.Variable]; !ok {
			offered[setting.Variable] = ""
		}
	}
	listed := map[string]bool{}
	for _, line := range readDocument(t, "README.md").lines {
		row := settingRow.FindStringSubmatch(line)
		if row == nil {
			continue
		}
		listed[row[2]] = true
		if flag, ok := offered[row[2]]; !ok || flag != row[1] {
			t.Errorf("README.md lists %s with the flag %q, the program has %q (%v)", row[2], row[1], flag, ok)
		}
		usual := regexp.MustCompile(`(?m)^  -` + row[1] + `\b.*\n.*\(default "?([^")]*)"?\)$`).FindStringSubmatch(help)
		if row[1] != "" && usual != nil && strings.Trim(row[3], "`") != strings.TrimSuffix(usual[1], "0m0s") {
			t.Errorf("README.md says that the default of -%s is %s, the program %s", row[1], row[3], usual[1])
		}
	}
	for variable := range offered {
		if !listed[variable] {
			t.Errorf("README.md does not list %s", variable)
		}
	}
	if len(listed) < 25 {
		t.Errorf("the table has %d settings", len(listed))
	}
}

// OPERATING.md lists exactly the secrets that can be read from files.
func TestSecretsInFilesAreThoseOfTheProgram(t *testing.T) {
	t.Parallel()
	var environ []string
	for _, setting := range settingsOf(t) {
		environ = append(environ, setting.Variable+"_FILE=/nothing")
	}
	_, notes := check(t, environ...)
	text := strings.Join(readDocument(t, ".github/OPERATING.md").lines, "\n")
	_, list, _ := strings.Cut(text, "`_FILE` appended:")
	list, _, _ = strings.Cut(list, "\n\n")
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		unknown := strings.Contains(strings.Join(notes, "\n"), name+" is not a setting")
		if listed := strings.Contains(list, "`"+name+"`"); listed == unknown {
			t.Errorf("%s: listed %v, known %v", name, listed, !unknown)
		}
	}
}

// A setting is one as "dailies config check" reports it.
type setting struct{ Name, Variable string }

func settingsOf(t *testing.T) []setting {
	t.Helper()
	settings, _ := check(t)
	return settings
}

// check runs "dailies config check" and returns the settings and the notes.
func check(t *testing.T, variables ...string) ([]setting, []string) {
	t.Helper()
	program, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), program, "config", "check", "-json", "-data", t.TempDir())
	command.Env = append(environ(), variables...)
	var out bytes.Buffer
	command.Stdout = &out
	_ = command.Run() // an unusable setting is reported, too
	var report struct {
		Settings []setting
		Notes    []string
	}
	if err := json.Unmarshal(out.Bytes(), &report); err != nil || len(report.Settings) == 0 {
		t.Fatalf("%v: %s", err, &out)
	}
	return report.Settings, report.Notes
}
