package throttle_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"dailies/web/throttle"
)

func request(peer string, forwarded ...string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.RemoteAddr = peer
	for _, line := range forwarded {
		r.Header.Add("X-Forwarded-For", line)
	}
	return r
}

func TestClientIsTheRightmostAddressThatIsNoProxy(t *testing.T) {
	proxies, err := throttle.ParseProxies("127.0.0.1, 10.0.0.0/8 fd00::/8,::1")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		peer      string
		forwarded []string
		want      string
	}{
		{"203.0.113.7:1", nil, "203.0.113.7"},
		{"203.0.113.7:1", []string{"198.51.100.1"}, "203.0.113.7"}, // the peer is not trusted
		{"127.0.0.1:1", nil, "127.0.0.1"},
		{"127.0.0.1:1", []string{"198.51.100.1"}, "198.51.100.1"},
		{"127.0.0.1:1", []string{"6.6.6.6, 198.51.100.1"}, "198.51.100.1"},
		{"127.0.0.1:1", []string{"6.6.6.6", "198.51.100.1"}, "198.51.100.1"},
		{"127.0.0.1:1", []string{"6.6.6.6,198.51.100.1 , 10.1.2.3"}, "198.51.100.1"},
		{"127.0.0.1:1", []string{"10.1.2.3"}, "10.1.2.3"}, // all are proxies: the leftmost one
		{"127.0.0.1:1", []string{"6.6.6.6, junk, 10.1.2.3"}, "10.1.2.3"},
		{"127.0.0.1:1", []string{"198.51.100.1:4711"}, "198.51.100.1"},
		{"127.0.0.1:1", []string{"[2001:db8::1]:4711"}, "2001:db8::1"},
		{"127.0.0.1:1", []string{"[2001:db8::1]"}, "2001:db8::1"},
		{"[::1]:1", []string{"2001:db8::1"}, "2001:db8::1"},
		{"[::ffff:127.0.0.1]:1", []string{"::ffff:198.51.100.1"}, "198.51.100.1"},
		{"[fe80::1%eth0]:1", nil, "fe80::1"},
		{"127.0.0.1:1", []string{strings.Repeat("10.0.0.1,", 100_000) + "10.0.0.1"}, "10.0.0.1"},
		{"127.0.0.1:1", []string{""}, "127.0.0.1"},
		{"127.0.0.1:1", []string{","}, "127.0.0.1"},
	} {
		if got := proxies.Client(request(tt.peer, tt.forwarded...)).String(); got != tt.want {
			t.Errorf("%s, %.80q: %s, want %s", tt.peer, tt.forwarded, got, tt.want)
		}
	}
	if got := (throttle.Proxies(nil)).Client(request("127.0.0.1:1", "198.51.100.1")).String(); got != "127.0.0.1" {
		t.Errorf("without proxies the header counts: %s", got)
	}
	if (throttle.Proxies(nil)).Client(request("@")).IsValid() {
		t.Error("a peer without an address has one")
	}
}

func TestNetworksAreCountedTogether(t *testing.T) {
	for text, want := range map[string]string{
		"203.0.113.7": "203.0.113.7", "::ffff:203.0.113.7": "203.0.113.7",
		"2001:db8:1:2::1": "2001:db8:1:2::/64", "2001:db8:1:2:ffff:ffff:ffff:ffff": "2001:db8:1:2::/64", "2001:db8:1:3::1": "2001:db8:1:3::/64",
		"64:ff9b::203.0.113.7": "203.0.113.7", "::1": "::/64",
	} {
		if got := throttle.Network(netip.MustParseAddr(text).Unmap()); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"203.0.113.7": "", "::ffff:203.0.113.7": "", "64:ff9b::203.0.113.7": "",
		"2001:db8:1:2::1": "2001:db8:1::/48", "2001:db8:1:ffff::1": "2001:db8:1::/48", "2001:db8:2::1": "2001:db8:2::/48",
	} {
		if got := throttle.Around(netip.MustParseAddr(text).Unmap()); got != want {
			t.Errorf("around %s: %q, want %q", text, got, want)
		}
	}
	if got := throttle.Around(netip.Addr{}); got != "" {
		t.Errorf("around nothing is %q", got)
	}
	if got := throttle.Network(netip.Addr{}); got == "" {
		t.Error("no address has no name")
	}
}

func TestUnusableProxiesAreRefused(t *testing.T) {
	for _, text := range []string{"localhost", "10.0.0.0/33", "10.0.0", "::1/x", "10.0.0.0/8;::1"} {
		if p, err := throttle.ParseProxies(text); err == nil {
			t.Errorf("%q is taken for %v", text, p)
		}
	}
	if p, err := throttle.ParseProxies(" , "); err != nil || len(p) != 0 {
		t.Errorf("nothing is %v, %v", p, err)
	}
}

func FuzzClient(f *testing.F) {
	f.Add("127.0.0.1:1", "6.6.6.6, [::1]:80")
	f.Fuzz(func(t *testing.T, peer, forwarded string) {
		proxies := throttle.Proxies{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}
		r := request(peer)
		r.Header["X-Forwarded-For"] = []string{forwarded}
		if client := proxies.Client(r); client.Is4In6() || client.Zone() != "" {
			t.Errorf("%q: %s", forwarded, client)
		}
		if p, err := throttle.ParseProxies(forwarded); err == nil {
			p.Client(r)
		}
	})
}
