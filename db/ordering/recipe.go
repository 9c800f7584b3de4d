// Package ordering defines what is known before a video is ordered: recipes and their
// blanks, tables of values for them, uploaded pictures, forms that were not sent, and
// the likely price.
package ordering

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"dailies/db"
)

// A Recipe is a setup that the team reuses: a prompt with named blanks such as
// {{product}}, a fixed model, and a maximum price per video.
type Recipe struct {
	ID        int64
	Name      string
	Note      string
	Scene     string
	Model     string
	Prompt    string // with blanks
	Provider  string
	Pictures  []string // each an address or a blank
	Options   db.Options
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
	words := Recipe{Prompt: r.Prompt}.Blanks()
	for _, b := range (Recipe{Pictures: r.Pictures}).Blanks() {
		if slices.ContainsFunc(words, func(w Blank) bool { return w.Key() == b.Key() }) {
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
	return db.Task{
		Scene: r.Scene, Model: r.Model, Prompt: r.Prompt, Provider: r.Provider,
		Pictures: r.Pictures, Options: r.Options, State: db.Queued, RecipeID: r.ID,
	}
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
