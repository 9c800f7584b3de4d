package site

import (
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"dailies/views/input"
)

func named(value string, rules ...input.Rule) input.Field {
	return input.Field{Name: "x", Value: value, Rules: rules}
}

// read returns the value and the error of the input after somebody has typed the text.
func read(in input.Input, typed string) string {
	if ReadInputs(url.Values{"x": {typed}}, in) != (in.Base().Error == "") {
		return "an input is valid and has an error, or neither"
	}
	return in.Base().Value + "|" + in.Base().Error
}

func TestTextsAreCleanedAndChecked(t *testing.T) {
	words := input.Text{Field: named("", input.Required("missing"), input.Max(3, "%d are too many"))}
	code := input.Text{Field: named("", input.Min(2, "short"), input.Max(3, "long")), Plain: true}
	lines := input.Text{Field: named(""), Rows: 3}
	password := input.Text{Field: named(""), Kind: "password"}
	email := input.Text{Field: named("", input.Valid("email", "wrong")), Kind: "email"}
	site := input.Text{Field: named("", input.Valid("http_url", "wrong")), Kind: "url"}
	for _, tt := range []struct {
		in          input.Text
		typed, want string
	}{
		{words, " a\n b ", "a b|"}, {words, " ", "|missing"}, {words, "abcd", "abcd|4 are too many"}, {words, "ééé", "ééé|"},
		{code, " a\x00b ", "ab|"}, {code, "", "|"}, {code, "abcd", "abcd|long"}, {code, "é", "é|short"}, {lines, "a\r\nb", "a\nb|"},
		{password, " p ", " p |"},
		{email, "kim@example.com", "kim@example.com|"}, {email, "kim@", "kim@|wrong"}, {email, "", "|"},
		{site, "https://example.com/a", "https://example.com/a|"}, {site, "ftp://example.com", "ftp://example.com|wrong"},
	} {
		if got := read(&tt.in, tt.typed); got != tt.want {
			t.Errorf("%q is read as %q, want %q", tt.typed, got, tt.want)
		}
	}
}

func TestCreditsMayBeNeededOrNot(t *testing.T) {
	for _, tt := range []struct {
		rule, typed, want string
	}{
		{"credits", "", "|"}, {"credits", " 2,000 ", "2,000|"}, {"credits", "-1", "-1|wrong"}, {"credits", "0", "0|"},
		{"required,credits", "", "|wrong"}, {"required,credits", "0", "0|"},
		{"required,credits,positive", "0", "0|wrong"}, {"credits=10", "11", "11|wrong"}, {"credits=10", "10", "10|"},
	} {
		in := input.Credits{Field: named("", input.Valid(tt.rule, "wrong"))}
		if got := read(&in, tt.typed); got != tt.want {
			t.Errorf("%q is read as %q, want %q", tt.typed, got, tt.want)
		}
		if valid := in.Error == ""; in.Amount.Known != (valid && tt.typed != "") {
			t.Errorf("%q is %v", tt.typed, in.Amount)
		}
	}
}

func TestADateIsStillToCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now().UTC()
		d := input.Date{Field: toCome(), Zone: time.UTC}
		for after, want := range map[time.Duration]string{time.Hour: "", -time.Hour: "past", 49 * time.Hour: "far"} {
			typed := now.Add(after).Format(input.LocalTime)
			if got := read(&d, strings.Replace(typed, "T", " ", 1)); !strings.HasSuffix(got, "|"+want) {
				t.Errorf("%s is read as %q, want %q", typed, got, want)
			}
		}
		if got := read(&d, "soon"); got != "soon|wrong" || !d.Time.IsZero() {
			t.Errorf("soon is read as %q, %s", got, d.Time)
		}
	})
}

// toCome returns a field for a time within the next two days.
func toCome() input.Field {
	return named("", input.Required("wrong"), input.Valid("gt", "past"), input.Valid("within=48h", "far"))
}

func TestAChoiceIsOneOfItsOptions(t *testing.T) {
	c := input.Choice{Field: named("b", input.Offered("wrong")...), Options: []input.Option{{Value: "a"}, {Value: "b"}}}
	if got := read(&c, "a"); got != "a|" {
		t.Errorf("an option is read as %q", got)
	}
	if got := read(&c, "c"); got != "c|wrong" {
		t.Errorf("what is no option is read as %q", got)
	}
	c.Value = "b"
	if !ReadInputs(url.Values{}, &c) || c.Value != "b" {
		t.Errorf("a choice that is not in the form is %q, %q", c.Value, c.Error)
	}
	s := input.Switch{Field: named("")}
	if read(&s, "on"); !s.On {
		t.Error("a switch is off")
	}
	if ReadInputs(url.Values{}, &s); s.On {
		t.Error("a switch that is not in the form is on")
	}
}

func TestARuleMayBeAboutAnotherField(t *testing.T) {
	which := input.Choice{Field: input.Field{Name: "which"}, Options: []input.Option{{Value: "own"}, {Value: "none"}}}
	amount := input.Credits{Field: named("", input.Valid("required,credits", "wrong").If("which", "own"))}
	again := input.Text{Field: input.Field{Name: "again", Rules: input.Rules{input.Valid("required,eqfield", "differs").With("x")}}}
	for typed, want := range map[[3]string]string{
		{"own", "5", "5"}: "|", {"own", "", ""}: "wrong|differs", {"none", "", "1"}: "|differs", {"none", "lots", "lots"}: "|",
		{"", "", ""}: "|differs",
	} {
		ReadInputs(url.Values{"which": {typed[0]}, "x": {typed[1]}, "again": {typed[2]}}, &amount, &which, &again)
		if got := amount.Error + "|" + again.Error; got != want {
			t.Errorf("%q is read as %q, want %q", typed, got, want)
		}
	}
}

// FuzzInputs reads arbitrary text into every kind of input.
func FuzzInputs(f *testing.F) {
	f.Add("2,000")
	f.Add("\xff\x00 é")
	f.Fuzz(func(t *testing.T, typed string) {
		text, code := input.Text{Field: named("", input.Max(9, "long"))}, input.Text{Field: named(""), Plain: true}
		amount := input.Credits{Field: named("", input.Valid("credits", "wrong"))}
		date := input.Date{Field: toCome(), Zone: time.UTC}
		ReadInputs(url.Values{"x": {typed}}, &text, &code, &amount, &date)
		for _, in := range []input.Input{&text, &code, &amount, &date} {
			if value := in.Base().Value; !utf8.ValidString(value) || strings.ContainsRune(value, 0) {
				t.Errorf("%T: %q", in, value)
			}
		}
		if text.Error == "" && utf8.RuneCountInString(text.Value) > 9 || len(code.Value) > longestPlain ||
			date.Error == "" && date.Time.IsZero() {
			t.Errorf("%+v, %+v, %+v", text, code, date)
		}
	})
}
