package watch

import (
	"context"
	"math/rand/v2"
	"time"

	"dailies/db"
)

const (
	// longestBackoff is the longest pause after a call that failed. It is short,
	// so that an outage is over here soon after it is over at the service.
	longestBackoff = 15 * time.Second

	// repairPause is the pause where only a person can repair what is wrong, say
	// a key that is refused.
	repairPause = time.Minute

	// While its link is young, a video is tried again at least every youngPause.
	young      = 6 * time.Hour
	youngPause = 90 * time.Second
	oldPause   = 10 * time.Minute

	// roomPause is the pause after which it is looked whether somebody has made
	// room on the disk.
	roomPause = time.Minute

	// storagePause is the pause after which the storage for videos is tried
	// again.
	storagePause = 15 * time.Second

	// The pause between two questions for the address of a finished video grows
	// by addressGrowth up to addressLongest.
	addressGrowth  = 1.5
	addressLongest = time.Hour

	// A question may take from queryFirst to queryLongest. It is given more time
	// after failures, because a service may just be that slow.
	queryFirst   = 30 * time.Second
	queryLongest = 3 * time.Minute
)

// backoff returns the pause after so many failed attempts in a row, or what the
// service asks for if that is longer. The jitter keeps the tasks from coming at
// once.
func (c *Config) backoff(attempts int, retryAfter time.Duration) time.Duration {
	wait := db.Backoff(c.Poll, 2, attempts, max(longestBackoff, c.Poll))
	return jitter(max(wait, retryAfter))
}

// copyPause returns the time until the next attempt to copy the task's files.
func (c *Config) copyPause(t db.Task, now time.Time) time.Duration {
	longest := oldPause
	if now.Sub(t.DoneAt) < young || now.Sub(t.RefreshedAt) < young {
		longest = youngPause
	}
	return jitter(db.Backoff(c.Poll, 2, t.Attempts, max(longest, c.Poll)))
}

// addressPause returns the time until the next question for the address of a
// finished video.
func (c *Config) addressPause(attempts int) time.Duration {
	return jitter(db.Backoff(c.Poll, addressGrowth, attempts, max(addressLongest, c.Poll)))
}

// queryTimeout returns how long a question may take.
func queryTimeout(attempts int) time.Duration {
	return db.Backoff(queryFirst, 1.5, attempts, queryLongest)
}

// jitter adds up to a tenth; never less, because Poll and Retry-After are the
// shortest pauses that somebody asked for.
func jitter(d time.Duration) time.Duration {
	return d + time.Duration(rand.Int64N(int64(d)/10+1))
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// sleep waits for the time or the end of ctx.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
