package config

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"
)

// OIDC holds the settings of the OpenID Connect provider for signing in; empty means
// none.
type OIDC struct {
	Issuer, ClientID, Secret string
	SessionMax               time.Duration // how long a session that began there lasts
}

// Limits of SessionMax. Other sessions last as long as the longest at most.
const (
	shortestSession = 5 * time.Minute
	usualSession    = 30 * 24 * time.Hour
	longestSession  = 90 * 24 * time.Hour
)

func (o *OIDC) flags(f *flag.FlagSet) {
	f.StringVar(&o.Issuer, "oidc-issuer", "", "`address` of the OpenID Connect provider at which people sign in; empty means none")
	f.StringVar(&o.ClientID, "oidc-client-id", "", "`name` of this app at that provider")
	duration(f, &o.SessionMax, "session-max", usualSession, "`time` after which people who signed in at that provider sign in again, such as 12h; at most 2160h, 90 days")
	f.StringVar(&o.Secret, "oidc-client-secret", "", "`secret` of this app at that provider, if it has one")
}

func (o *OIDC) checkSession() error {
	if o.SessionMax < shortestSession || o.SessionMax > longestSession {
		return fmt.Errorf("-session-max %s cannot be used; it takes from 5m to 2160h", o.SessionMax)
	}
	return nil
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
