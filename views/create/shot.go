package create

import (
	"fmt"
	"slices"
	"time"

	"dailies/db"
	"dailies/db/naming"
	"dailies/views/part"
)

// A shot holds the videos that were ordered together, in order. At most four of the same
// prompt are takes; others, of a table or a list, are a batch. Cards are large, and a page
// asks for its shots many times, so that these point to them.
type shot []*part.Card

const mostTakes = 4

// isBatch reports whether the videos are those of a table or a list.
func (s shot) isBatch() bool {
	first := s[0]
	if first.Group == nil || first.Group.Videos < 2 {
		return false
	}
	return first.Group.Videos > mostTakes || slices.ContainsFunc(s, func(c *part.Card) bool {
		return c.Task.Prompt != first.Task.Prompt || !slices.Equal(c.Task.Pictures, first.Task.Pictures)
	})
}

// takes says how many takes the shot has.
func (s shot) takes() string {
	ready := 0
	for _, c := range s {
		if c.Task.State == db.Success {
			ready++
		}
	}
	return fmt.Sprintf("%d takes, %d ready", len(s), ready)
}

// batchName names a batch.
func (s shot) batchName() string {
	group := s[0].Group
	if group.RecipeName == "" {
		return part.Plural(group.Videos, "Batch: %s video", "Batch: %s videos")
	}
	return part.Plural(group.Videos, "Batch: %[2]s, %[1]s video", "Batch: %[2]s, %[1]s videos", naming.Isolated(group.RecipeName))
}

// progress says how much of a batch is done, and when the rest will be.
func (s shot) progress(now time.Time) string {
	group := s[0].Group
	ready, failed := len(group.Ready), group.Videos-group.Running-len(group.Ready)
	left := s.left(now)
	minutes := int((left + time.Minute - 1) / time.Minute)
	switch {
	case group.Running == 0 && failed == 0:
		return fmt.Sprintf("%d ready", ready)
	case group.Running == 0:
		return fmt.Sprintf("%d ready, %d failed", ready, failed)
	case left == 0 && failed == 0:
		return fmt.Sprintf("%d ready, %d to go", ready, group.Running)
	case left == 0:
		return fmt.Sprintf("%d ready, %d failed, %d to go", ready, failed, group.Running)
	case failed == 0:
		return fmt.Sprintf("%d ready, %d to go, about %d min", ready, group.Running, minutes)
	}
	return fmt.Sprintf("%d ready, %d failed, %d to go, about %d min", ready, failed, group.Running, minutes)
}

// left returns how long the running videos of a batch will take, or 0 if that is not known.
// If some wait for their turn, it is the time until the turn of the last one.
func (s shot) left(now time.Time) (last time.Duration) {
	for _, c := range s {
		if c.Task.State.Running() && !c.Task.State.Begun() {
			last = max(last, c.Wait)
		}
	}
	if last == 0 {
		_, last = s.ends(now)
	}
	return last
}

// ends returns when the first and the last running video of a batch will probably be
// ready, or zeros if that is not known of all: one of them was not accepted yet, is of an
// unknown kind, or is late already.
func (s shot) ends(now time.Time) (first, last time.Duration) {
	for _, c := range s {
		if !c.Task.State.Running() {
			continue
		}
		left := c.Usual.High - now.Sub(c.Task.StartedAt())
		if c.Task.StartedAt().IsZero() || !c.Usual.Known() || left <= 0 {
			return 0, 0
		}
		if last = max(last, left); first == 0 || left < first {
			first = left
		}
	}
	return first, last
}

// until returns the first time at which progress says something else although no video has
// changed, or the zero time.
func (s shot) until(now time.Time) time.Time {
	if !s.isBatch() {
		return time.Time{}
	}
	first, last := s.ends(now)
	if last == 0 {
		return time.Time{}
	}
	return now.Add(min(first, (last-1)%time.Minute+1))
}
