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

func TestSizesAsPeopleWriteThem(t *testing.T) {
	for text, want := range map[string]config.Size{
		"": 0, "0": 0, "1048576": 1 << 20, "50GB": 50e9, " 1.5 TB ": 15e11, "800M": 8e8, "64GiB": 64 << 30, "2ki": 2048, "7b": 7, "3 kB": 3000,
	} {
		c, err := config.ParseApp(source(map[string]string{"DAILIES_KEEP_MAX": text}))
		if err != nil || c.KeepMax != want {
			t.Errorf("%q: got %d, %v", text, c.KeepMax, err)
		}
	}
	for _, text := range []string{"much", "-5GB", "5XB", "GB", "1e300", "NaN", "5 5GB", "5bg", "inf", "0x10"} {
		if c, err := config.ParseApp(source(nil, "-keep-max", text)); err == nil {
			t.Errorf("%q is taken for %d", text, c.KeepMax)
		}
	}
}
