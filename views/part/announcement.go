package part

import "strings"

// A span is a piece of a line: plain words, or an address that is a link.
type span struct {
	Text string
	Link bool
}

// spans cuts a line into words and the addresses in it. Only those of the web become
// links; what closes a sentence behind one does not belong to it.
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
