package sandbox_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"dailies/web/videoapi"
	"dailies/web/videoapi/sandbox"
)

// API.md: "For seedance-2.0 at 720p and 5 seconds the default price is 30
// credits", and "The amount depends on model and parameters."
func TestPrices(t *testing.T) {
	w := start(t, 10_000)
	w.pause()
	silent, loud := `"has_audio":false`, `"has_audio":true`
	for _, c := range []struct {
		model, options string
		want           float64
	}{
		{"seedance-2.0", `"duration":5,"resolution":"720p"`, 30},
		{"seedance-2.0", `"mode":""`, 30},
		{"seedance-2.0", `"duration":5,"resolution":"720p",` + loud, 30},
		{"seedance-2.0", `"duration":10`, 60},
		{"seedance-2.0", `"duration":5,"resolution":"480p"`, 15},
		{"seedance-2.0", `"duration":5,"resolution":"1080p"`, 60},
		{"seedance-2.0-fast", `"duration":5`, 20},
		{"veo3", `"resolution":"720p"`, 120},
		{"veo3_fast", `"resolution":"720p"`, 40},
		{"bytedance/v1-pro-text-to-video", `"duration":5`, 15},
		{"bytedance/v1-lite-text-to-video", `"duration":10`, 20},
		// API.md, of has_audio: "Used for billing calculation only."
		{"bytedance/seedance-1.5-pro", `"duration":4,` + silent, 16},
		{"bytedance/seedance-1.5-pro", `"duration":4,` + loud, 32},
		{"bytedance/seedance-1.5-pro", `"duration":4,"generate_audio":false,` + loud, 32},
		{"bytedance/seedance-1.5-pro", `"duration":4,"generate_audio":true`, 32},
		{"bytedance/seedance-1.5-pro", `"duration":4`, 16},
		{"bytedance/v1-pro-text-to-video", `"duration":5,` + loud, 15},
	} {
		before := w.balance()
		a := w.post(generate, body("", c.model, "{"+c.options+"}"))
		if *a.Code != 0 {
			t.Errorf("%s %s: %s", c.model, c.options, a.Message)
			continue
		}
		if paid := before - w.balance(); paid != c.want {
			t.Errorf("%s %s: %v credits, want %v", c.model, c.options, paid, c.want)
		}
	}
}

// API.md: "Insufficient credits at task creation: code -1".
func TestInsufficientCredits(t *testing.T) {
	w := start(t, 2)
	w.refused(w.post(generate, body("", "", "")), "Insufficient credits, 2 < 6")
	_, err := w.client.Create(t.Context(), w.key, tiny("A quiet sea"))
	if e := new(videoapi.Error); !errors.As(err, &e) || e.Kind != videoapi.NoCredits {
		t.Errorf("the client says %v", err)
	}
	if b := w.balance(); b != 2 {
		t.Errorf("balance %v, want 2", b)
	}
}

// at50 calls fn 50 times concurrently, with 0 to 49.
func at50(fn func(i int)) {
	var all sync.WaitGroup
	gate := make(chan struct{})
	for i := range 50 {
		all.Go(func() { <-gate; fn(i) })
	}
	close(gate)
	all.Wait()
}

// API.md: "Credits are checked and deducted during this call."
func TestCreditsAreDeductedOnceUnderFiftyCreates(t *testing.T) {
	w := start(t, 6*20+5) // enough for 20 tasks of 6 credits, with 5 left
	w.pause()
	errs := make([]error, 50)
	at50(func(i int) { _, errs[i] = w.client.Create(t.Context(), w.key, tiny("A quiet sea")) })
	made := 0
	for _, err := range errs {
		e := new(videoapi.Error)
		switch {
		case err == nil:
			made++
		case !errors.As(err, &e) || e.Kind != videoapi.NoCredits:
			t.Errorf("got %v", err)
		}
	}
	if b := w.balance(); made != 20 || b != 5 {
		t.Errorf("%d made and %v credits left, want 20 and 5", made, b)
	}
	if l := w.ledger(); len(l) != 1+20 {
		t.Errorf("the ledger has %d lines, want 21", len(l))
	}
}

// API.md: "A task that ends as failed is refunded in full."
func TestAFailedTaskIsRefundedOnceUnderFiftyQueries(t *testing.T) {
	w := start(t, 100)
	r := w.create(tiny("A quiet sea #fail"))
	other := w.create(tiny("Another #fail"))
	w.end(other.ID) // jobs end in order, so the first has failed too, but was not queried
	if b := w.balance(); b != 94 {
		t.Fatalf("balance %v before anybody asks, want 94", b)
	}
	at50(func(int) {
		a, err := w.client.Query(t.Context(), w.key, r.ID)
		if err != nil || a.Record.Status != videoapi.Failed {
			t.Errorf("got %v, %v", a.Record.Status, err)
		}
	})
	if b := w.balance(); b != 100 {
		t.Errorf("balance %v, want 100", b)
	}
	var refunds int
	for _, e := range w.ledger() {
		if e.Kind == sandbox.Refunded && e.TaskID == r.ID {
			refunds++
			if e.Credits != 6 || e.Balance != 100 || e.At.IsZero() {
				t.Errorf("got %+v", e)
			}
		}
	}
	if refunds != 1 {
		t.Errorf("%d refunds, want 1", refunds)
	}
}

func TestLedgerSaysWhyABalanceChanged(t *testing.T) {
	w := start(t, 10)
	r := w.create(tiny("A quiet sea"))
	if err := w.TopUp(t.Context(), w.key, 0.5); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range w.ledger() {
		if (e.Kind == sandbox.Deducted) != (e.TaskID == r.ID) {
			t.Errorf("got %+v", e)
		}
		got = append(got, string(e.Kind))
	}
	if s := strings.Join(got, ", "); s != "topped up, deducted, topped up" || w.balance() != 4.5 {
		t.Errorf("ledger %s, balance %v", s, w.balance())
	}
}

func (w *world) ledger() []sandbox.Entry {
	w.t.Helper()
	l, err := w.Ledger(w.t.Context(), w.key)
	if err != nil {
		w.t.Fatal(err)
	}
	return l
}
