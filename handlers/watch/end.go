package watch

import (
	"context"
	"log/slog"
	"unicode/utf8"

	"dailies/db"
)

// longestReason limits the reason that is logged for a video that was not made, in
// characters: it is partly text of the service.
const longestReason = 200

// logEnd logs a task that has just ended without a video, or of which it is not known
// whether it was paid.
func (c *Config) logEnd(ctx context.Context, before, t db.Task) {
	lost := before.Keeping != db.Lost && t.Keeping == db.Lost
	if before.State == t.State && !lost {
		return
	}
	said, level := "", slog.LevelWarn
	switch {
	case lost:
		said = "a video is given up: its file cannot be had"
	case t.State == db.Unconfirmed:
		said = "a video is unconfirmed: it is not known whether it was paid"
	case t.State == db.Failed, t.State == db.Canceled:
		said, level = "a video failed at the service", slog.LevelInfo
	case t.State == db.Rejected:
		said, level = "a video was refused: nothing was paid", slog.LevelInfo
	default:
		return
	}
	c.Log.Log(ctx, level, said, "task", t.ID, "state", t.State, "user", t.UserID, "model", t.Model,
		"key", c.keyOf(ctx, t), "service id", t.RemoteID, "reason", shorten(t.Message))
}

// tellUnconfirmed logs tasks that have become unconfirmed.
func (c *Config) tellUnconfirmed(ctx context.Context, tasks []db.Task) {
	for _, t := range tasks {
		c.logEnd(ctx, db.Task{}, t)
	}
}

// keyOf returns words that identify the key with which the task was sent, without the key.
func (c *Config) keyOf(ctx context.Context, t db.Task) string {
	if t.KeyID == 0 {
		return "the person's own"
	}
	name, err := c.Store.Keys.TeamKeyName(ctx, t.KeyID)
	if err != nil {
		return "unknown"
	}
	return name
}

// shorten cuts text to longestReason.
func shorten(text string) string {
	if utf8.RuneCountInString(text) <= longestReason {
		return text
	}
	return string([]rune(text)[:longestReason-1]) + "…"
}
