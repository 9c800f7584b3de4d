package config

import "dailies/web/throttle"

// Networks is a list of networks and addresses, in the syntax of
// throttle.ParseProxies.
type Networks string

// String implements flag.Value.
func (n *Networks) String() string { return string(*n) }

// Set implements flag.Value.
func (n *Networks) Set(text string) error {
	if _, err := throttle.ParseProxies(text); err != nil {
		return sentence("it takes networks and addresses such as 127.0.0.1,10.0.0.0/8")
	}
	*n = Networks(text)
	return nil
}

// Proxies returns the parsed networks. Set has already checked the syntax.
func (n Networks) Proxies() throttle.Proxies {
	proxies, _ := throttle.ParseProxies(string(n))
	return proxies
}
