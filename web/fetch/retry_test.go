package fetch_test

import (
	"net/http"
	"testing"
	"time"

	"dailies/web/fetch"
)

func TestRetryAfterHasTwoForms(t *testing.T) {
	now := time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "x": 0, "7": 7 * time.Second, " 7 ": 7 * time.Second, "-7": 0, "0": 0, "7200": time.Hour, "99999999999999999999": time.Hour,
		"Tue, 03 Nov 2026 12:01:00 GMT": time.Minute, "Tue, 03 Nov 2026 11:59:00 GMT": 0, "Tue, 03 Nov 2026 23:00:00 GMT": time.Hour,
	} {
		if got := fetch.RetryAfter(http.Header{"Retry-After": {header}}, now, time.Hour); got != want {
			t.Errorf("%q: %s, want %s", header, got, want)
		}
	}
}
