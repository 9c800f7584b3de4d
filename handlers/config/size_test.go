package config_test

import (
	"testing"

	"dailies/handlers/config"
)

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
