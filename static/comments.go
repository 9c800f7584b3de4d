package static

import (
	"bytes"
	"path"
	"strings"
)

// withoutComments returns a script or style sheet without the lines that contain only a
// comment. Comments that share a line with code remain. Files of other types and vendored
// files are returned unchanged.
func withoutComments(name string, content []byte) []byte {
	kind := path.Ext(name)
	if strings.Contains(name, "/") || kind != ".js" && kind != ".css" {
		return content
	}
	var kept []byte
	inside := false // whether the line is within a multi-line comment
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
