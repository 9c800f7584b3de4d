package input

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Rules are what is asked of a field's value, in the order in which it is checked. The
// sentence of the first rule that the value breaks stands beside the field. An empty value
// can only break a rule that requires one.
type Rules []Rule

// A Rule is what is asked of a value, and the sentence about a value that breaks it.
type Rule struct {
	Tag      string // in the language of validator/v10 with the rules of handlers/site/rule.go, such as required,max=60
	Sentence string // a %d in it stands for the number of characters, a %s for the same with commas
	Other    string // the name of the other field of a rule about two fields

	onlyIf   []string // values of the other field for which the rule counts; nil for all
	onSubmit bool
}

// Valid returns the rule with the tag.
func Valid(tag, sentence string) Rule { return Rule{Tag: tag, Sentence: sentence} }

// Required returns the rule that something is typed or chosen.
func Required(sentence string) Rule { return Valid("required", sentence) }

// Min returns the rule that there are at least n characters.
func Min(n int, sentence string) Rule { return Valid(fmt.Sprintf("min=%d", n), sentence) }

// Max returns the rule that there are at most n characters.
func Max(n int, sentence string) Rule { return Valid(fmt.Sprintf("max=%d", n), sentence) }

// With returns the rule for comparing the value with that of the other field.
func (r Rule) With(other string) Rule {
	r.Other = other
	return r
}

// If returns the rule for forms in which the other field has one of the values.
func (r Rule) If(other string, values ...string) Rule {
	r.Other, r.onlyIf = other, values
	return r
}

// Counts reports whether the rule counts while the other field has the value.
func (r Rule) Counts(other string) bool { return r.onlyIf == nil || slices.Contains(r.onlyIf, other) }

// OnSubmit returns the rule without the attributes with which browsers check it, too: it is
// only checked when the form is sent.
func (r Rule) OnSubmit() Rule {
	r.onSubmit = true
	return r
}

// AboutEmpty reports whether an empty value can break the rule.
func (r Rule) AboutEmpty() bool { return strings.HasPrefix(r.Tag, "required") || r.Tag == "offered" }

// inBrowser returns what browsers check of the rules: whether something has to be typed, and
// the most characters, 0 for any number.
func (rules Rules) inBrowser() (required bool, maxLength int) {
	for _, r := range rules {
		if r.onSubmit {
			continue
		}
		for tag := range strings.SplitSeq(r.Tag, ",") {
			if tag == "required" {
				required = true
			} else if n, ok := strings.CutPrefix(tag, "max="); ok {
				maxLength, _ = strconv.Atoi(n) // the validator panics if it is no number
			}
		}
	}
	return required, maxLength
}
