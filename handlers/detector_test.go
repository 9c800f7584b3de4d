//go:build race

package handlers_test

// raceDetector reports whether the tests run with the race detector.
const raceDetector = true
