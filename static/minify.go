package static

import (
	"bytes"
	"path"
	"strings"
)

// minify returns a script or style sheet without what browsers do not need: comments,
// indentation and, in style sheets, other white space. Files of other types and vendored
// files are returned unchanged.
func minify(name string, content []byte) []byte {
	switch kind := path.Ext(name); {
	case strings.Contains(name, "/"):
		return content
	case kind == ".js":
		return trimmed(content, true)
	case kind == ".css":
		return dense(trimmed(content, false))
	}
	return content
}

// trimmed returns the lines without white space around them, except those that are empty
// or contain only a comment and, in scripts, without comments behind code.
func trimmed(content []byte, script bool) []byte {
	var kept []byte
	inside := false // whether the line is within a multi-line comment
	for line := range bytes.Lines(content) {
		text := bytes.TrimSpace(line)
		if inside || bytes.HasPrefix(text, []byte("/*")) {
			end := bytes.Index(text, []byte("*/"))
			inside = end < 0
			if inside {
				continue
			}
			text = bytes.TrimSpace(text[end+2:])
		}
		if script {
			text = withoutComment(text)
		}
		if len(text) > 0 {
			kept = append(append(kept, text...), '\n')
		}
	}
	return kept
}

// withoutComment returns the line of a script without the comment at its end. It leaves
// the comment if an odd number of quotes comes before, because the comment's beginning
// may then be part of a text.
func withoutComment(line []byte) []byte {
	if bytes.HasPrefix(line, []byte("//")) {
		return nil
	}
	code, _, found := bytes.Cut(line, []byte(" // "))
	for _, quote := range []string{`"`, "'", "`"} {
		if bytes.Count(code, []byte(quote))%2 != 0 {
			return line
		}
	}
	if !found {
		return line
	}
	return bytes.TrimSpace(code)
}

// dense returns a style sheet without comments, without white space beside braces, commas
// and semicolons and after colons, and without the last semicolon of a rule. Before a
// colon, white space has a meaning: "a :hover" is not "a:hover". What is quoted does not
// change.
func dense(content []byte) []byte {
	const closing, opening = "{};,", "{};,:"
	kept := make([]byte, 0, len(content))
	var quote byte
	spaced, end := false, 0 // end is that of the last comment
	for i, c := range content {
		switch {
		case quote != 0:
			if c == quote && content[i-1] != '\\' {
				quote = 0
			}
		case i < end || bytes.HasPrefix(content[i:], []byte("/*")):
			if i >= end {
				end = i + bytes.Index(content[i:], []byte("*/")) + 2
			}
			continue
		case c == ' ' || c == '\n' || c == '\t':
			spaced = true
			continue
		case c == '"' || c == '\'':
			quote = c
		}
		last := byte('}')
		if len(kept) > 0 {
			last = kept[len(kept)-1]
		}
		if spaced && strings.IndexByte(closing, c) < 0 && strings.IndexByte(opening, last) < 0 {
			kept = append(kept, ' ')
		} else if c == '}' && last == ';' && quote == 0 {
			kept = kept[:len(kept)-1]
		}
		spaced = false
		kept = append(kept, c)
	}
	return kept
}
