package site

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// CanFetchUploads reports whether the service can fetch pictures uploaded here.
func (s *Network) CanFetchUploads() bool { return s.registry.IsPractice() || openToAll(s.publicURL) }

// localDomains are top-level domains that resolve only in a local network.
var localDomains = []string{"localhost", "local", "lan", "home", "internal", "intranet", "arpa", "invalid", "test", "example"}

// cgnatRange is the range of RFC 6598, which providers use for customers behind
// carrier-grade NAT.
var cgnatRange = netip.MustParsePrefix("100.64.0.0/10")

// openToAll reports whether the address looks reachable from the Internet, without
// using the network.
func openToAll(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap()
		return ip.IsGlobalUnicast() && !ip.IsPrivate() && !cgnatRange.Contains(ip)
	}
	dot := strings.LastIndexByte(host, '.')
	return dot > 0 && !slices.Contains(localDomains, host[dot+1:])
}
