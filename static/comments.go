package static

import (
	"bytes"
	"path"
	"strings"
)

// withoutComments returns the script or style sheet without the lines that hold nothing
// but a comment, which are for readers of the source. Other files, and the vendored
// ones, stay as they are. A comment that shares its line with code stays, too.
func withoutComments(name string, content []byte) []byte {
	kind := path.Ext(name)
	if strings.Contains(name, "/") || kind != ".js" && kind != ".css" {
		return content
	}
	var kept []byte
	inside := false // a comment that goes on for several lines
	for line := range bytes.Lines(content) {
		text := bytes.TrimSpace(line)
		switch {
		case inside || bytes.HasPrefix(text, []byte("/*")):
			end := bytes.Index(text, []byte("*/"))
			if end >= 0 && end+2 < len(text) { // code follows
				kept = append(kept, text[end+2:]...)
				kept = append(kept, '\n')
			}
			inside = end < 0
		case kind == ".js" && bytes.HasPrefix(text, []byte("//")):
		default:
			kept = append(kept, line...)
		}
	}
	return kept
}
