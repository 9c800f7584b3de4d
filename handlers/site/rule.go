package site

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-playground/validator/v10"

	"dailies/db"
	"dailies/db/cast"
	"dailies/db/naming"
	"dailies/db/outbox"
	"dailies/db/review"
	"dailies/db/secrets"
	"dailies/db/spending"
	"dailies/db/team"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// rules decides what concerns one field, or two fields of one form. It is safe for concurrent
// use.
var rules = newRules()

// newRules returns the validator with our own rules.
func newRules() *validator.Validate {
	v := validator.New()
	for tag, keeps := range map[string]validator.Func{
		// An amount of credits, up to that of the parameter.
		"credits": func(fl validator.FieldLevel) bool {
			most := float64(spending.MaxCredits)
			if p := fl.Param(); p != "" {
				most, _ = strconv.ParseFloat(p, 64)
			}
			_, ok := Credits(fl.Field().String(), most)
			return ok
		},
		// An amount of credits above 0.
		"positive": func(fl validator.FieldLevel) bool {
			n, ok := Credits(fl.Field().String(), spending.MaxCredits)
			return ok && n > 0
		},
		// A whole number between the two of the parameter.
		"between": func(fl validator.FieldLevel) bool {
			var least, most int
			_, _ = fmt.Sscan(fl.Param(), &least, &most)
			n, err := strconv.Atoi(fl.Field().String())
			return err == nil && n >= least && n <= most
		},
		// A text of which something can be seen. The inputs of forms are checked as they were typed.
		"visible": func(fl validator.FieldLevel) bool { return !naming.LooksBlank(fl.Field().String()) },
		// An e-mail address that cannot be taken for another one. With spaces it is none, and
		// everybody sees that.
		"unmistakable": func(fl validator.FieldLevel) bool {
			return !db.Misleads(strings.ReplaceAll(fl.Field().String(), " ", ""))
		},
		// A time that is no further in the future than the parameter says.
		"within": func(fl validator.FieldLevel) bool {
			longest, err := time.ParseDuration(fl.Param())
			at, ok := fl.Field().Interface().(time.Time)
			return err == nil && ok && !at.After(db.Now().Add(longest))
		},
		// One of the options of a choice, which are the other value.
		"offered": func(fl validator.FieldLevel) bool {
			options, _ := fl.Parent().Interface().([]string)
			return slices.Contains(options, fl.Field().String())
		},
		// A code of a producer, for labels of videos that were made by AI.
		"producer": func(fl validator.FieldLevel) bool {
			_, ok := team.ParseProducer(fl.Field().String())
			return ok
		},
		// A colour of the brand.
		"colour": func(fl validator.FieldLevel) bool {
			_, ok := team.ParseColour(fl.Field().String())
			return ok
		},
		// At most so many bytes, as the parameter says.
		"bytes": func(fl validator.FieldLevel) bool { return len(fl.Field().String()) <= number(fl) },
		// At most so many lines with text.
		"lines": func(fl validator.FieldLevel) bool {
			n := 0
			for line := range strings.Lines(fl.Field().String()) {
				if strings.TrimSpace(line) != "" {
					n++
				}
			}
			return n <= number(fl)
		},
		// Required if the other field is not empty.
		"required_beside": func(fl validator.FieldLevel) bool {
			return fl.Field().String() != "" || fl.Parent().String() == ""
		},
		// At most so many words that a provider of sign-ins can be asked for.
		"scopes": func(fl validator.FieldLevel) bool {
			words := strings.Fields(fl.Field().String())
			return len(words) <= number(fl) && !slices.ContainsFunc(words, func(w string) bool { return !scopeToken.MatchString(w) })
		},
		// A key of the service: without spaces, and of characters that a header can carry.
		"key": func(fl validator.FieldLevel) bool {
			return !strings.ContainsFunc(fl.Field().String(), func(r rune) bool { return r <= ' ' || r > '~' })
		},
		// An amount of credits with at most three decimals.
		"thousandths": func(fl validator.FieldLevel) bool {
			_, decimals, _ := strings.Cut(strconv.FormatFloat(fl.Field().Float(), 'f', -1, 64), ".")
			return len(decimals) <= 3
		},
		// A kind of event that webhooks are told of.
		"event": func(fl validator.FieldLevel) bool {
			return slices.Contains(outbox.Events(), outbox.Event(fl.Field().String()))
		},
		// A password without the fault that the parameter names; the other value is the person.
		"password": func(fl validator.FieldLevel) bool {
			u, _ := fl.Parent().Interface().(db.User)
			return secrets.CheckNewPassword(fl.Field().String(), u) != secrets.PasswordFault(fl.Param())
		},
		// A moment of a video.
		"moment": func(fl validator.FieldLevel) bool {
			_, ok := review.ParseTime(fl.Field().String())
			return ok
		},
		// A moment that is not before the other one.
		"not_before": func(fl validator.FieldLevel) bool {
			first, _ := review.ParseTime(fl.Parent().String())
			last, _ := review.ParseTime(fl.Field().String())
			return first <= last
		},
		// A day of the calendar, such as 2026-10-03.
		"date": func(fl validator.FieldLevel) bool {
			_, ok := cast.ParseDate(fl.Field().String())
			return ok
		},
		// A day that has begun. Where somebody else is, that may be tomorrow.
		"not_to_come": func(fl validator.FieldLevel) bool {
			day, _ := cast.ParseDate(fl.Field().String())
			return !day.After(db.Now().Add(24 * time.Hour))
		},
		// Characters that can be seen, without spaces.
		"graphic": func(fl validator.FieldLevel) bool {
			text := fl.Field().String()
			return utf8.ValidString(text) &&
				!strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) })
		},
		// A provider that requests to the service can name.
		"provider": func(fl validator.FieldLevel) bool { return videoapi.ProviderFits(fl.Field().String()) },
	} {
		if err := v.RegisterValidation(tag, keeps); err != nil {
			panic(err) // a tag that the validator keeps for itself
		}
	}
	return v
}

var scopeToken = regexp.MustCompile(`^[!#-\[\]-~]{1,100}$`) // RFC 6749

// number returns the parameter of a rule.
func number(fl validator.FieldLevel) int {
	n, err := strconv.Atoi(fl.Param())
	if err != nil {
		panic(err) // the rule of a field is wrong
	}
	return n
}

// Broken returns the sentence of the first rule that the value breaks, or an empty string.
func Broken(value any, rules input.Rules) string { return firstBroken(value, nil, rules) }

// firstBroken is like Broken for rules that compare the value with another one.
func firstBroken(value, other any, rules input.Rules) string {
	for _, rule := range rules {
		if !keeps(value, other, rule) {
			text, _ := value.(string)
			return sentenceOf(rule, text)
		}
	}
	return ""
}

// keeps reports whether the value keeps the rule, which compares it with the other value if it
// is about two.
func keeps(value, other any, rule input.Rule) bool {
	return value == "" && !rule.AboutEmpty() || rules.VarWithValue(value, other, rule.Tag) == nil
}

func sentenceOf(rule input.Rule, value string) string {
	switch n := utf8.RuneCountInString(value); {
	case n == 0: // a sentence about an empty value may name somebody, whose name may have a %d
	case strings.Contains(rule.Sentence, "%d"):
		return fmt.Sprintf(rule.Sentence, n)
	case strings.Contains(rule.Sentence, "%s"):
		return fmt.Sprintf(rule.Sentence, part.Number(n))
	}
	return rule.Sentence
}
