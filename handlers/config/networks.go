package config

import "dailies/web/throttle"

// Networks is a list of networks and addresses, in the syntax of
// throttle.ParseProxies.
type Networks string

// String implements flag.Value.
func (n *Networks) String() string { return string(*n) }

// Set implements flag.Value.
func (n *Networks) Set(text string) error {
	_, err := throttle.ParseProxies(text)
	*n = Networks(text)
	return err
}

// Proxies returns the parsed networks. Set has already checked the syntax.
func (n Networks) Proxies() throttle.Proxies {
	proxies, _ := throttle.ParseProxies(string(n))
	return proxies
}
