package part

import "strings"

// A span is a part of a line: plain text or a link.
type span struct {
	Text string
	Link bool
}

// spans splits a line into plain text and links. Only http and https addresses become
// links; punctuation that follows one is not part of it.
func spans(line string) (all []span) {
	plain := func(text string) {
		if text == "" {
			return
		}
		if n := len(all); n > 0 && !all[n-1].Link {
			all[n-1].Text += text
			return
		}
		all = append(all, span{Text: text})
	}
	for i, word := range strings.Split(line, " ") {
		if i > 0 {
			plain(" ")
		}
		at := strings.Index(word, "https://")
		if at < 0 {
			at = strings.Index(word, "http://")
		}
		if at < 0 {
			plain(word)
			continue
		}
		address := strings.TrimRight(word[at:], ".,;:!?)]}\"'”’»")
		if !WebAddress(address) {
			plain(word)
			continue
		}
		plain(word[:at])
		all = append(all, span{Text: address, Link: true})
		plain(word[at+len(address):])
	}
	return all
}
