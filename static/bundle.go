package static

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// bundles lists the files that consist of several others, in the order of their content,
// because each request costs bytes and time. A page that needs one of them needs them all.
// Other scripts import a module from the first bundle that has it.
var bundles = []struct {
	name  string
	parts []string
}{
	{"app.js", []string{"dom.js", "unplayable.js", "app.js", "connection.js", "star.js"}},
	{"gallery.js", []string{"bands.js", "card.js", "gallery.js"}},
	{"viewer.js", []string{"player.js", "viewer.js"}},
	{"room-note.js", []string{"dom.js", "note.js"}}, // without app.js, as well
	{"story.js", []string{"sequence.js", "story.js"}},
	{"shared.js", []string{"dom.js", "unplayable.js", "room.js", "state.js", "player.js"}}, // without app.js, whose shortcuts lead to pages for members
	{"shared-story.js", []string{"dom.js", "unplayable.js", "sequence.js", "shared-story.js", "room.js", "state.js", "player.js"}},
	{"player.css", []string{"film.css", "player.css"}},
	{"story.css", []string{"film.css", "player.css", "story.css"}},
	{"room.css", []string{"film.css", "player.css", "room.css", "note.css"}},
	{"viewer.css", []string{"transit.css", "film.css", "player.css", "viewer.css"}},
	{"wall.css", []string{"transit.css", "wall.css"}},
}

var (
	importLine = regexp.MustCompile(`(?m)^import \{ ?(.*?) ?\} from "\./(\w+\.js)";\n`)
	imported   = regexp.MustCompile(`"\./(\w+\.js)"`)
)

// bundleOf returns the name of the file from which others import the script.
func bundleOf(script string) string {
	for _, b := range bundles {
		if slices.Contains(b.parts, script) {
			return b.name
		}
	}
	return script
}

// partsOf returns the names of the files of which the file consists.
func partsOf(name string) []string {
	for _, b := range bundles {
		if b.name == name {
			return b.parts
		}
	}
	return []string{name}
}

// bundled returns the parts as one file. Of scripts, those that export something stand at
// the top level of one module, and the others in blocks, so that they may use the same
// names.
func bundled(parts []string, read func(name string) string) string {
	var order []string             // the other modules
	names := map[string][]string{} // that are imported from each of them
	var body strings.Builder
	for _, part := range parts {
		text := read(part)
		if path.Ext(part) != ".js" {
			body.WriteString(text)
			continue
		}
		for _, line := range importLine.FindAllStringSubmatch(text, -1) {
			if slices.Contains(parts, line[2]) {
				continue
			}
			if names[line[2]] == nil {
				order = append(order, line[2])
			}
			names[line[2]] = append(names[line[2]], strings.Split(line[1], ", ")...)
		}
		text = importLine.ReplaceAllString(text, "")
		if strings.Contains(text, "\nexport ") || strings.HasPrefix(text, "export ") {
			body.WriteString(text)
		} else {
			body.WriteString("{\n" + text + "}\n")
		}
	}
	var head strings.Builder
	for _, from := range order {
		slices.Sort(names[from])
		fmt.Fprintf(&head, "import { %s } from \"./%s\";\n", strings.Join(slices.Compact(names[from]), ", "), from)
	}
	return head.String() + body.String()
}
