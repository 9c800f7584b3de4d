package team

import (
	"strings"
	"testing"

	dbteam "dailies/db/team"
	teamview "dailies/views/team"
)

func TestInvalidSignOnRulesAreRefused(t *testing.T) {
	for field, f := range map[string]teamview.SignOnForm{
		"label":     {Label: strings.Repeat("x", 61)},
		"admit":     {Admit: "everybody"},
		"domains":   {Admit: "domain", Domains: " , "},
		"scopes":    {Scopes: "groups \"x\""},
		"claim":     {Claim: "two words", Admins: "a"},
		"otherwise": {Otherwise: "admin"},
		"admins":    {Claim: "groups", Members: "a"},
		"viewers":   {Viewers: strings.Repeat("v\n", 101)},
	} {
		if _, errs := rulesOf(f); errs[field] == "" || len(errs) != 1 {
			t.Errorf("%s: %v", field, errs)
		}
	}
	for _, domain := range []string{"example", "https://example.com", "*.example.com", "a@example.com", "-x.com", "exa mple", "@", strings.Repeat("x", 300) + ".com"} {
		if _, errs := rulesOf(teamview.SignOnForm{Domains: domain}); errs["domains"] == "" {
			t.Errorf("%q is a domain", domain)
		}
	}
	rules, errs := rulesOf(teamview.SignOnForm{Admit: "domain", Domains: "@Example.com, bücher.example", Claim: "groups", Admins: " a b \n\n c", Passwords: true})
	if len(errs) > 0 || !rules.HasDomain("kim@EXAMPLE.com") || rules.HasDomain("kim@x.example.com") || len(rules.Admins) != 2 || rules.PasswordsOff {
		t.Errorf("%+v, %v", rules, errs)
	}
}

func FuzzRulesOf(f *testing.F) {
	f.Add("example.com, @b.example", "groups", "a\nb", "openid x")
	f.Fuzz(func(t *testing.T, domains, claim, admins, scopes string) {
		rules, errs := rulesOf(teamview.SignOnForm{Admit: string(dbteam.AdmitDomain), Domains: domains, Claim: claim, Admins: admins, Scopes: scopes})
		if len(errs) == 0 && (len(rules.Domains) == 0 || len(rules.Domains) > maxList || len(rules.Admins) > maxList || len(rules.Scopes) > maxScopes) {
			t.Errorf("%+v", rules)
		}
	})
}
