package format_test

import (
	"strings"
	"testing"

	"dailies/db/format"
)

func TestNoCellIsAFormula(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "a=b": "a=b", "=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@x": "'@x", "\t=1": "'\t'=1", "\r=1": "'\r'=1", "＝1": "'＝1", "＠x": "'＠x", "\xff": "\xff", "ü": "ü",
		// The reader chooses at what a spreadsheet splits the line.
		"x;=1+1": "x;'=1+1", "x; =1+1": "x; '=1+1", "x\t=1": "x\t'=1", "x|@y": "x|'@y", "x,=1": "x,'=1", "x;\"=1\"": "x;\"'=1\"",
		"a\n=1": "a\n'=1", "a\r\n-1": "a\r\n'-1", "a\n\n  +1": "a\n\n  '+1", "a\u2028=1": "a\u2028'=1", "x;;＝1": "x;;'＝1", " =1": " '=1", "\"=1": "\"'=1",
		"\xff;=1": "\xff;'=1", "'=1": "''=1",
		// Prose stays what it is.
		"Thanks, @bo": "Thanks, @bo", "a = b; c - d": "a = b; c - d", "1-2": "1-2", "a - b": "a - b", "mail@example.com": "mail@example.com",
	} {
		if got := format.Cell(text); got != want {
			t.Errorf("%q: got %q", text, got)
		}
	}
}

func FuzzCell(f *testing.F) {
	f.Add("x;=1+1\n\t@y")
	f.Fuzz(func(t *testing.T, text string) {
		cell := format.Cell(text)
		for _, line := range strings.FieldsFunc(cell, func(r rune) bool { return strings.ContainsRune(";\t|\r\n", r) }) {
			if line = strings.Trim(line, " \""); line != "" && strings.ContainsRune("=+-@", rune(line[0])) {
				t.Errorf("%q: %q has a formula", text, cell)
			}
		}
	})
}
