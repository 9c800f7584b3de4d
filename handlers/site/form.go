package site

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-playground/validator/v10"

	"dailies/db"
	"dailies/db/naming"
	"dailies/db/spending"
	"dailies/views/input"
)

// longestPlain limits, in bytes, how much is read of a text in one line that is no
// sentence, such as a number.
const longestPlain = 4000

// ReadForm reads the inputs from the form in the request, and reports whether all are
// valid. Those that are not have their sentence as Error. A choice that is not in the form
// keeps its value.
func ReadForm(r *http.Request, inputs ...input.Input) bool {
	_ = r.PostFormValue("") // parses the form
	return ReadInputs(r.PostForm, inputs...)
}

// ReadInputs is like ReadForm for the values of a form.
func ReadInputs(v url.Values, inputs ...input.Input) bool {
	valid := true
	for _, in := range inputs {
		field := in.Base()
		typed := v.Get(field.Name)
		switch in := in.(type) {
		case *input.Text:
			field.Value, field.Error = readText(*in, typed)
		case *input.Credits:
			field.Value = plainLine(typed)
			in.Amount, field.Error = readCredits(*in)
		case *input.Date:
			field.Value = plainLine(typed)
			in.Time, field.Error = readDate(*in)
		case *input.Choice:
			if v.Has(field.Name) {
				field.Value = typed
			}
			if field.Error = ""; !in.Offers(field.Value) {
				field.Error = in.Wrong
			}
		case *input.Switch:
			field.Error, in.On = "", typed != ""
		}
		valid = valid && field.Error == ""
	}
	return valid
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

func readText(t input.Text, typed string) (value, sentence string) {
	switch {
	case t.Kind == "password":
		value = typed
	case t.Rows > 0 && t.Plain:
		value = strings.TrimSpace(PlainText(typed))
	case t.Rows > 0:
		value = naming.CleanLines(typed)
	case t.Plain || t.Kind == "email" || t.Kind == "url":
		value = plainLine(typed)
	default:
		value = naming.Clean(typed)
	}
	switch n := utf8.RuneCountInString(value); {
	case n == 0:
		return value, t.Missing
	case n < t.Least:
		return value, t.Short
	case t.Most > 0 && n > t.Most && strings.Contains(t.Long, "%d"):
		return value, fmt.Sprintf(t.Long, n)
	case t.Most > 0 && n > t.Most:
		return value, t.Long
	case t.Wrong != "" && texts.Var(value, syntax[t.Kind]) != nil:
		return value, t.Wrong
	}
	return value, ""
}

// texts checks what is typed into fields. It is safe for concurrent use.
var texts = validator.New()

// syntax has the rules for kinds of text.
var syntax = map[string]string{"email": "email", "url": "http_url"}

func readCredits(c input.Credits) (amount db.Credits, sentence string) {
	if c.Value == "" && !c.Needed {
		return db.Credits{}, ""
	}
	n, ok := Credits(c.Value, cmp.Or(c.Most, spending.MaxCredits))
	if !ok || n == 0 && c.Needed && c.Positive {
		return db.Credits{}, c.Wrong
	}
	return db.CreditsOf(n), ""
}

func readDate(d input.Date) (at time.Time, sentence string) {
	at, err := time.ParseInLocation(input.LocalTime, strings.Replace(d.Value, " ", "T", 1), d.Zone)
	switch now := db.Now(); {
	case err != nil:
		return time.Time{}, d.Wrong
	case !at.After(now):
		return time.Time{}, d.Past
	case at.After(now.Add(d.Most)):
		return time.Time{}, d.Far
	}
	return at, ""
}

// SearchWords returns the words that were typed into a field to search for users.
func SearchWords(r *http.Request, field string) string {
	return strings.TrimSpace(Clip(PlainText(r.FormValue(field)), 260))
}
