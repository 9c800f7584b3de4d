package site

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/naming"
	"dailies/db/spending"
	"dailies/views/input"
)

// longestPlain limits, in bytes, how much is read of a text in one line that is no
// sentence, such as a number.
const longestPlain = 4000

// ReadForm reads the inputs from the form in the request, and reports whether all are
// valid. Those that are not have the sentence of the rule that they break as Error. A choice
// that is not in the form keeps its value.
func ReadForm(r *http.Request, inputs ...input.Input) bool {
	_ = r.PostFormValue("") // parses the form
	return ReadInputs(r.PostForm, inputs...)
}

// ReadInputs is like ReadForm for the values of a form.
func ReadInputs(v url.Values, inputs ...input.Input) bool {
	for _, in := range inputs {
		readInput(v, in)
	}
	valid := true
	for _, in := range inputs {
		field := in.Base()
		field.Error = brokenBy(v, in, inputs)
		valid = valid && field.Error == ""
		if c, ok := in.(*input.Credits); ok {
			c.Amount = db.Credits{}
			if field.Error == "" && field.Value != "" {
				n, known := Credits(field.Value, spending.MaxCredits)
				c.Amount = db.Credits{Amount: n, Known: known}
			}
		}
	}
	return valid
}

// readInput gives the input the value that was typed.
func readInput(v url.Values, in input.Input) {
	field := in.Base()
	typed := v.Get(field.Name)
	switch in := in.(type) {
	case *input.Text:
		field.Value = readText(*in, typed)
	case *input.Credits:
		field.Value = plainLine(typed)
	case *input.Date:
		field.Value = plainLine(typed)
		in.Time, _ = time.ParseInLocation(input.LocalTime, strings.Replace(field.Value, " ", "T", 1), in.Zone) // zero if it is none
	case *input.Choice:
		if v.Has(field.Name) {
			field.Value = typed
		}
	case *input.Switch:
		field.Value, in.On = typed, typed != ""
	}
}

// brokenBy returns the sentence of the first rule that the input breaks, given the form and the
// inputs that were read with it.
func brokenBy(v url.Values, in input.Input, inputs []input.Input) string {
	field := in.Base()
	for _, rule := range field.Rules {
		other := v.Get(rule.Other)
		for _, another := range inputs {
			if another.Base().Name == rule.Other {
				other = another.Base().Value
			}
		}
		if !rule.Counts(other) {
			continue
		}
		var value, compared any = field.Value, other
		switch in := in.(type) {
		case *input.Text:
			if rule.Tag == "visible" {
				value = v.Get(field.Name) // as it was typed: the rest is taken away
			}
		case *input.Date:
			value = in.Time
		case *input.Choice:
			compared = in.Values()
		}
		if !keeps(value, compared, rule) {
			return sentenceOf(rule, field.Value)
		}
	}
	return ""
}

// Refill gives the inputs what was typed, whether it is valid or not.
func Refill(r *http.Request, inputs ...input.Input) {
	ReadForm(r, inputs...)
	for _, in := range inputs {
		in.Base().Error = ""
	}
}

// plainLine returns the text without control characters and the space around it.
func plainLine(typed string) string {
	return strings.TrimSpace(Clip(PlainText(typed), longestPlain))
}

func readText(t input.Text, typed string) string {
	switch {
	case t.Kind == "password":
		return typed
	case t.Rows > 0 && t.Plain:
		return strings.TrimSpace(PlainText(typed))
	case t.Rows > 0:
		return naming.CleanLines(typed)
	case t.Plain || t.Kind == "email" || t.Kind == "url":
		return plainLine(typed)
	}
	return naming.Clean(typed)
}

// SearchWords returns the words that were typed into a field to search for users.
func SearchWords(r *http.Request, field string) string {
	return strings.TrimSpace(Clip(PlainText(r.FormValue(field)), 260))
}
