package sandbox_test

import (
	"bytes"
	"errors"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
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

// API.md: "Third-party callers send the header Authorization: Bearer <API_KEY>
// on every call."
func TestEveryCallNeedsAKey(t *testing.T) {
	w := start(t, 100)
	r := w.create(tiny("A quiet sea"))
	for _, path := range []string{generate, query} {
		for _, auth := range []string{"", "Bearer", "Bearer ", "Bearer sk-wrong", "Basic " + w.key, w.key, "Bearer  x" + w.key} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+path, strings.NewReader(`{"taskId":"`+r.ID+`"}`))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			if auth != "" {
				req.Header.Set("Authorization", auth)
			}
			w.refused(w.send(req), "no auth, please sign in")
		}
	}
	err := w.client.CheckKey(t.Context(), "sk-wrong")
	if e := new(videoapi.Error); !errors.As(err, &e) || e.Kind != videoapi.KeyRefused {
		t.Errorf("the client says %v", err)
	}
	if err := w.client.CheckKey(t.Context(), w.key); err != nil {
		t.Errorf("the client says %v of a good key", err)
	}
}

func TestKeysHaveTheUsualForm(t *testing.T) {
	w := start(t, 0)
	form := regexp.MustCompile(`^sk-[A-Za-z0-9]{32}$`)
	seen := map[string]bool{}
	for range 20 {
		key, err := w.NewKey(t.Context(), "another", 1)
		if err != nil || !form.MatchString(key) || seen[key] {
			t.Fatalf("got %q, %v", key, err)
		}
		seen[key] = true
	}
}

func TestKeysOfOneAccountShareItsCreditsAndTasks(t *testing.T) {
	w := start(t, 100)
	second, err := w.AddKey(t.Context(), w.key, "second")
	if err != nil {
		t.Fatal(err)
	}
	r := w.create(tiny("A quiet sea"))
	if _, err := w.client.Query(t.Context(), second, r.ID); err != nil {
		t.Errorf("query with the second key: %v", err)
	}
	if b, err := w.Balance(t.Context(), second); err != nil || b != 94 {
		t.Errorf("balance %v, %v; want 94", b, err)
	}
}

func TestUnknownKeys(t *testing.T) {
	w := start(t, 0)
	_, balance := w.Balance(t.Context(), "sk-wrong")
	_, add := w.AddKey(t.Context(), "sk-wrong", "x")
	_, ledger := w.Ledger(t.Context(), "sk-wrong")
	for _, err := range []error{balance, add, ledger, w.TopUp(t.Context(), "sk-wrong", 1)} {
		if !errors.Is(err, sandbox.ErrUnknownKey) {
			t.Errorf("got %v, want ErrUnknownKey", err)
		}
	}
	for _, credits := range []float64{-1, math.NaN(), math.Inf(1), 1e12} {
		if err := w.TopUp(t.Context(), w.key, credits); err == nil {
			t.Errorf("topped up by %v", credits)
		}
	}
}

func TestHasKeys(t *testing.T) {
	s, err := sandbox.Open(t.Context(), sandbox.Config{Dir: t.TempDir(), Base: base, Fetch: http.DefaultClient})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if has, err := s.HasKeys(t.Context()); has || err != nil {
		t.Errorf("a new sandbox has keys: %v, %v", has, err)
	}
	if _, err := s.NewKey(t.Context(), "first", 1); err != nil {
		t.Fatal(err)
	}
	if has, err := s.HasKeys(t.Context()); !has || err != nil {
		t.Errorf("it has none after the first: %v, %v", has, err)
	}
}

func TestKeysAreNotStoredInClearText(t *testing.T) {
	w := start(t, 100)
	w.stop()
	files, err := filepath.Glob(filepath.Join(w.dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if text, err := os.ReadFile(f); err == nil && bytes.Contains(text, []byte(w.key)) {
			t.Errorf("%s has the key in it", f)
		}
	}
}

func TestARevokedKeyIsRefusedAndTheOthersStayValid(t *testing.T) {
	w := start(t, 100)
	second, err := w.AddKey(t.Context(), w.key, "second")
	if err != nil {
		t.Fatal(err)
	}
	r := w.create(tiny("A quiet sea"))
	keys, err := w.Keys(t.Context(), w.key)
	if err != nil || len(keys) != 2 || keys[0].Name != "second" || keys[1].Name != "test" {
		t.Fatalf("keys %+v, %v", keys, err)
	}
	if k := keys[1]; k.Tail != w.key[len(w.key)-4:] || k.UsedAt.IsZero() || !keys[0].UsedAt.IsZero() || k.CreatedAt.IsZero() {
		t.Errorf("the used key is listed as %+v, the other as %+v", k, keys[0])
	}
	stranger, err := w.NewKey(t.Context(), "stranger", 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.RevokeKey(t.Context(), stranger, keys[1].ID); !errors.Is(err, sandbox.ErrUnknownKey) {
		t.Errorf("a stranger revokes: %v", err)
	}
	if err := w.RevokeKey(t.Context(), second, keys[1].ID); err != nil {
		t.Fatal(err)
	}
	w.refused(w.post(query, `{"taskId":"`+r.ID+`"}`), "no auth, please sign in")
	w.key = second
	w.query(r.ID)
	if keys, err = w.Keys(t.Context(), second); err != nil || keys[1].RevokedAt.IsZero() || !keys[0].RevokedAt.IsZero() {
		t.Errorf("keys %+v, %v", keys, err)
	}
}
