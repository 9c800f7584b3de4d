// Package proof holds the store to what it promises of two engines and of several
// processes, in tests and benchmarks alone.
package proof
