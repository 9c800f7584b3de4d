package config

import (
	"errors"
	"flag"
	"net"
	"net/url"
	"strings"
)

// OIDC holds the settings of the OpenID Connect provider for signing in; empty means
// none.
type OIDC struct{ Issuer, ClientID, Secret string }

func (o *OIDC) flags(f *flag.FlagSet) {
	f.StringVar(&o.Issuer, "oidc-issuer", "", "`address` of the OpenID Connect provider at which people sign in; empty means none")
	f.StringVar(&o.ClientID, "oidc-client-id", "", "`name` of this app at that provider")
	f.StringVar(&o.Secret, "oidc-client-secret", "", "`secret` of this app at that provider, if it has one")
}

// check refuses incomplete settings, and a provider without TLS, except on this machine.
func (o *OIDC) check() error {
	if o.Issuer == "" {
		if o.ClientID != "" || o.Secret != "" {
			return errors.New("-oidc-client-id and -oidc-client-secret need -oidc-issuer")
		}
		return nil
	}
	u, err := url.Parse(o.Issuer)
	switch {
	case err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http":
		return errors.New("-oidc-issuer is not an address such as https://login.example.com")
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return errors.New("-oidc-issuer has to begin with https")
	case o.ClientID == "":
		return errors.New("-oidc-issuer needs -oidc-client-id, the name of this app at the provider")
	}
	o.ClientID, o.Secret = strings.TrimSpace(o.ClientID), strings.TrimSpace(o.Secret)
	return nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
