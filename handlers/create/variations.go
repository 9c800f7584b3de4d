package create

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"dailies/db"
	"dailies/handlers/site"
)

// variations returns as many tasks like the first, of one batch where there are
// several. A seed that was chosen is the first one's; each next one has the next
// number, because with the same one it would be the same video.
func (p *Press) variations(first db.Task, count int, token string) []db.Task {
	m, _ := p.Catalog.Model(first.Model)
	first.FormToken = onceToken(token, first, count)
	if count > 1 {
		first.Batch = db.NewToken()
	}
	tasks := []db.Task{first}
	for i := 1; i < count; i++ {
		t := first
		t.FormToken += fmt.Sprintf(" %d", i+1)
		t.Options.Seed = m.NextSeed(first.Options.Seed, int64(i))
		tasks = append(tasks, t)
	}
	return tasks
}

// onceToken makes a second press find the first video. Somebody who goes back,
// changes a word and presses again means another video, though the page still
// carries the old token; so what was filled in belongs to it.
func onceToken(token string, t db.Task, count int) string {
	if token == "" {
		token = db.NewToken()
	}
	asked, _ := json.Marshal([]any{t.Scene, t.Model, t.Prompt, t.Provider, t.Pictures, t.Options, t.ParentID, t.Reuse, count}) // plain values
	sum := sha256.Sum256(asked)
	return site.Clip(token, 100) + " " + hex.EncodeToString(sum[:8])
}
