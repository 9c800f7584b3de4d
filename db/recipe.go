package db

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Recipe is a setup that the team uses again: a prompt with named blanks
// such as {{product}}, a model that stays, and what one video may cost.
type Recipe struct {
	ID        int64
	Name      string
	Note      string
	Scene     string
	Model     string
	Prompt    string // with blanks
	Provider  string
	Pictures  []string // addresses, or a blank each
	Options   Options
	Ceiling   Credits // for one video; not known is no ceiling
	TaskID    int64   // it was saved from; 0 for none
	CreatedBy int64
	MakerName string // filled in when read
	CreatedAt time.Time
	ChangedAt time.Time
	DeletedAt time.Time // zero while it can be used

	Uses   int       // videos made with it that the viewer sees; filled in when listed
	UsedAt time.Time // the newest of them
	Cover  int64     // the media that pictures the newest of them; 0 for none
}

// MaxBlanks is how many blanks a recipe may ask for.
const MaxBlanks = 12

// Blanks returns what the recipe asks for, each once: first those of the prompt,
// then the pictures.
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
			add(Blank{Name: p.Blank})
		}
	}
	for _, p := range r.Pictures {
		if name, ok := PictureBlank(p); ok {
			add(Blank{Name: name, Picture: true})
		}
	}
	return blanks
}

// Clash returns the name of a blank that stands for words and for a picture too,
// which would be one field for both; empty if there is none.
func (r Recipe) Clash() string {
	words := Recipe{Prompt: r.Prompt}.Blanks()
	for _, b := range (Recipe{Pictures: r.Pictures}).Blanks() {
		if slices.ContainsFunc(words, func(w Blank) bool { return w.Key() == b.Key() }) {
			return b.Name
		}
	}
	return ""
}

// Fill returns the prompt and the pictures with the values in place of the
// blanks, by their keys. A value is never looked through for blanks.
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

// Setup returns a task that has the blanks where what fills them will be.
func (r Recipe) Setup() Task {
	return Task{
		Scene: r.Scene, Model: r.Model, Prompt: r.Prompt, Provider: r.Provider,
		Pictures: r.Pictures, Options: r.Options, State: Queued, RecipeID: r.ID,
	}
}

// Task returns the task that the recipe makes with the values. A picture that was
// left empty stays empty in its place.
func (r Recipe) Task(values map[string]string) Task {
	t := r.Setup()
	t.Prompt, t.Pictures = r.Fill(values)
	return t
}

// ChangeableBy reports whether the person may change and delete the recipe:
// its maker and admins may.
func (r Recipe) ChangeableBy(u User) bool { return r.CreatedBy == u.ID || u.IsAdmin() }

// Over reports whether a video at that price costs more than the recipe allows.
func (r Recipe) Over(price Credits) bool {
	return r.Ceiling.Known && price.Known && price.Amount > r.Ceiling.Amount
}

// Unsure reports whether there is a ceiling that a price which nobody knows
// cannot be held against.
func (r Recipe) Unsure(price Credits) bool { return r.Ceiling.Known && !price.Known }

// Delete takes the recipe out of use. The videos that were made with it stay.
func (r *Recipe) Delete(now time.Time) error {
	if !r.DeletedAt.IsZero() {
		return fmt.Errorf("recipe %d is deleted already: %w", r.ID, ErrConflict)
	}
	r.DeletedAt = now
	return nil
}

// Restore brings a deleted recipe back.
func (r *Recipe) Restore() error {
	if r.DeletedAt.IsZero() {
		return fmt.Errorf("recipe %d is not deleted: %w", r.ID, ErrConflict)
	}
	r.DeletedAt = time.Time{}
	return nil
}
