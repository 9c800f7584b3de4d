// Package ordering defines what is known before a video is ordered: recipes and their
// blanks, tables of values for them, uploaded pictures, forms that were not sent, and
// the likely price.
package ordering

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"dailies/db"
	"dailies/db/naming"
)

// A Recipe is a setup that the team reuses: a prompt with named blanks such as
// {{product}}, a fixed model, and a maximum price per video.
type Recipe struct {
	ID   int64
	Name string
	Note string
	// Its prompt has blanks, and each of its pictures is an address or a blank.
	db.Request

	Ceiling   db.Credits // for one video; unknown means no ceiling
	TaskID    int64      // the task that it was saved from; 0 for none
	CreatedBy int64
	MakerName string // filled in when read
	CreatedAt time.Time
	ChangedAt time.Time
	DeletedAt time.Time // zero while it can be used

	Uses   int       // videos made with it that the viewer may see; filled in when listed
	UsedAt time.Time // when the newest of them was made
	Cover  int64     // ID of the media that shows the newest of them; 0 for none
}

// Limits of the blanks of a recipe, and of the recipes that one person has made and not
// deleted.
const (
	MaxBlanks  = 12
	MaxRecipes = 100
)

// Blanks returns the recipe's blanks, each once: first those of the prompt, then
// those for pictures.
func (r Recipe) Blanks() []Blank {
	var blanks []Blank
	seen := map[string]bool{}
	add := func(b Blank) {
		if !seen[b.Key()] {
			seen[b.Key()], blanks = true, append(blanks, b)
		}
	}
	for _, p := range Pieces(r.Prompt) {
		if p.Blank != "" {
			add(Blank{Name: p.Blank, Example: p.Example})
		}
	}
	for _, p := range r.Pictures {
		if name, ok := PictureBlank(p); ok {
			add(Blank{Name: name, Picture: true})
		}
	}
	return blanks
}

// Clash returns the name of a blank that stands both for words and for a picture,
// although a form has one field for it; empty if there is none.
func (r Recipe) Clash() string {
	words, pictures := r, r
	words.Pictures, pictures.Prompt = nil, ""
	named := words.Blanks()
	for _, b := range pictures.Blanks() {
		if slices.ContainsFunc(named, func(w Blank) bool { return w.Key() == b.Key() }) {
			return b.Name
		}
	}
	return ""
}

// Fill returns the prompt and the pictures with the blanks replaced by their
// values, which are found by BlankKey. Blanks within a value are not replaced.
func (r Recipe) Fill(values map[string]string) (prompt string, pictures []string) {
	var text strings.Builder
	for _, p := range Pieces(r.Prompt) {
		if p.Blank != "" {
			p.Text = values[BlankKey(p.Blank)]
		}
		text.WriteString(p.Text)
	}
	for _, p := range r.Pictures {
		if name, ok := PictureBlank(p); ok {
			p = values[BlankKey(name)]
		}
		pictures = append(pictures, p)
	}
	return text.String(), pictures
}

// Setup returns a task whose blanks are not filled in.
func (r Recipe) Setup() db.Task {
	return db.Task{Request: r.Request, State: db.Queued, RecipeID: r.ID}
}

// Task returns the task that the recipe makes with the values. A picture without a
// value keeps its position as an empty string.
func (r Recipe) Task(values map[string]string) db.Task {
	t := r.Setup()
	t.Prompt, t.Pictures = r.Fill(values)
	return t
}

// ChangeableBy reports whether the person may change and delete the recipe:
// its maker and admins may.
func (r Recipe) ChangeableBy(u db.User) bool { return r.CreatedBy == u.ID || u.IsAdmin() }

// Over reports whether the price is known to exceed the recipe's ceiling.
func (r Recipe) Over(price db.Credits) bool {
	return r.Ceiling.Known && price.Known && price.Amount > r.Ceiling.Amount
}

// Unsure reports whether the recipe has a ceiling that cannot be checked, because
// the price is unknown.
func (r Recipe) Unsure(price db.Credits) bool { return r.Ceiling.Known && !price.Known }

// Delete takes the recipe out of use. The videos that were made with it stay.
func (r *Recipe) Delete(now time.Time) error {
	if !r.DeletedAt.IsZero() {
		return fmt.Errorf("recipe %d is deleted already: %w", r.ID, db.ErrConflict)
	}
	r.DeletedAt = now
	return nil
}

// Restore brings a deleted recipe back.
func (r *Recipe) Restore() error {
	if r.DeletedAt.IsZero() {
		return fmt.Errorf("recipe %d is not deleted: %w", r.ID, db.ErrConflict)
	}
	r.DeletedAt = time.Time{}
	return nil
}

// A Blank is a placeholder in a recipe, for words of the prompt or for a picture.
type Blank struct {
	Name    string
	Picture bool
	Example string // the words that it stood for; empty if there are none
}

// Key returns the key under which blanks are compared.
func (b Blank) Key() string { return BlankKey(b.Name) }

// BlankKey returns the key under which the names of blanks are compared.
func BlankKey(name string) string { return naming.Key(name) }

// MaxBlankName limits the name of a blank, in characters.
const MaxBlankName = 40

// A Piece is a part of a prompt: either plain text or a blank.
type Piece struct {
	Text    string // as it was typed; a blank's with its braces
	Blank   string // the blank's name; empty for plain text
	Example string // the words after the blank's name
}

// blanks matches names in double braces: letters of any script with the combining
// marks and joiners that some scripts need, digits, spaces, - and _. An example may follow
// after a colon.
var blanks = regexp.MustCompile(`\{\{([\p{L}\p{M}\p{N}\p{Zs}\t\x{200C}\x{200D}_-]+)(?::([^{}\n]*))?\}\}`)

// Pieces splits a prompt into text and blanks. The Text fields together make up the
// prompt. Braces that contain no name or are not closed are plain text.
func Pieces(prompt string) []Piece {
	var pieces []Piece
	text := 0 // where the text that is not in pieces yet begins
	for _, at := range blanks.FindAllStringSubmatchIndex(prompt, -1) {
		name := BlankName(prompt[at[2]:at[3]])
		if name == "" {
			continue
		}
		if at[0] > text {
			pieces = append(pieces, Piece{Text: prompt[text:at[0]]})
		}
		piece := Piece{Text: prompt[at[0]:at[1]], Blank: name}
		if at[4] >= 0 {
			piece.Example = strings.TrimSpace(prompt[at[4]:at[5]])
		}
		pieces = append(pieces, piece)
		text = at[1]
	}
	if text < len(prompt) {
		pieces = append(pieces, Piece{Text: prompt[text:]})
	}
	return pieces
}

// BlankName returns the text as the name of a blank, or "" if it is not a valid
// name.
func BlankName(text string) string {
	name := naming.Clean(text)
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }
	if !strings.ContainsFunc(name, letter) || utf8.RuneCountInString(name) > MaxBlankName || !blanks.MatchString("{{"+name+"}}") {
		return ""
	}
	return name
}

// PictureBlank returns the name of the blank that takes the place of a picture.
func PictureBlank(picture string) (name string, ok bool) {
	pieces := Pieces(strings.TrimSpace(picture))
	if len(pieces) != 1 || pieces[0].Blank == "" {
		return "", false
	}
	return pieces[0].Blank, true
}

// Braced returns a blank as it stands in a prompt. The name must be valid.
func Braced(name, example string) string {
	example = strings.Join(strings.FieldsFunc(example, func(r rune) bool { return r == '{' || r == '}' || r == '\n' }), " ")
	if example = strings.TrimSpace(example); example == "" {
		return fmt.Sprintf("{{%s}}", name)
	}
	return fmt.Sprintf("{{%s: %s}}", name, example)
}

// A BlankEdit is a blank as it is written beside the prompt: its name and the words that it
// stands for. Was is its name in the prompt before; without one, it is a new blank.
type BlankEdit struct{ Was, Name, Words string }

// Edit returns the prompt with the edit, and whether the prompt has what it is about. A
// blank whose name was emptied becomes the words that it stood for.
func (e BlankEdit) Edit(prompt string) (edited string, found bool) {
	name := BlankName(e.Name)
	if e.Was == "" {
		return e.insert(prompt, name)
	}
	var text strings.Builder
	for _, p := range Pieces(prompt) {
		switch {
		case p.Blank == "" || BlankKey(p.Blank) != BlankKey(e.Was):
			text.WriteString(p.Text)
			continue
		case strings.TrimSpace(e.Name) == "" && e.Words != "":
			text.WriteString(e.Words)
		case strings.TrimSpace(e.Name) == "":
			text.WriteString(p.Blank)
		case name == "": // not a name: the blank keeps its own
			text.WriteString(Braced(p.Blank, e.Words))
		default:
			text.WriteString(Braced(name, e.Words))
		}
		found = true
	}
	return text.String(), found
}

// insert puts a new blank in the place of the words.
func (e BlankEdit) insert(prompt, name string) (edited string, found bool) {
	var text strings.Builder
	for _, p := range Pieces(prompt) {
		at := strings.Index(p.Text, e.Words)
		if found || p.Blank != "" || at < 0 || name == "" || e.Words == "" {
			text.WriteString(p.Text)
			continue
		}
		text.WriteString(p.Text[:at] + Braced(name, e.Words) + p.Text[at+len(e.Words):])
		found = true
	}
	return text.String(), found
}

// StrayBraces reports whether the prompt contains double braces that form no blank,
// which may be a mistake.
func StrayBraces(prompt string) bool {
	for _, p := range Pieces(prompt) {
		if p.Blank == "" && (strings.Contains(p.Text, "{{") || strings.Contains(p.Text, "}}")) {
			return true
		}
	}
	return false
}
