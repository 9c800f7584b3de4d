package config_test

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"dailies/handlers/config"
)

func TestTrustedProxiesAreNetworks(t *testing.T) {
	c, err := config.ParseApp(source(map[string]string{"DAILIES_TRUSTED_PROXY": "127.0.0.1, 10.1.2.3/8"}))
	want := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("10.0.0.0/8")}
	if err != nil || !slices.Equal([]netip.Prefix(c.TrustedProxy.Proxies()), want) {
		t.Errorf("got %v, %v", c.TrustedProxy.Proxies(), err)
	}
	if _, err := config.ParseApp(source(nil, "-trusted-proxy", "localhost")); err == nil || !strings.Contains(err.Error(), "-trusted-proxy") || strings.Contains(err.Error(), "\n") {
		t.Errorf("a name is taken for a network: %v", err)
	}
}

func TestSecretsThatCanBeGuessedAreRefused(t *testing.T) {
	for want, args := range map[string][]string{
		"-secret is too short":      {"-secret", "fifteen letters"},
		"-setup-token is too short": {"-setup-token", "letters"},
	} {
		_, err := config.ParseApp(source(nil, args...))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), args[1]+" ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v", args, err)
		}
		if _, err := config.ParseApp(source(nil, args[0], args[1]+"!")); err != nil {
			t.Errorf("%v and one more: %v", args, err)
		}
	}
	if _, err := config.ParseApp(source(map[string]string{"DAILIES_SECRET": "x"})); err == nil || !strings.Contains(err.Error(), "too short") {
		t.Errorf("from the environment: %v", err)
	}
}
