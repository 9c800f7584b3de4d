package config

import "dailies/web/throttle"

// Networks is a list of networks and addresses, as throttle.ParseProxies reads
// it.
type Networks string

// String implements flag.Value.
func (n *Networks) String() string { return string(*n) }

// Set implements flag.Value.
func (n *Networks) Set(text string) error {
	_, err := throttle.ParseProxies(text)
	*n = Networks(text)
	return err
}

// Proxies returns the networks. Set has checked them.
func (n Networks) Proxies() throttle.Proxies {
	proxies, _ := throttle.ParseProxies(string(n))
	return proxies
}
