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

func named(value string) input.Field { return input.Field{Name: "x", Value: value} }

// read returns the value and the error of the input after somebody has typed the text.
func read(in input.Input, typed string) string {
	if ReadInputs(url.Values{"x": {typed}}, in) != (in.Base().Error == "") {
		return "an input is valid and has an error, or neither"
	}
	return in.Base().Value + "|" + in.Base().Error
}

func TestTextsAreCleanedAndChecked(t *testing.T) {
	words := input.Text{Field: named(""), Most: 3, Missing: "missing", Long: "%d are too many"}
	code := input.Text{Field: named(""), Plain: true, Most: 3, Long: "long"}
	lines := input.Text{Field: named(""), Rows: 3}
	password := input.Text{Field: named(""), Kind: "password"}
	email := input.Text{Field: named(""), Kind: "email", Wrong: "wrong"}
	site := input.Text{Field: named(""), Kind: "url", Wrong: "wrong"}
	for _, tt := range []struct {
		in          input.Text
		typed, want string
	}{
		{words, " a\n b ", "a b|"}, {words, " ", "|missing"}, {words, "abcd", "abcd|4 are too many"}, {words, "ééé", "ééé|"},
		{code, " a\x00b ", "ab|"}, {code, "", "|"}, {code, "abcd", "abcd|long"}, {lines, "a\r\nb", "a\nb|"},
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
		in          input.Credits
		typed, want string
	}{
		{input.Credits{}, "", "|"}, {input.Credits{}, " 2,000 ", "2,000|"}, {input.Credits{}, "-1", "-1|wrong"}, {input.Credits{}, "0", "0|"},
		{input.Credits{Needed: true}, "", "|wrong"}, {input.Credits{Needed: true}, "0", "0|"},
		{input.Credits{Needed: true, Positive: true}, "0", "0|wrong"}, {input.Credits{Most: 10}, "11", "11|wrong"},
	} {
		tt.in.Field, tt.in.Wrong = named(""), "wrong"
		if got := read(&tt.in, tt.typed); got != tt.want {
			t.Errorf("%q is read as %q, want %q", tt.typed, got, tt.want)
		}
		if valid := tt.in.Error == ""; tt.in.Amount.Known != (valid && tt.typed != "") {
			t.Errorf("%q is %v", tt.typed, tt.in.Amount)
		}
	}
}

func TestADateIsStillToCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now().UTC()
		d := input.Date{Field: named(""), Zone: time.UTC, Most: 48 * time.Hour, Wrong: "wrong", Past: "past", Far: "far"}
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

func TestAChoiceIsOneOfItsOptions(t *testing.T) {
	c := input.Choice{Field: named("b"), Options: []input.Option{{Value: "a"}, {Value: "b"}}, Wrong: "wrong"}
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

// FuzzInputs reads arbitrary text into every kind of input.
func FuzzInputs(f *testing.F) {
	f.Add("2,000")
	f.Add("\xff\x00 é")
	f.Fuzz(func(t *testing.T, typed string) {
		text, code, amount := input.Text{Field: named(""), Most: 9, Long: "long"}, input.Text{Field: named(""), Plain: true}, input.Credits{Field: named(""), Wrong: "wrong"}
		date := input.Date{Field: named(""), Zone: time.UTC, Most: time.Hour, Wrong: "wrong", Past: "past", Far: "far"}
		ReadInputs(url.Values{"x": {typed}}, &text, &code, &amount, &date)
		for _, in := range []input.Input{&text, &code, &amount, &date} {
			if value := in.Base().Value; !utf8.ValidString(value) || strings.ContainsRune(value, 0) {
				t.Errorf("%T: %q", in, value)
			}
		}
		if text.Error == "" && utf8.RuneCountInString(text.Value) > 9 || len(code.Value) > longestPlain || date.Error == "" && date.Time.IsZero() {
			t.Errorf("%+v, %+v, %+v", text, code, date)
		}
	})
}
