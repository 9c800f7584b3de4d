// Package input holds the fields of forms: what was typed into each of them, what it
// means, what is wrong with it, and how it looks. handlers/site reads them from requests.
package input

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"dailies/db"
)

// An Input is a field of a form, of one of the kinds below.
type Input interface {
	// Base returns what fields of all kinds have.
	Base() *Field
}

// A Field is what fields of all kinds have.
type Field struct {
	Name  string // in the form
	ID    string // of its element; the name's ID if empty
	Label string
	Hint  string
	Value string // as typed, or as it is stored
	Rules Rules
	Error string // a sentence beside the field; empty if nothing is wrong
	Focus Focus  // whether it has the focus when the page opens
}

// Focus says when a field has the focus.
type Focus int

const (
	Never   Focus = iota
	OnError       // if the field has an error
	Always
)

// Base returns the Field itself.
func (in *Field) Base() *Field { return in }

func (in Field) id() string { return cmp.Or(in.ID, ID(in.Name)) }

func (in Field) isFocused() bool {
	return in.Focus == Always || in.Focus == OnError && in.Error != ""
}

func (in Field) hintID() string {
	if in.Hint == "" {
		return ""
	}
	return in.id() + "-hint"
}

func (in Field) errorID() string { return in.id() + "-error" }

// Aria returns the attributes that mark the field as invalid, and name what describes it.
func (in Field) Aria() templ.Attributes {
	return Errors{in.id(): in.Error}.Attributes(in.id(), in.hintID())
}

// A Text is a field for a text, in one line or several.
type Text struct {
	Field
	Kind     string // the type of its element, such as email; empty for the usual one
	Fill     string // what browsers fill in; nothing if empty
	Keyboard string // which keyboard a phone shows; the usual one if empty
	Sample   string // shown while the field is empty
	Class    string
	Bare     bool             // only screen readers read the label
	Rows     int              // of a text in several lines; 0 for one line
	Plain    bool             // names and codes for machines: spelling is not checked
	Others   templ.Attributes // for scripts

	// What browsers check in place of what the rules say.
	MaxLength int // how many characters can be typed
	Required  bool
}

func (t Text) attributes() templ.Attributes {
	required, maxLength := t.Rules.inBrowser()
	maxLength = cmp.Or(t.MaxLength, maxLength)
	all := templ.Attributes{"autocomplete": cmp.Or(t.Fill, "off"), "required": t.Required || required, "autofocus": t.isFocused()}
	secret := t.Kind == "password" && t.Others["type"] != "text" // is not sent back; of a link's password, which is shown, nothing typed is lost
	if !secret && t.Rows == 0 {
		all["value"] = t.Value
	}
	for name, value := range map[string]string{"type": t.Kind, "inputmode": t.Keyboard, "placeholder": t.Sample, "class": t.Class} {
		if value != "" {
			all[name] = value
		}
	}
	if maxLength > 0 {
		all["maxlength"] = strconv.Itoa(maxLength)
	}
	if t.Rows > 0 {
		all["rows"] = strconv.Itoa(t.Rows)
	}
	if t.Plain {
		all["spellcheck"], all["autocapitalize"] = "false", "none"
	}
	maps.Copy(all, t.Others)
	return all
}

// CurrentPassword returns the field for the password that a person has.
func CurrentPassword(name, label string) Text {
	return Text{Field: Field{Name: name, Label: label}, Kind: "password", Fill: "current-password", Required: true}
}

// A Credits is a field for an amount of credits.
type Credits struct {
	Field
	Amount db.Credits // known unless the field is empty
	Sample string     // shown while the field is empty
	Short  bool       // it is shorter than others
}

// CreditsIn returns the field with the amount, empty if that is not known.
func CreditsIn(name, label string, amount db.Credits, rules ...Rule) Credits {
	c := Credits{Field: Field{Name: name, Label: label, Rules: rules}, Amount: amount}
	if amount.Known {
		c.Value = amount.String()
	}
	return c
}

func (c Credits) text() Text {
	t := Text{Field: c.Field, Keyboard: "decimal", Sample: c.Sample, MaxLength: 20}
	if c.Short {
		t.Class = "short"
	}
	return t
}

// A Date is a field for a day and a time. Its rules are about the time, which is zero if
// something else was typed.
type Date struct {
	Field
	Zone *time.Location
	Time time.Time
}

// LocalTime is the form in which browsers send a day and a time.
const LocalTime = "2006-01-02T15:04"

// A Choice is a field with options, one of which is chosen: its Value is the option's.
type Choice struct {
	Field
	Options []Option
	Heading bool // the label is a heading
	Hidden  bool // only screen readers read the label
}

// An Option is one of the options of a Choice.
type Option struct{ Value, Label, Hint string }

// Offered returns the rule that the value of a Choice is that of one of its options.
func Offered(sentence string) Rules { return Rules{Valid("offered", sentence)} }

// Values returns the values of the options.
func (c Choice) Values() []string {
	values := make([]string, len(c.Options))
	for i, o := range c.Options {
		values[i] = o.Value
	}
	return values
}

// A Switch is a field that is on or off.
type Switch struct {
	Field
	On bool
}

// ErrorsOf returns the messages of the inputs by their names.
func ErrorsOf(inputs ...Input) Errors {
	errs := Errors{}
	for _, in := range inputs {
		if f := in.Base(); f.Error != "" {
			errs[f.Name] = f.Error
		}
	}
	return errs
}

// AreWrong reports whether any of the inputs has an error.
func AreWrong(inputs ...Input) bool { return len(ErrorsOf(inputs...)) > 0 }

// FocusFirst puts the focus on the first of the inputs that has an error, otherwise on
// the first of all.
func FocusFirst(inputs ...Input) {
	first := max(0, slices.IndexFunc(inputs, func(in Input) bool { return in.Base().Error != "" }))
	for i, in := range inputs {
		in.Base().Focus = Never
		if i == first {
			in.Base().Focus = Always
		}
	}
}
