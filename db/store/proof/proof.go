// Package proof tests what the store promises about its two engines and about
// several processes. It contains only tests and benchmarks.
package proof
