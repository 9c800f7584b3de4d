// Package mail composes the mails that the app sends, as plain text and as HTML. All
// sentences are in words.go.
package mail

import (
	"context"
	"strings"
)

// A Letter is the content of a mail, independent of its format.
type Letter struct {
	Subject string
	Lines   []string // paragraphs
	Link    string   // the button's URL; empty if there is no button
	Button  string
	Note    string // the small print at the end
	Stop    string // the URL of the page that stops such mails; empty if Settings has the choice
}

// Text returns the letter as plain text.
func (l Letter) Text() string {
	parts := append([]string{}, l.Lines...)
	if l.Link != "" {
		parts = append(parts, l.Button+":\n"+l.Link)
	}
	if l.Note != "" {
		parts = append(parts, "--\n"+l.Note)
	}
	if l.Stop != "" {
		parts = append(parts, stop+":\n"+l.Stop)
	}
	return strings.Join(parts, "\n\n") + "\n"
}

// HTML returns the letter as HTML.
func (l Letter) HTML() (string, error) {
	var b strings.Builder
	err := letter(l).Render(context.Background(), &b)
	return b.String(), err
}
