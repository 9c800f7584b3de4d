package site

import (
	"math"
	"testing"
)

func TestCredits(t *testing.T) {
	for text, want := range map[string]float64{
		"40": 40, " 12,5 ": 12.5, "0.0004": -1, "0.0005": 0.001, "0": 0, "1e3": 1000, "1000000": 1e6,
		"2,000": 2000, "1,000,000": 1e6, "12,500.5": 12500.5, "0,500": 0.5, "2,00": 2, "1,000,001": -1, "1,000,00": -1, "1000,000": 1000,
		"": -1, "-1": -1, "1e30": -1, "1000001": -1, "NaN": -1, "Inf": -1, "0x10": -1, "1_000": -1, "1.2.3": -1, "forty": -1, "1,2,3": -1,
	} {
		got, ok := Credits(text, 1e6)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q is read as %g, want %g", text, got, want)
		}
	}
}

func FuzzCredits(f *testing.F) {
	for _, text := range []string{"40", "12,5", "-1", "1e30", "NaN", "٣"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if amount, ok := Credits(text, 1e6); ok && !(amount >= 0 && amount <= 1e6) || math.IsNaN(amount) {
			t.Errorf("%q is read as %g", text, amount)
		}
	})
}
