// Package address repairs addresses of files on the web, as browsers do, so that what people
// paste and what services answer leads to the file that is meant.
package address

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// MaxLength bounds an address, in bytes.
const MaxLength = 8192

// Repair returns the address with http or https that the text stands for, and reports
// whether there is one. It takes away what surrounds an address: blanks, quotation marks,
// angle brackets, the marks of a link in Markdown. It writes as browsers do what cannot
// stand in an address: blanks, letters of other scripts and a bare % are encoded, backslashes
// become slashes, &amp; becomes &, tabs and line breaks go, the scheme and the host are in
// lower case, and an address without a scheme that begins with two slashes gets https.
//
// The result is what is to be checked, stored and sent alike: a request for it sends exactly
// its path and its query, and it is its own repair.
func Repair(text string) (address string, ok bool) {
	if len(text) > 2*MaxLength {
		return "", false
	}
	text, ok = unwrap(text)
	if joined := strings.Map(dropBreaks, text); joined != text {
		text, ok = unwrap(joined) // a break may have been in the middle of an escape
	}
	if !ok {
		return "", false
	}
	scheme, rest, ok := cutScheme(strings.ToValidUTF8(text, "\uFFFD"))
	if !ok {
		return "", false
	}
	rest, fragment, hasFragment := strings.Cut(rest, "#")
	rest, query, hasQuery := strings.Cut(rest, "?")
	rest = strings.TrimLeft(strings.ReplaceAll(rest, `\`, "/"), "/")
	host, path, hasPath := strings.Cut(rest, "/")
	if host, ok = asciiHost(host); !ok {
		return "", false
	}
	address = scheme + "://" + host
	if hasPath {
		address += "/" + encode(path, inPath)
	}
	if hasQuery {
		address += "?" + encode(query, inQuery)
	}
	if hasFragment {
		address += "#" + encode(fragment, inFragment)
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || len(address) > MaxLength {
		return "", false
	}
	if whole, ok := unwrap(address); !ok || whole != address {
		return "", false // an end was taken away, and what stands there now is not part of an address
	}
	return address, true
}

// pasted matches where an address begins in a longer text.
var pasted = regexp.MustCompile(`(?i)https?:(\\?/){2}`)

// In returns the addresses that stand in a longer text, at most the given number. Each ends at
// the first blank, quotation mark or bracket that closes, and without the punctuation of the
// sentence.
func In(text string, most int) (found []string) {
	for len(found) < most {
		at := pasted.FindStringIndex(text)
		if at == nil {
			return found
		}
		text = text[at[0]:]
		end := strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'`<>)]}“”‘’«»", r) })
		if end < 0 {
			end = len(text)
		}
		if one, ok := Repair(strings.TrimRight(text[:end], `.,;:!?\`)); ok {
			found = append(found, one)
		}
		text = text[end:]
	}
	return found
}

// dropBreaks removes what browsers ignore anywhere in an address.
func dropBreaks(r rune) rune {
	if r == '\t' || r == '\n' || r == '\r' {
		return -1
	}
	return r
}

var (
	markdown = regexp.MustCompile(`^!?\[[^\]]*\]\(\s*(.*?)\s*\)$`)
	titled   = regexp.MustCompile(`^(\S+)\s+(".*"|'.*')$`) // the address of a link in Markdown, with a title

	// escapes are the ways in which JSON and HTML write characters of addresses. An & that is
	// written twice over is found by a second round.
	escapes = strings.NewReplacer(`\/`, "/",
		`\u0026`, "&", `\u003d`, "=", `\u003D`, "=", "&amp;", "&", "&AMP;", "&", "&#38;", "&", "&#x26;", "&", "&#X26;", "&")
)

// marks are what people and programs put around an address.
const marks = "\"'`“”„‘’«»‹›<>"

// unwrap takes away what surrounds an address. It reports whether all of that is gone: what is
// written five times over is no address.
func unwrap(text string) (string, bool) {
	for range 5 {
		before := text
		text = strings.TrimFunc(text, func(r rune) bool {
			return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\uFEFF' || r == '\u200B' || strings.ContainsRune(marks, r)
		})
		if m := markdown.FindStringSubmatch(text); m != nil {
			text = m[1]
			if t := titled.FindStringSubmatch(text); t != nil {
				text = t[1]
			}
		}
		text = escapes.Replace(text)
		if text == before {
			return text, true
		}
	}
	return "", false
}

// cutScheme returns the scheme in lower case, and what follows its colon.
func cutScheme(text string) (scheme, rest string, ok bool) {
	if strings.HasPrefix(strings.ReplaceAll(text[:min(2, len(text))], `\`, "/"), "//") {
		return "https", text, true
	}
	scheme, rest, ok = strings.Cut(text, ":")
	scheme = strings.ToLower(scheme)
	return scheme, rest, ok && (scheme == "http" || scheme == "https") && rest != "" && (rest[0] == '/' || rest[0] == '\\')
}

// hosts brings names of hosts into one form, as browsers do. Underscores are allowed: hosts
// of buckets and of compose files have them.
var hosts = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(false))

// asciiHost returns the host with its port, as it stands in an address, together with a user
// if there is one.
func asciiHost(host string) (string, bool) {
	user := ""
	if at := strings.LastIndex(host, "@"); at >= 0 {
		user, host = encode(host[:at], inUser)+"@", host[at+1:]
	}
	name, port := host, ""
	if colon := strings.LastIndex(host, ":"); colon >= 0 && !strings.HasSuffix(host, "]") {
		name, port = host[:colon], host[colon:]
		if port == ":" {
			port = ""
		}
	}
	if strings.HasPrefix(name, "[") && !strings.HasSuffix(name, "]") {
		return "", false
	}
	if !strings.HasPrefix(name, "[") {
		ascii, err := hosts.ToASCII(name)
		if err != nil {
			return "", false
		}
		again, err := hosts.ToASCII(ascii)
		if err != nil || again != ascii ||
			strings.ContainsFunc(ascii, func(r rune) bool { return r <= ' ' || strings.ContainsRune("\"<>\\^`{|}%#?/@[]:&;", r) }) {
			return "", false
		}
		name = ascii
	}
	return user + strings.ToLower(name) + port, name != ""
}

// What may stand in the parts of an address besides letters, digits and escapes.
const (
	inPath     = "-._~!$&'()*+,;=:@[]/"
	inQuery    = "-._~!$&()*+,;=:@[]/?|\\^`{}"
	inFragment = inQuery + "'"
	inUser     = "-._~!$&'()*+,;=:"
)

// encode percent-encodes what is neither a letter nor a digit nor allowed, and each % that
// begins no escape.
func encode(text, allowed string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '%' && i+2 < len(text) && isHex(text[i+1]) && isHex(text[i+2]),
			c < utf8.RuneSelf && (isAlphanumeric(c) || strings.IndexByte(allowed, c) >= 0):
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteByte(digits[c>>4])
			b.WriteByte(digits[c&15])
		}
	}
	return b.String()
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
