// Package mail holds the words of the mails that the app sends, and writes them as
// plain text and as HTML. All sentences of mails stand in words.go.
package mail

import (
	"context"
	"strings"
)

// A Letter is a mail before it is written.
type Letter struct {
	Subject string
	Lines   []string // paragraphs
	Link    string   // where the button leads; empty without one
	Button  string
	Note    string // the small print at the end
}

// Text returns the letter in plain text.
func (l Letter) Text() string {
	parts := append([]string{}, l.Lines...)
	if l.Link != "" {
		parts = append(parts, l.Button+":\n"+l.Link)
	}
	if l.Note != "" {
		parts = append(parts, "--\n"+l.Note)
	}
	return strings.Join(parts, "\n\n") + "\n"
}

// HTML returns the letter in HTML.
func (l Letter) HTML() (string, error) {
	var b strings.Builder
	err := letter(l).Render(context.Background(), &b)
	return b.String(), err
}
