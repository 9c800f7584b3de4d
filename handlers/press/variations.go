package press

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/handlers/site"
	"dailies/web/videoapi"
)

// Variations returns count tasks like the first, in one batch if there are several.
// If a seed was chosen, each further task gets the next number, because the same seed
// would give the same video.
func Variations(c *videoapi.Catalog, first db.Task, count int, token string) []db.Task {
	m, _ := c.Model(first.Model)
	first.FormToken = OnceToken(token, first, count)
	if count > 1 {
		first.Batch, first.TakeGroup = secrets.NewToken(), first.FormToken
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

// OnceToken returns a form token with which a repeated submission finds the first
// video. It contains a hash of the form's values: a user who goes back, changes a
// word and submits again wants another video, although the page still has the old
// token.
func OnceToken(token string, t db.Task, count int) string {
	if token == "" {
		token = secrets.NewToken()
	}
	values := []any{t.Scene, t.Model, t.Prompt, t.Provider, t.Pictures, t.Options, t.ParentID, t.Reuse, count}
	asked, _ := json.Marshal(values) // cannot fail: the values are plain
	sum := sha256.Sum256(asked)
	return site.Clip(token, 100) + " " + hex.EncodeToString(sum[:8])
}
