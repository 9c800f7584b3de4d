package account

import (
	"net/http"
	"net/url"

	"dailies/db/signin"
	"dailies/db/store/people"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/web/openid"
	"dailies/web/passkey"
)

// ways knows how people can sign in.
type ways struct {
	canMail  bool
	network  *site.Network
	provider *openid.Provider // nil if none is configured
	signOn   *people.SignOn
}

// rules returns what the admins have set.
func (y *ways) rules(r *http.Request) (signin.Rules, error) { return y.signOn.Rules(r.Context()) }

// providerName returns the name under which users know the provider.
func (y *ways) providerName(r *http.Request) (string, error) {
	rules, err := y.rules(r)
	return nameOf(y.provider, rules), err
}

// nameOf returns the name under which users know the provider: the label that an admin
// chose, or else its host. It is empty without a provider.
func nameOf(provider *openid.Provider, rules signin.Rules) string {
	if provider == nil || rules.Label != "" {
		return rules.Label
	}
	if u, err := url.Parse(provider.Issuer()); err == nil {
		return u.Host
	}
	return provider.Issuer()
}

// fill fills in which ways to sign in the page offers.
func (y *ways) fill(r *http.Request, form *accountview.LoginForm) error {
	rules, err := y.rules(r)
	form.PasswordsOff, form.Mail = rules.PasswordsOff, y.canMail
	_, nowhere := passkey.NewRelyingParty(y.network.Origin(r))
	form.Passkeys = nowhere == nil
	if y.provider != nil {
		form.Provider = nameOf(y.provider, rules)
	}
	return err
}
