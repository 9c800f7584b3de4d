package proof_test

import (
	"flag"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// FuzzHistories lets the same things happen to a database of SQLite and to one of
// Postgres, and fails where any list, number or search differs. A run for so many
// inputs, as -fuzztime 2000x asks for, plays for at most ten seconds: each history
// takes some hundredths of one.
//
//	go test -run ^$ -fuzz Histories -fuzztime 10m ./db/store/proof
func FuzzHistories(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(told(seed, 400))
	}
	var w *twin
	var until time.Time
	f.Fuzz(func(t *testing.T, told []byte) {
		if w == nil {
			w = newTwin(t)
			until = time.Now().Add(10 * time.Second)
		}
		switch {
		case !searching():
			w.play(t, told, 80, true)
		case !counted() || time.Now().Before(until):
			w.play(t, told, 30, false)
		}
	})
}

// searching reports whether inputs are being searched for.
func searching() bool { return flag.Lookup("test.fuzz").Value.String() != "" }

// counted reports whether the search ends after so many inputs.
func counted() bool { return strings.HasSuffix(flag.Lookup("test.fuzztime").Value.String(), "x") }

// told returns bytes that tell a history.
func told(seed uint64, length int) []byte {
	r, bytes := rand.New(rand.NewPCG(seed, 1)), make([]byte, length)
	for i := range bytes {
		bytes[i] = byte(r.Uint32())
	}
	return bytes
}

// TestLongHistories plays histories of 3,000 steps, each of another seed, with
// DAILIES_LONG=1. DAILIES_SEED says the first one; the log names it.
func TestLongHistories(t *testing.T) {
	if !long() {
		t.Skip("it takes minutes: DAILIES_LONG=1 runs it")
	}
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("DAILIES_SEED"); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		must(t, err)
	}
	w := newTwin(t)
	for range 10 {
		t.Logf("DAILIES_SEED=%d", seed)
		w.play(t, told(seed, 100_000), 3000, true)
		seed++
	}
}
