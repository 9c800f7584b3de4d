package watch

import (
	"context"
	"math/rand/v2"
	"time"

	"dailies/db"
	"dailies/db/schedule"
)

const (
	// longestBackoff is the longest pause after a failed call. It is short, so that
	// work resumes soon after an outage of the service.
	longestBackoff = 15 * time.Second

	// repairPause is the pause after a failure that only a user can repair, such as a
	// refused key.
	repairPause = time.Minute

	// While a video's link is younger than young, copying is tried at least every
	// youngPause, later at least every oldPause.
	young      = 6 * time.Hour
	youngPause = 90 * time.Second
	oldPause   = 10 * time.Minute

	// roomPause is the pause before copying is tried again after the disk was full.
	roomPause = time.Minute

	// storagePause is the pause before the storage for videos is tried again after a
	// failure.
	storagePause = 15 * time.Second

	// The pause between two queries for the URL of a finished video grows by the
	// factor addressGrowth, up to addressLongest.
	addressGrowth  = 1.5
	addressLongest = time.Hour

	// The timeout of a query grows from queryFirst to queryLongest with each failure,
	// because the service may just be slow.
	queryFirst   = 30 * time.Second
	queryLongest = 3 * time.Minute
)

// backoff returns the pause after the given number of consecutive failures, or the service's
// Retry-After if that is longer. Jitter keeps the tasks from retrying at the same
// time.
func (c *Config) backoff(attempts int, retryAfter time.Duration) time.Duration {
	wait := schedule.Backoff(c.Poll, 2, attempts, max(longestBackoff, c.Poll))
	return jitter(max(wait, retryAfter))
}

// copyPause returns the time until the next attempt to copy the task's files.
func (c *Config) copyPause(t db.Task, now time.Time) time.Duration {
	longest := oldPause
	if now.Sub(t.DoneAt) < young || now.Sub(t.RefreshedAt) < young {
		longest = youngPause
	}
	return jitter(schedule.Backoff(c.Poll, 2, t.Attempts, max(longest, c.Poll)))
}

// addressPause returns the time until the next query for the URL of a finished video.
func (c *Config) addressPause(attempts int) time.Duration {
	return jitter(schedule.Backoff(c.Poll, addressGrowth, attempts, max(addressLongest, c.Poll)))
}

// queryTimeout returns the timeout of a query after the given number of failures.
func queryTimeout(attempts int) time.Duration {
	return schedule.Backoff(queryFirst, 1.5, attempts, queryLongest)
}

// jitter adds up to a tenth to d. It never shortens d, because Poll and Retry-After
// are minimum intervals.
func jitter(d time.Duration) time.Duration {
	return d + time.Duration(rand.Int64N(int64(d)/10+1))
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// sleep waits until d has passed or ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
