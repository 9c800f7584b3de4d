package handlers

import (
	"fmt"
	"strconv"

	"dailies/db"
	"dailies/handlers/site"
)

// count is how many videos the form asks for.
func (f createForm) count() int {
	if n, err := strconv.Atoi(f.Count); err == nil && n >= 1 && n <= site.MostVariations {
		return n
	}
	return 1
}

// variations are the tasks that a form without mistakes asks for: one, or
// several of one batch. A seed that was typed is the first one's; each next one
// has the next number, because with the same one it would be the same video.
func (f createForm) variations(u db.User, token string) []db.Task {
	first := f.task(u)
	first.FormToken = onceToken(token, f)
	if f.count() == 1 {
		return []db.Task{first}
	}
	first.Batch = db.NewToken()
	tasks := []db.Task{first}
	for i := 1; i < f.count(); i++ {
		t := first
		t.FormToken += fmt.Sprintf(" %d", i+1)
		t.Options.Seed = f.nextSeed(first.Options.Seed, int64(i))
		tasks = append(tasks, t)
	}
	return tasks
}

// nextSeed is the seed that comes so many after the one, beginning anew after
// the model's last one. What leaves the choice to the service stays.
func (f createForm) nextSeed(seed *int64, after int64) *int64 {
	limits := f.Chosen.Seed
	if seed == nil || *seed < 0 || limits == nil {
		return seed
	}
	next := *seed + after
	if next > limits.Max {
		next = min(limits.Max, max(0, limits.Min)+next-limits.Max-1)
	}
	return &next
}

// onceToken makes a second press find the first video. Somebody who goes back,
// changes a word and presses again means another video, though the page still
// carries the old token; so what was filled in belongs to it.
func onceToken(token string, form createForm) string {
	if token == "" {
		token = db.NewToken()
	}
	return site.Clip(token, 100) + " " + form.fingerprint()
}
