// Package cast defines the people, products, places and styles that a team's videos show
// again and again. Each has a handle, such as @anna, that stands for it in prompts.
package cast

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"dailies/db/naming"
)

// Limits of a cast member, and of the cast of a team.
const (
	MaxName     = 60  // characters
	MaxLook     = 200 // characters
	MaxPictures = 3
	MaxConsent  = 100 // characters of the name of whoever agreed
	MaxMembers  = 500 // of a team, without deleted ones
)

// Life is how long a deleted cast member can be restored.
const Life = 30 * 24 * time.Hour

// A Kind says what a cast member is.
type Kind string

// The kinds of cast members.
const (
	Person  Kind = "person"
	Product Kind = "product"
	Place   Kind = "place"
	Style   Kind = "style"
)

// Kinds returns all kinds, in the order in which pages show them.
func Kinds() []Kind { return []Kind{Person, Product, Place, Style} }

// Valid reports whether there is such a kind.
func (k Kind) Valid() bool { return slices.Contains(Kinds(), k) }

// A Member is a person, product, place or style that belongs to the team.
type Member struct {
	ID       int64
	Handle   string // without the @
	Name     string
	Kind     Kind
	Look     string   // added to the prompt
	Pictures []string // 1 to 3 addresses as in a task's pictures, the most important first
	Consent  Consent  // of a person

	Version     int64 // from 1; each change counts
	CreatedBy   int64
	MakerName   string // filled in when read, like ChangerName
	CreatedAt   time.Time
	ChangedBy   int64
	ChangerName string
	ChangedAt   time.Time
	DeletedAt   time.Time // zero unless it is deleted
	DeletedBy   int64
}

// Consent says who agreed to be shown in videos, and on which date. It is zero if nothing
// is noted.
type Consent struct {
	By        string
	On        time.Time // midnight UTC of the date
	NotedBy   int64     // the person of the team who recorded it
	NotedName string    // filled in when read
}

// Noted reports whether somebody's consent is recorded.
func (c Consent) Noted() bool { return c.By != "" && !c.On.IsZero() }

// Same reports whether both say that the same person agreed on the same date, whoever
// recorded it.
func (c Consent) Same(d Consent) bool { return c.By == d.By && c.On.Equal(d.On) }

// LacksConsent reports whether the cast member is a person who is not known to have agreed.
func (m Member) LacksConsent() bool { return m.Kind == Person && !m.Consent.Noted() }

// IsDeleted reports whether the cast member is deleted. Its handle is plain text then.
func (m Member) IsDeleted() bool { return !m.DeletedAt.IsZero() }

// At returns the handle as it stands in a prompt.
func (m Member) At() string { return "@" + m.Handle }

// Fold returns the key under which the member's handle is compared.
func (m Member) Fold() string { return Fold(m.Handle) }

// Cleaned returns the member with its words as they are stored.
func (m Member) Cleaned() Member {
	m.Handle, m.Name, m.Look = CleanHandle(m.Handle), naming.Clean(m.Name), naming.Clean(m.Look)
	m.Pictures = slices.DeleteFunc(slices.Clone(m.Pictures), func(address string) bool { return strings.TrimSpace(address) == "" })
	m.Consent.By = naming.Clean(m.Consent.By)
	if m.Kind != Person {
		m.Consent = Consent{}
	}
	return m
}

// ParseDate reads a date such as 2026-10-03. ok is false if it is none; an empty text is the
// zero time.
func ParseDate(text string) (date time.Time, ok bool) {
	if text = strings.TrimSpace(text); text == "" {
		return date, true
	}
	date, err := time.Parse(time.DateOnly, text)
	return date, err == nil && date.Year() >= 1900
}

// An Appearance says how a cast member was used for a video: a copy of what it was when the
// video was submitted.
type Appearance struct {
	TaskID   int64
	MemberID int64 // of a member that may be deleted since
	Handle   string
	Name     string
	Kind     Kind
	Look     string
	Pictures []string // all that it had, in order
	Sent     []int    // which of the pictures of the task are this member's, counted from 0
}

// AppearanceOf returns how the member appears in a video with these of the pictures.
func AppearanceOf(m Member, sent ...int) Appearance {
	return Appearance{MemberID: m.ID, Handle: m.Handle, Name: m.Name, Kind: m.Kind, Look: m.Look,
		Pictures: slices.Clone(m.Pictures), Sent: sent}
}

// The shortest and the longest handle, in characters.
const (
	MinHandle = 2
	MaxHandle = 30
)

// joiners are characters that cannot be seen: they say whether the letters beside them are
// joined, in Persian for example.
var joiners = strings.NewReplacer("\u200c", "", "\u200d", "")

// Fold returns the key under which handles are compared. Handles that differ only in case,
// in their Unicode form or in joiners have the same key; Fold(Fold(h)) equals Fold(h).
func Fold(handle string) string {
	if !strings.ContainsFunc(handle, func(r rune) bool { return r > unicode.MaxASCII }) {
		return strings.ToLower(handle)
	}
	key := joiners.Replace(handle)
	for range 4 { // folding may need normalising, and the other way round
		folded := norm.NFKC.String(strings.ReplaceAll(strings.Map(fold, norm.NFKC.String(key)), "ß", "ss"))
		if folded == key {
			break
		}
		key = folded
	}
	return key
}

// fold returns the same letter for all that differ only in case.
func fold(r rune) rune {
	least := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		if unicode.IsLetter(other) && (other < least || !unicode.IsLetter(least)) {
			least = other
		}
	}
	return unicode.ToLower(least)
}

// CleanHandle returns a handle as it is stored: what was typed, without an @ before it and
// without what cannot be seen.
func CleanHandle(typed string) string {
	return norm.NFC.String(strings.TrimPrefix(norm.NFKC.String(joiners.Replace(strings.TrimSpace(naming.Clean(typed)))), "@"))
}

// IsHandle reports whether the text has the form of a handle: letters and digits of any
// script, with hyphens and underscores between them.
func IsHandle(handle string) bool { return HandleFault(handle) == "" }

// HandleFault returns a sentence about what is wrong with the handle, or "".
func HandleFault(handle string) string {
	n := utf8.RuneCountInString(handle)
	switch {
	case handle == "":
		return NoHandle
	case strings.ContainsFunc(handle, unicode.IsSpace):
		return SpaceInHandle
	case strings.ContainsFunc(handle, func(r rune) bool { return !InHandle(r) }):
		return BadHandle
	case isLink(rune(handle[0])) || isLink(rune(handle[len(handle)-1])) || startsWithMark(handle):
		return HandleEnds
	case n < MinHandle:
		return ShortHandle
	case n > MaxHandle || utf8.RuneCountInString(Fold(handle)) > 2*MaxHandle:
		return LongHandle
	}
	return ""
}

// InHandle reports whether the character may be in a handle. Marks belong to the letters
// before them, as vowels do in many scripts.
func InHandle(r rune) bool {
	return isLink(r) || unicode.IsLetter(r) || unicode.Is(unicode.Nd, r) || unicode.In(r, unicode.Mn, unicode.Mc)
}

func isLink(r rune) bool { return r == '-' || r == '_' }

func startsWithMark(handle string) bool {
	first, _ := utf8.DecodeRuneInString(handle)
	return unicode.Is(unicode.M, first)
}

// alike are the scripts whose letters look alike.
var alike = []*unicode.RangeTable{unicode.Latin, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee, unicode.Coptic}

// MixesAlike reports whether the handle has letters of several scripts that look alike,
// such as a Cyrillic "а" among Latin letters: colleagues would type another one.
func MixesAlike(handle string) bool {
	found := 0
	for _, script := range alike {
		if strings.ContainsFunc(handle, func(r rune) bool { return unicode.Is(script, r) }) {
			found++
		}
	}
	return found > 1
}
