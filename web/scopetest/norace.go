//go:build !race

package scopetest

// Race reports whether the tests run with the race detector.
const Race = false
