package proof_test

import (
	"flag"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"dailies/web/scopetest"
)

// FuzzHistories makes the same calls on an SQLite database and on a Postgres
// database, and fails if any list, number or search differs. Fuzzing with a number
// of inputs, such as -fuzztime 2000x, plays histories for at most ten seconds,
// because each takes some hundredths of a second.
//
//	go test -run ^$ -fuzz Histories -fuzztime 10m ./db/store/proof
func FuzzHistories(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(randomBytes(seed, 400))
	}
	var w *twin
	var until time.Time
	f.Fuzz(func(t *testing.T, told []byte) {
		if w == nil {
			w = newTwin(t)
			until = time.Now().Add(10 * time.Second)
		}
		switch {
		case !fuzzing():
			w.play(t, told, 80, true)
		case !counted() || time.Now().Before(until):
			w.play(t, told, 30, false)
		}
	})
}

// fuzzing reports whether the fuzzer is generating inputs.
func fuzzing() bool { return flag.Lookup("test.fuzz").Value.String() != "" }

// counted reports whether fuzzing ends after a number of inputs.
func counted() bool { return strings.HasSuffix(flag.Lookup("test.fuzztime").Value.String(), "x") }

// randomBytes returns bytes that determine a history.
func randomBytes(seed uint64, length int) []byte {
	r, bytes := rand.New(rand.NewPCG(seed, 1)), make([]byte, length)
	for i := range bytes {
		bytes[i] = byte(r.Uint32())
	}
	return bytes
}

// With DAILIES_LONG=1, TestLongHistories plays histories of 3,000 steps, each with
// another seed. DAILIES_SEED sets the first seed; the log names each one.
func TestLongHistories(t *testing.T) {
	if !scopetest.Long() {
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
		w.play(t, randomBytes(seed, 100_000), 3000, true)
		seed++
	}
}
