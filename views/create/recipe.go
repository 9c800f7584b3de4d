package create

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/format"
	"dailies/db/naming"
	"dailies/db/ordering"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// A RecipeCard holds a recipe and what its components show with it.
type RecipeCard struct {
	Recipe    ordering.Recipe
	ModelName string
	Mine      bool
	Change    bool // the viewer may change it
	Now       time.Time
}

// maker returns the name of the user who made the recipe: "you" for the viewer.
func (c RecipeCard) maker() string { return part.You(c.Mine, c.Recipe.MakerName) }

// making says what the recipe is made from, with which model, and for how much at most.
func (c RecipeCard) making() string {
	most := ""
	if c.Recipe.Ceiling.Known {
		most = fmt.Sprintf("up to %s", part.Credits(c.Recipe.Ceiling))
	}
	return format.Facts(part.SceneName(videoapi.Scene(c.Recipe.Scene)), c.ModelName, most)
}

// use says how often and when the recipe was used.
func (c RecipeCard) use() string {
	last := part.Ago(c.Recipe.UsedAt, c.Now)
	switch c.Recipe.Uses {
	case 0:
		return "Not used yet"
	case 2:
		return fmt.Sprintf("Used twice, last %s", last)
	}
	return part.Plural(c.Recipe.Uses, "Used once, last %[2]s", "Used %s times, last %s", last)
}

// batchable reports whether the recipe can be filled in with a table.
func (c RecipeCard) batchable() bool { return len(c.Recipe.Blanks()) > 0 }

// picture returns the URL of the recipe's picture: the cover of the newest video made
// with it, or else a picture that it contains; empty if there is neither.
func (c RecipeCard) picture() string {
	if c.Recipe.Cover != 0 {
		return part.MediaPath(db.Media{ID: c.Recipe.Cover})
	}
	for _, p := range c.fixed() {
		if part.WebAddress(p.Value) {
			return part.ThumbSource(p.Value)
		}
	}
	return ""
}

// facts lists the options that the recipe fixes, in words.
func (c RecipeCard) facts() []part.Fact {
	facts := part.Facts(part.Card{Task: c.Recipe.Setup(), ModelName: c.ModelName})
	if c.Recipe.Ceiling.Known {
		facts = append(facts, part.Fact{Label: "Most a video may cost", Value: part.Credits(c.Recipe.Ceiling)})
	}
	return facts
}

// A RecipeField holds one blank, that is, a placeholder of a recipe such as
// {{product}}, and the value typed for it.
type RecipeField struct {
	Blank ordering.Blank
	Value string
}

// BlankField returns the name of the field for the blank.
func BlankField(b ordering.Blank) string { return "blank:" + b.Key() }

// BlankError returns the key of the error message about the blank with the index.
func BlankError(i int) string { return fmt.Sprintf("blank.%d", i) }

// label returns the blank's name with a capital letter.
func (f RecipeField) label() string { return capital(f.Blank.Name) }

// line returns the field of a blank that asks for words. Its message has the key.
func (f RecipeField) line(key string, errors input.Errors) input.Text {
	return input.Text{
		Field: input.Field{Name: BlankField(f.Blank), ID: input.ID(key), Label: f.label(), Value: f.Value, Error: errors[key]},
		Kind:  "text", Sample: f.Blank.Example, MaxLength: 8000,
		Others: templ.Attributes{"data-blank": f.Blank.Key(), "data-at": "/cast/find", "data-at-name": "Cast"},
	}
}

func capital(s string) string {
	for _, first := range s {
		return strings.ToUpper(string(first)) + s[len(string(first)):]
	}
	return s
}

// A RecipePage is the page with the form that fills in a recipe.
type RecipePage struct {
	Cast   Cast
	Card   RecipeCard
	Fields []RecipeField
	Form   CreateForm // used by the picture fields and the price
	Anyway bool       // make the video although its price, and thus the ceiling, cannot be checked
}

func (p RecipePage) over() bool   { return p.Card.Recipe.Over(p.Form.Price.Credits) }
func (p RecipePage) unsure() bool { return p.Card.Recipe.Unsure(p.Form.Price.Credits) }

// allows says how the price compares with the recipe's ceiling.
func (p RecipePage) allows() string {
	r := p.Card.Recipe
	switch {
	case !r.Ceiling.Known:
		return p.Form.Price.Note()
	case p.over():
		return fmt.Sprintf("this recipe allows %s", part.Number(r.Ceiling.Amount))
	}
	return fmt.Sprintf("up to %s allowed", part.Number(r.Ceiling.Amount))
}

// OverCeiling says what to do about a recipe whose price exceeds its ceiling.
func OverCeiling(c RecipeCard, price part.Price) string {
	cost, most := price.InWords(), part.Number(c.Recipe.Ceiling.Amount)
	if c.Change {
		return fmt.Sprintf("%s; this recipe allows %s. Edit it, or choose a shorter length.", cost, most)
	}
	return fmt.Sprintf("%s; this recipe allows %s. Ask %s to change it.", cost, most, naming.Isolated(c.Recipe.MakerName))
}

// parts returns the prompt with its blanks filled in.
func (p RecipePage) parts() []promptPart {
	var values []string
	for _, f := range p.Fields {
		values = append(values, f.Value)
	}
	return p.Card.parts(values)
}

// promptLength returns the number of characters of the prompt with its blanks filled in.
func (p RecipePage) promptLength() (n int) {
	for _, part := range p.parts() {
		n += utf8.RuneCountInString(part.Text)
	}
	return n
}

// pictures returns the number of blanks that ask for a picture.
func (p RecipePage) pictures() (n int) {
	for _, f := range p.Fields {
		if f.Blank.Picture {
			n++
		}
	}
	return n
}

// A promptPart is a part of a prompt: text, or a blank with its value.
type promptPart struct {
	Text  string
	Key   string // key of the blank; empty for text
	Name  string
	Empty bool
}

// parts returns the prompt with its blanks filled in. The values are in the order of
// the blanks.
func (c RecipeCard) parts(values []string) []promptPart {
	var all []promptPart
	filled := map[string]string{}
	for i, b := range c.Recipe.Blanks() {
		filled[b.Key()] = values[i]
	}
	for _, p := range ordering.Pieces(c.Recipe.Prompt) {
		if p.Blank == "" {
			all = append(all, promptPart{Text: p.Text})
			continue
		}
		key := ordering.BlankKey(p.Blank)
		shown := promptPart{Text: filled[key], Key: key, Name: p.Blank}
		if shown.Text == "" {
			shown.Text, shown.Empty = p.Blank, true
		}
		all = append(all, shown)
	}
	return all
}

// A RecipeEdit is the page with the form that makes or changes a recipe.
type RecipeEdit struct {
	Recipe ordering.Recipe // ID is 0 for a new recipe
	Fields RecipeFields
	From   int64 // ID of the video from which it was filled; 0 if there is none
	Form   CreateForm
}

// RecipeFields are the fields of a recipe beside those of the video that it makes.
type RecipeFields struct {
	Name, Note input.Text
	Ceiling    input.Credits
}

// Inputs returns the fields in the order of the page.
func (f *RecipeFields) Inputs() []input.Input { return []input.Input{&f.Name, &f.Note, &f.Ceiling} }

// The most characters of a recipe's name and note, and its highest ceiling.
const (
	maxRecipeName = 80
	maxRecipeNote = 500
	maxCeiling    = 1e6
)

// NewRecipeFields returns the fields with those of the recipe.
func NewRecipeFields(r ordering.Recipe) RecipeFields {
	f := RecipeFields{
		Name: input.Text{
			Field: input.Field{
				Name: "name", Label: "Name", Value: r.Name,
				Rules: input.Rules{input.Required("Give the recipe a name."), input.Max(maxRecipeName, TooLong(maxRecipeName))},
			},
			Kind: "text", Sample: "Product on a table",
		},
		Note: input.Text{
			Field: input.Field{
				Name: "note", Label: "Note for the team", Hint: "Optional", Value: r.Note,
				Rules: input.Rules{input.Max(maxRecipeNote, TooLong(maxRecipeNote))},
			},
			Rows: 2,
		},
		Ceiling: input.CreditsIn("ceiling", "Most a video may cost", r.Ceiling,
			input.Valid(fmt.Sprintf("credits=%g", maxCeiling), "Enter a number, such as 40, or leave it empty.")),
	}
	f.Ceiling.Hint, f.Ceiling.Sample, f.Ceiling.Short = "Optional", "No limit", true
	return f
}

// askedAs returns the field for the name under which a recipe asks for a picture.
func askedAs(errors input.Errors, field, blank string) input.Text {
	name := "asked." + field
	return input.Text{
		Field: input.Field{Name: name, Label: "Name", Value: blank, Error: errors[name]},
		Kind:  "text", MaxLength: ordering.MaxBlankName, Others: templ.Attributes{"data-asked": true},
	}
}

func (e RecipeEdit) path() string {
	if e.Recipe.ID == 0 {
		return "/recipes"
	}
	return part.RecipePath(e.Recipe, "/edit")
}

// page returns the path of the editor.
func (e RecipeEdit) page() string {
	if e.Recipe.ID == 0 {
		return "/recipes/new"
	}
	return e.path()
}

func (e RecipeEdit) heading() string {
	if e.Recipe.ID == 0 {
		return "New recipe"
	}
	return "Edit recipe"
}

// Title returns the page's title.
func (e RecipeEdit) Title() string { return cmp.Or(e.Recipe.Name, e.heading()) }

// blanks returns the blanks of the recipe as it was typed.
func (e RecipeEdit) blanks() []ordering.Blank {
	pictures := append(slices.Clip(e.Form.Pictures), e.Form.EndPicture)
	return ordering.Recipe{Request: db.Request{Prompt: e.Form.Prompt, Pictures: pictures}}.Blanks()
}

// wordBlanks returns the blanks that stand for words.
func (e RecipeEdit) wordBlanks() []ordering.Blank {
	return ordering.Recipe{Request: db.Request{Prompt: e.Form.Prompt}}.Blanks()
}

// blanksSentence lists the blanks in one sentence.
func blanksSentence(blanks []ordering.Blank) string {
	if len(blanks) == 0 {
		return "Mark what changes: select words, press “Turn into a blank”."
	}
	var names []string
	for _, b := range blanks {
		name := b.Name
		if b.Picture {
			name = fmt.Sprintf("%s (a picture)", b.Name)
		}
		names = append(names, name)
	}
	return fmt.Sprintf("This recipe asks for: %s.", format.List(names))
}

// strayBraces explains double braces that do not form a blank.
const strayBraces = "Some “{{…}}” isn’t a blank yet: use letters and spaces, 40 at most."

// asked returns the name of the blank that replaces a picture, even if the name is
// invalid.
func asked(address string) (name string, ok bool) {
	name, opened := strings.CutPrefix(strings.TrimSpace(address), "{{")
	name, closed := strings.CutSuffix(name, "}}")
	return strings.TrimSpace(name), opened && closed
}

// newRecipePath returns the path of a new recipe for the scene.
func newRecipePath(s videoapi.Scene) string { return "/recipes/new?scene=" + string(s) }

// RecipeOptionsPath returns the path of the options in a recipe's form.
func RecipeOptionsPath(s videoapi.Scene) string { return "/recipes/options?scene=" + string(s) }

// back returns the path to which Cancel leads.
func (e RecipeEdit) back() string {
	switch {
	case e.Recipe.ID != 0:
		return part.RecipePath(e.Recipe)
	case e.From != 0:
		return part.TaskPath(e.From)
	}
	return "/recipes"
}

// version returns a value that changes whenever the recipe is changed.
func version(r ordering.Recipe) string { return strconv.FormatInt(r.ChangedAt.UnixMilli(), 10) }

// unsureCeiling says that the ceiling cannot be checked, because the price is
// not known.
func unsureCeiling(r ordering.Recipe) string {
	return fmt.Sprintf("No fixed price. This recipe allows %s a video, which we can’t check beforehand.", part.Credits(r.Ceiling))
}

// fixed returns the recipe's own pictures, without those that are asked for, with their
// names.
func (c RecipeCard) fixed() []part.Fact {
	return slices.DeleteFunc(part.Pictures(c.Recipe.Setup()), func(p part.Fact) bool {
		_, asked := ordering.PictureBlank(p.Value)
		return asked
	})
}
