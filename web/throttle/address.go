package throttle

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
)

// Proxies lists the networks of the reverse proxies whose X-Forwarded-For header is
// trusted.
type Proxies []netip.Prefix

// ParseProxies parses networks and single addresses, separated by commas or spaces, such
// as "127.0.0.1, 10.0.0.0/8".
func ParseProxies(text string) (Proxies, error) {
	var p Proxies
	for _, one := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		network, err := netip.ParsePrefix(one)
		if addr, single := netip.ParseAddr(one); single == nil {
			addr = addr.Unmap().WithZone("")
			network, err = addr.Prefix(addr.BitLen())
		}
		if err != nil {
			return nil, fmt.Errorf("%q is not a network such as 10.0.0.0/8", one)
		}
		p = append(p, network.Masked())
	}
	return p, nil
}

func (p Proxies) trust(addr netip.Addr) bool {
	for _, network := range p {
		if network.Contains(addr) {
			return true
		}
	}
	return false
}

// maxHops limits how many addresses of a header are examined. No genuine chain of
// proxies is nearly that long.
const maxHops = 32

// Client returns the IP address of the client that sent the request: the peer or, behind
// a trusted proxy, the rightmost address of X-Forwarded-For that is not itself a trusted
// proxy. Addresses further left may be forged by the client. The result is invalid if
// the peer has no IP address.
func (p Proxies) Client(r *http.Request) netip.Addr {
	client := hop(r.RemoteAddr)
	rest := strings.Join(r.Header.Values("X-Forwarded-For"), ",")
	for range maxHops {
		if !p.trust(client) || rest == "" {
			break
		}
		last := rest
		if i := strings.LastIndexByte(rest, ','); i >= 0 {
			rest, last = rest[:i], rest[i+1:]
		} else {
			rest = ""
		}
		next := hop(strings.TrimSpace(last))
		if !next.IsValid() {
			break // the last proxy is the last known address
		}
		client = next
	}
	return client
}

// Untrusted returns the peer of a request that a proxy has forwarded which is not trusted, so
// that Client returns the address of the proxy. forwarded is false for any other request.
func (p Proxies) Untrusted(r *http.Request) (peer netip.Addr, forwarded bool) {
	for _, name := range []string{"X-Forwarded-For", "Forwarded", "X-Real-Ip", "Via"} {
		if r.Header.Get(name) != "" {
			peer = hop(r.RemoteAddr)
			return peer, peer.IsValid() && !p.trust(peer)
		}
	}
	return netip.Addr{}, false
}

// hop parses an address with or without a port.
func hop(text string) netip.Addr {
	if with, err := netip.ParseAddrPort(text); err == nil {
		return with.Addr().Unmap().WithZone("")
	}
	addr, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	if err != nil {
		return netip.Addr{}
	}
	return addr.Unmap().WithZone("")
}

// nat64 is the network to which NAT64 gateways map IPv4 addresses (RFC 6052).
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// Network returns the name under which attempts from the address are counted. IPv6
// addresses are counted by their /64, because a client usually controls all of it.
func Network(addr netip.Addr) string {
	switch {
	case !addr.IsValid():
		return "unknown"
	case addr.Is4():
		return addr.String()
	case nat64.Contains(addr):
		b := addr.As16()
		return netip.AddrFrom4([4]byte(b[12:])).String()
	}
	network, err := addr.WithZone("").Prefix(64)
	if err != nil {
		return "unknown"
	}
	return network.String()
}

// Around returns the name of the larger network that attempts from the address also
// count against: the /48 of an IPv6 address, which is as much as one customer of a
// provider usually gets. It returns "" for any other address.
func Around(addr netip.Addr) string {
	if !addr.IsValid() || addr.Is4() || nat64.Contains(addr) {
		return ""
	}
	network, err := addr.WithZone("").Prefix(48)
	if err != nil {
		return ""
	}
	return network.String()
}
