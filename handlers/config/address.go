package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"dailies/web/videoapi"
)

// publicAddress refuses what is not the address of a host, and brings the address into the
// form that browsers give it, because they compare it with their own. Nothing may follow
// the host: the app's pages are at its root, so that a link below a path would lead
// nowhere.
func publicAddress(name string, s *string) error {
	*s = strings.TrimRight(*s, "/")
	if err := webAddress(name, *s); err != nil || *s == "" {
		return err
	}
	u, err := url.Parse(*s)
	if err != nil || u.Path != "" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.User != nil {
		return fmt.Errorf("%s has more than a host: Dailies is served at the root of its host, such as https://video.example.com", name)
	}
	host, err := publicHost(u)
	if err != nil {
		return fmt.Errorf("%s cannot be reached by a browser: %w", name, err)
	}
	*s = u.Scheme + "://" + host
	return nil
}

// publicHost returns the host of the URL and, unless it is the usual one, the port.
func publicHost(u *url.URL) (string, error) {
	host, port := u.Hostname(), u.Port()
	if n, err := strconv.Atoi(port); strings.HasSuffix(u.Host, ":") || port != "" && (err != nil || n < 1 || n > 65535) {
		return "", errors.New("the port after the host is a number from 1 to 65535")
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.Zone() == "" {
		host = ip.String()
	} else if host, err = hostNames.ToASCII(host); err != nil || host == "" || strings.ContainsFunc(host, isForeign) {
		return "", errors.New("the host is a name such as video.example.com")
	}
	if u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
		port = ""
	}
	if port != "" {
		return net.JoinHostPort(host, port), nil
	}
	if strings.Contains(host, ":") {
		return "[" + host + "]", nil
	}
	return host, nil
}

// hostNames brings names of hosts into the form that browsers use. Unlike in the names of
// domains, an underscore is allowed.
var hostNames = idna.New(idna.MapForLookup(), idna.StrictDomainName(false))

// isForeign reports whether the letter cannot be in the name of a host.
func isForeign(c rune) bool {
	return (c < 'a' || c > 'z') && (c < '0' || c > '9') && !strings.ContainsRune("-._", c)
}

// serviceAddress refuses what is not the base address of a video service, and brings the
// address into the form in which one that an admin types into a page is kept: both name the
// same service. Whoever sets it is trusted, so that it may be private, and without https. A
// user and a password are left out: keys are sent in their place.
func serviceAddress(name string, s *string) error {
	if *s == "" {
		return nil
	}
	if u, err := url.Parse(*s); err == nil && u.User != nil {
		u.User = nil
		*s = u.String()
	}
	address, fault := videoapi.ParseAddress(*s, true)
	switch fault {
	case 0:
		*s = address
		return nil
	case videoapi.AddressPort:
		return fmt.Errorf("%s has a port that does not exist; it takes 1 to 65535", name)
	case videoapi.AddressQuery:
		return fmt.Errorf("%s has a ? or a #, after which nothing can be added", name)
	}
	return fmt.Errorf("%s is not a web address such as https://video.example.com", name)
}
