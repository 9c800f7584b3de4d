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
	"testing"

	"dailies/web/videoapi"
	"dailies/web/videoapi/sandbox"
)

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
