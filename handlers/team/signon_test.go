package team

import (
	"net/url"
	"strings"
	"testing"

	"dailies/db/signin"
	"dailies/handlers/site"
	"dailies/views/input"
	teamview "dailies/views/team"
)

// rulesIn returns the rules in the values of a form, and what is wrong with them.
func rulesIn(values url.Values) (signin.Rules, input.Errors) {
	form := teamview.NewSignOnForm(signin.Rules{})
	site.ReadInputs(values, form.Inputs()...)
	rules := rulesOf(form)
	return rules, input.ErrorsOf(form.Inputs()...)
}

func TestInvalidSignOnRulesAreRefused(t *testing.T) {
	for field, values := range map[string]url.Values{
		"label":     {"label": {strings.Repeat("x", 61)}},
		"admit":     {"admit": {"everybody"}},
		"domains":   {"admit": {"domain"}, "domains": {" , "}},
		"scopes":    {"scopes": {"groups \"x\""}},
		"claim":     {"claim": {"two words"}, "admins": {"a"}},
		"otherwise": {"otherwise": {"admin"}},
		"admins":    {"claim": {"groups"}, "members": {"a"}},
		"viewers":   {"viewers": {strings.Repeat("v\n", 101)}},
	} {
		if _, errs := rulesIn(values); errs[field] == "" || len(errs) != 1 {
			t.Errorf("%s: %v", field, errs)
		}
	}
	for _, domain := range []string{"example", "https://example.com", "*.example.com", "a@example.com", "-x.com", "exa mple", "@",
		strings.Repeat("x", 300) + ".com"} {
		if _, errs := rulesIn(url.Values{"domains": {domain}}); errs["domains"] == "" {
			t.Errorf("%q is a domain", domain)
		}
	}
	rules, errs := rulesIn(url.Values{"admit": {"domain"}, "domains": {"@Example.com, bücher.example"}, "claim": {"groups"},
		"admins": {" a b \n\n c"}, "passwords": {"on"}})
	if len(errs) > 0 || !rules.HasDomain("kim@EXAMPLE.com") || rules.HasDomain("kim@x.example.com") || len(rules.Admins) != 2 ||
		rules.PasswordsOff {
		t.Errorf("%+v, %v", rules, errs)
	}
}

func FuzzRulesOf(f *testing.F) {
	f.Add("example.com, @b.example", "groups", "a\nb", "openid x")
	f.Fuzz(func(t *testing.T, domains, claim, admins, scopes string) {
		rules, errs := rulesIn(url.Values{"admit": {string(signin.AdmitDomain)}, "domains": {domains}, "claim": {claim}, "admins": {admins},
			"scopes": {scopes}})
		if len(errs) == 0 &&
			(len(rules.Domains) == 0 || len(rules.Domains) > teamview.MaxList || len(rules.Admins) > teamview.MaxList ||
				len(rules.Scopes) > 20) {
			t.Errorf("%+v", rules)
		}
	})
}
