package sandbox_test

import (
	"net/http"
	"testing"

	"dailies/web/videoapi/sandbox"
)

func TestHealthNeedsNoKey(t *testing.T) {
	w := open(t, t.TempDir(), 0, sandbox.Pace{})
	for _, path := range []string{"/healthz", "/readyz"} {
		if a := w.get(t.Context(), http.MethodGet, "http://sandbox"+path, ""); a.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", path, a.Status)
		}
	}
}
