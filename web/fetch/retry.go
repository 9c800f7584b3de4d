package fetch

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// RetryAfter parses the header Retry-After in both of its forms, seconds and a date. It
// returns 0 if there is none, and never more than longest.
func RetryAfter(h http.Header, now time.Time, longest time.Duration) time.Duration {
	v := h.Get("Retry-After")
	if v == "" {
		return 0
	}
	wait := time.Duration(0)
	if seconds, err := strconv.Atoi(strings.TrimSpace(v)); err == nil || errors.Is(err, strconv.ErrRange) {
		wait = time.Duration(min(max(seconds, 0), int(longest/time.Second))) * time.Second
	} else if at, err := http.ParseTime(v); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), longest)
}
