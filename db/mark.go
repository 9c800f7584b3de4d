package db

import "strings"

// Marks lists the marks of its origin that a video carries, separated by spaces: NoMarks,
// or LabelMark, CredentialsMark or both. It is empty if the file has not been read for
// them. Nobody has checked that they are valid.
type Marks string

// The marks.
const (
	NoMarks         Marks = "none"
	LabelMark       Marks = "label"       // it says that it was made by AI
	CredentialsMark Marks = "credentials" // it has Content Credentials
)

// MarksOf returns the marks of a file that has been read.
func MarksOf(label, credentials bool) Marks {
	switch {
	case label && credentials:
		return LabelMark + " " + CredentialsMark
	case label:
		return LabelMark
	case credentials:
		return CredentialsMark
	}
	return NoMarks
}

// Has reports whether the mark is among the marks.
func (m Marks) Has(mark Marks) bool { return strings.Contains(" "+string(m)+" ", " "+string(mark)+" ") }
