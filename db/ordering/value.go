package ordering

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"dailies/db/naming"
	"dailies/db/secrets"
)

// A column is what the cells of a column of a pasted table mean.
type column string

// The columns of options have the names of these.
const (
	unnamed    column = ""
	asPrompt   column = "prompt"
	asLength   column = "duration"
	asShape    column = "aspect_ratio"
	asSize     column = "resolution"
	asNumber   column = "number" // of a shot; it is not sent
	asNothing  column = "nothing"
	notOffered column = "not offered" // an option of videos that no table sets
)

// names has the names of columns, as they are written by nameKey.
var names = map[column][]string{
	asPrompt: {"prompt", "prompts", "description", "what happens", "video prompt", "text prompt"},
	asLength: {"length", "duration", "seconds", "secs", "sec", "s", "video length", "clip length", "duration seconds", "length seconds"},
	asShape:  {"shape", "ratio", "aspect", "aspect ratio", "format", "video format"},
	asSize:   {"resolution", "res"},
	asNumber: {"#", "no", "nr", "number", "shot", "shot no", "shot number", "row", "id"},
	notOffered: {"model", "sound", "audio", "generate audio", "camera", "camera fixed", "seed", "provider", "count", "takes", "picture",
		"pictures", "image", "images", "image input", "image url", "end image url", "first frame", "last frame",
		"start frame", "end frame"},
}

// kinds is names the other way round.
var kinds = func() map[string]column {
	kinds := map[string]column{}
	for kind, list := range names {
		for _, name := range list {
			kinds[name] = kind
		}
	}
	return kinds
}()

// brackets are what may stand after a column's name, such as "(s)".
var brackets = regexp.MustCompile(`\s*[(\[][^()\[\]]*[)\]]\s*$`)

// nameKey returns the key under which the names of columns are compared.
func nameKey(name string) string {
	name = strings.NewReplacer("_", " ", "-", " ", ".", " ", ":", " ", "{{", "", "}}", "").Replace(norm.NFKC.String(name))
	return naming.Key(brackets.ReplaceAllString(name, ""))
}

// named returns what a column of the name is for.
func named(name string) column { return kinds[nameKey(name)] }

// plain returns a cell as values are written: full-width digits are digits, and there is no
// space around it.
func plain(text string) string {
	if len(text) > 40 {
		return ""
	}
	return strings.ToLower(strings.TrimSpace(norm.NFKC.String(text)))
}

var (
	lengths = regexp.MustCompile(`^(\d{1,4})(?:[.,]0+)?\s*(s|sec|secs|second|seconds|″|"|''|秒|秒間|초)?\.?$`)
	sizes   = regexp.MustCompile(`^(\d{3,4})\s*p$|^(\d)\s*k$`)
	shapes  = regexp.MustCompile(`^(\d{1,2})\s*([:∶x×/])\s*(\d{1,2})(?::00)?$`)
)

// commonShapes are aspect ratios that films and pictures have. A pair of numbers that is none
// of them is no shape, but perhaps a time.
var commonShapes = []string{"16:9", "9:16", "1:1", "4:3", "3:4", "21:9", "9:21", "3:2", "2:3", "5:4", "4:5", "2:1",
	"1:2", "16:10", "10:16", "32:9", "9:32", "18:9", "9:18"}

// lengthOf returns the number of seconds in a cell, and whether their unit stands there.
func lengthOf(text string) (seconds string, unit, ok bool) {
	parts := lengths.FindStringSubmatch(plain(text))
	if parts == nil {
		return "", false, false
	}
	n, _ := strconv.Atoi(parts[1]) // cannot fail: four digits at most
	return strconv.Itoa(n), parts[2] != "", n > 0
}

// shapeOf returns the aspect ratio in a cell. Spreadsheets turn 16:9 into a time of day, such
// as 16:09 or 16:09:00.
func shapeOf(text string) (shape string, ok bool) {
	parts := shapes.FindStringSubmatch(plain(text))
	if parts == nil {
		return "", false
	}
	w, _ := strconv.Atoi(parts[1]) // cannot fail: two digits at most
	h, _ := strconv.Atoi(parts[3])
	shape = strconv.Itoa(w) + ":" + strconv.Itoa(h)
	return shape, slices.Contains(commonShapes, shape)
}

// sizeOf returns the resolution in a cell, as models call it.
func sizeOf(text string) (size string, ok bool) {
	parts := sizes.FindStringSubmatch(plain(text))
	switch {
	case parts == nil:
		return "", false
	case parts[1] != "":
		return parts[1] + "p", true
	}
	return parts[2] + "k", true
}

// kindOf returns the column to which a cell belongs by its value alone.
func kindOf(text string) column {
	if _, unit, ok := lengthOf(text); ok && unit {
		return asLength
	}
	if _, ok := shapeOf(text); ok && strings.ContainsAny(plain(text), ":∶") { // 3/4 may be a date
		return asShape
	}
	if _, ok := sizeOf(text); ok {
		return asSize
	}
	return unnamed
}

// valueOf returns the cell's value as a form sends it, if it is one of the column.
func (c column) valueOf(text string) (value string, ok bool) {
	switch c {
	case asLength:
		value, _, ok = lengthOf(text)
	case asShape:
		if value, ok = shapeOf(text); !ok && plain(text) == "auto" {
			return "Auto", true
		}
	case asSize:
		if value, ok = sizeOf(text); !ok {
			n, err := strconv.Atoi(plain(text)) // as in 720
			return strconv.Itoa(n) + "p", err == nil && n >= 100 && n < 10_000
		}
	}
	return value, ok
}

// OptionValue returns a cell's value as a form sends the option, if it is one. The option is
// the length, the shape or the resolution.
func OptionValue(name, text string) (value string, ok bool) { return column(name).valueOf(text) }

// together stands between the cells of a row that are about the same option.
const together = ", "

// JoinCells returns the text of one cell for those of a row that are about the same option,
// and of which only one can be right.
func JoinCells(cells ...string) string {
	return strings.Join(slices.DeleteFunc(cells, func(c string) bool { return c == "" }), together)
}

// Misread returns the fault of a cell that is no value of the option, or has several of
// JoinCells.
func Misread(name, text string) Fault {
	cells := strings.Split(text, together)
	for _, c := range cells {
		if _, ok := OptionValue(name, c); !ok {
			return Fault{Kind: notOf[column(name)], Cell: text}
		}
	}
	return Fault{Kind: Twice, Cell: cells[len(cells)-1], Option: name, Other: cells[0]}
}

// isOption reports whether the cells are values of an option.
func (c column) isOption() bool { return c == asLength || c == asShape || c == asSize }

// A Typed is a form that was sent after the person's session had ended. It is kept
// until the same browser has signed in again.
type Typed struct {
	UserID int64      `json:"user"` // who was signed in on the page; 0 if that is not known
	Page   string     `json:"page"` // the address of the page with the form
	Values url.Values `json:"values"`
	At     time.Time  `json:"at"`
}

// A Typist is a browser without a session that has sent a form.
type Typist struct {
	Browser secrets.TokenHash // of a token in the browser's cookie
	Owner   secrets.TokenHash // whose limit the form counts for: the browser's, or a stranger's network address
	Known   bool              // the browser has signed in before
}

// Limits of stored forms, because anybody may send a form without a session. Sizes are
// in bytes, as JSON, and include typedRow. Forms of strangers and of browsers that have
// signed in before are limited apart, so that neither pushes out the other.
const (
	TypedLife       = 2 * time.Hour
	MaxTyped        = 256 << 10 // one form
	MaxTypedOfOne   = 1 << 20   // all forms of one Owner
	MaxTypedKnown   = 64 << 20  // all forms of browsers that have signed in before
	MaxTypedUnknown = 8 << 20   // all forms of strangers

	typedRow = 1 << 10 // for each form, so that there are not many small ones
)

// Size returns what the form counts towards the limits.
func (t Typed) Size() int {
	text, err := json.Marshal(t)
	if err != nil {
		return MaxTyped + 1
	}
	return len(text) + typedRow
}

// Fits reports whether the form is small enough to be kept.
func (t Typed) Fits() bool { return t.Size() <= MaxTyped }

// MaxTypedOf returns the limit of all forms of browsers that have signed in before, or
// of strangers.
func MaxTypedOf(known bool) int {
	if known {
		return MaxTypedKnown
	}
	return MaxTypedUnknown
}

// TypedToken returns the hash under which the browser with the token keeps what was
// typed on the page.
func TypedToken(browser, page string) secrets.TokenHash {
	return secrets.HashToken(browser + " " + page)
}

// For reports whether the form may be shown to the person at the time.
func (t Typed) For(userID int64, now time.Time) bool {
	return (t.UserID == 0 || t.UserID == userID) && now.Before(t.At.Add(TypedLife))
}
