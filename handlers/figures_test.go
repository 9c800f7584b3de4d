package handlers_test

import (
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

// mostSlower is how many times its recorded figure a request may take. Short runs of
// the same program on a busy machine can take more than twice the figure.
const mostSlower = 3

// readFigures returns the recorded figures by the names of the benchmarks' parts.
func readFigures(b *testing.B) map[string]float64 {
	b.Helper()
	figures := map[string]float64{}
	_, err := toml.DecodeFile("testdata/figures.toml", &figures)
	must(b, err)
	return figures
}

// hold fails the benchmark if the ratio is far above the recorded one, or if none is
// recorded.
func hold(b *testing.B, figures map[string]float64, ratio float64) {
	b.Helper()
	_, name, _ := strings.Cut(strings.ReplaceAll(b.Name(), "_", " "), "/")
	recorded, ok := figures[name]
	switch {
	case !ok:
		b.Errorf("testdata/figures.toml has no figure for %q, which is %.1f", name, ratio)
	case ratio > mostSlower*recorded:
		b.Errorf("%s takes %.1f times as much as a plain handler; recorded are %.1f", name, ratio, recorded)
	default:
		b.ReportMetric(recorded, "x-recorded")
	}
}
