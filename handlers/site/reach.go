package site

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// UploadsReach reports whether the service can fetch what is uploaded here.
func (s *Site) UploadsReach() bool { return s.Sandbox != nil || openToAll(s.PublicURL) }

// houseNames end the names that only the computers of one house know.
var houseNames = []string{"localhost", "local", "lan", "home", "internal", "intranet", "arpa", "invalid", "test", "example"}

// sharedSpace is where providers keep customers who have no address of their
// own: RFC 6598.
var sharedSpace = netip.MustParsePrefix("100.64.0.0/10")

// openToAll reports whether the address may be reached from anywhere, as far as
// it can be told by looking at it.
func openToAll(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap()
		return ip.IsGlobalUnicast() && !ip.IsPrivate() && !sharedSpace.Contains(ip)
	}
	dot := strings.LastIndexByte(host, '.')
	return dot > 0 && !slices.Contains(houseNames, host[dot+1:])
}
