package videoapi

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
)

// An AddressFault says why a text cannot be the address of a service; 0 if it can.
type AddressFault int

const (
	AddressMissing AddressFault = iota + 1
	AddressLong                 // it has more than MaxAddress bytes
	AddressWrong                // it is no web address
	AddressOpen                 // it begins with http, not with https
	AddressUser                 // it has a user or a password, which anybody could read who sees it
	AddressPort                 // its port does not exist
	AddressQuery                // it has a query or a fragment, after which nothing can be added
	AddressPrivate              // it leads to this machine or into a private network
)

// MaxAddress limits the address of a service, in bytes.
const MaxAddress = 500

// ParseAddress returns the base address of a service that somebody has typed: with a
// scheme, which is https if none was typed, with an ASCII name of the host, and without a
// trailing slash. The address must be a public one with https, unless allowPrivate is set.
// Whether a name leads into a private network shows only when it is resolved: that is up to
// the client that calls it.
func ParseAddress(typed string, allowPrivate bool) (address string, fault AddressFault) {
	typed = strings.TrimSpace(typed)
	switch {
	case typed == "":
		return "", AddressMissing
	case len(typed) > MaxAddress:
		return "", AddressLong
	case strings.ContainsFunc(typed, func(r rune) bool {
		return r == '\\' || r == unicode.ReplacementChar || !unicode.IsGraphic(r) || unicode.IsSpace(r)
	}):
		return "", AddressWrong
	}
	if !strings.Contains(typed, "://") {
		typed = "https://" + typed
	}
	if hasUser(typed) { // whatever else is wrong with it
		return "", AddressUser
	}
	u, err := url.Parse(typed)
	if err != nil || u.Opaque != "" {
		return "", faultOfPort(typed)
	}
	if u.Scheme != "https" && u.Scheme != "http" {
		return "", AddressWrong
	}
	if u.RawQuery != "" || u.ForceQuery || strings.Contains(typed, "#") {
		return "", AddressQuery
	}
	host, fault := hostOf(u.Hostname(), allowPrivate)
	if fault != 0 {
		return "", fault
	}
	port, fault := portOf(u)
	if fault != 0 {
		return "", fault
	}
	if u.Scheme == "http" && !allowPrivate {
		return "", AddressOpen
	}
	base := url.URL{Scheme: u.Scheme, Host: host + port, Path: u.Path, RawPath: u.RawPath}
	if address = strings.TrimRight(base.String(), "/"); len(address) > MaxAddress {
		return "", AddressLong // the ASCII form of a name is longer
	}
	return address, 0
}

// hasUser reports whether there is an @ before the path.
func hasUser(address string) bool {
	_, rest, _ := strings.Cut(address, "://")
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	return strings.Contains(rest, "@")
}

// faultOfPort returns the fault of an address that cannot be parsed. It is the port if
// there is none of this number.
func faultOfPort(address string) AddressFault {
	_, rest, _ := strings.Cut(address, "://")
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	at := strings.LastIndex(rest, ":")
	if at > 0 && (rest[at-1] == ']' || !strings.Contains(rest[:at], ":")) && strings.Trim(rest[at+1:], "-0123456789") == "" {
		return AddressPort
	}
	return AddressWrong
}

// portOf returns the port with a colon before it; empty if it is the usual one.
func portOf(u *url.URL) (string, AddressFault) {
	if u.Port() == "" {
		return "", 0
	}
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	switch {
	case err != nil || n == 0:
		return "", AddressPort
	case u.Scheme == "https" && n == 443, u.Scheme == "http" && n == 80:
		return "", 0
	}
	return ":" + strconv.FormatUint(n, 10), 0
}

// hostNames brings names of hosts into one form. Unlike in the names of domains, an
// underscore is allowed: services of a compose file have names such as video_service.
var hostNames = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(false))

// isForeign reports whether the character cannot be in the name of a host.
func isForeign(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("-._", r)
}

// hostOf returns the host in the form in which it stands in an address.
func hostOf(name string, allowPrivate bool) (string, AddressFault) {
	if ip, err := netip.ParseAddr(name); err == nil {
		return ipOf(ip, allowPrivate)
	}
	ascii, err := hostNames.ToASCII(name)
	if err != nil || strings.ContainsFunc(ascii, isForeign) {
		return "", AddressWrong
	}
	ascii = strings.TrimSuffix(ascii, ".")
	if again, err := hostNames.ToASCII(ascii); err != nil || again != ascii { // names of invalid UTF-8
		return "", AddressWrong
	}
	last := ascii[strings.LastIndex(ascii, ".")+1:]
	switch {
	case last == "", strings.Contains("."+ascii, ".."):
		return "", AddressWrong
	case last == "invalid", last[0] >= '0' && last[0] <= '9': // some resolvers take 2130706433 or 0x7f.1 for 127.0.0.1
		return "", AddressWrong
	case last == "localhost" && !allowPrivate:
		return "", AddressPrivate
	}
	return ascii, 0
}

// sharedSpace holds the addresses between a provider and its customers (RFC 6598).
var sharedSpace = netip.MustParsePrefix("100.64.0.0/10")

func ipOf(ip netip.Addr, allowPrivate bool) (string, AddressFault) {
	if ip.Zone() != "" {
		return "", AddressWrong
	}
	ip = ip.Unmap()
	private := !ip.IsGlobalUnicast() || ip.IsPrivate() || sharedSpace.Contains(ip) || isOwn(ip)
	switch {
	case private && !allowPrivate:
		return "", AddressPrivate
	case ip.Is6():
		return "[" + ip.String() + "]", 0
	}
	return ip.String(), 0
}

// isOwn reports whether the address is one of this machine.
func isOwn(ip netip.Addr) bool {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, one := range all {
		prefix, err := netip.ParsePrefix(one.String())
		if err == nil && prefix.Addr().Unmap() == ip {
			return true
		}
	}
	return false
}
