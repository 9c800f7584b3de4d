package handlers_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"net/url"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/secrets"
	"dailies/db/store/sampletest"
	"dailies/handlers/handlerstest"
)

// BenchmarkPlaces requests pages that once cost more than others of their kind, with the
// database of BenchmarkPages: links of guests to a collection and to a storyline, the menus of
// the gallery, a video without takes and one with four, and what depends on the number of
// members. It reports the median CPU time of a response, and its allocations. To compare two
// versions, run this file with both, in turns.
//
//	go test -run ^$ -bench BenchmarkPlaces -benchtime 40x ./handlers
func BenchmarkPlaces(b *testing.B) {
	dir := b.TempDir()
	sampletest.Prepare(b, filepath.Join(dir, "dailies.db"), sampletest.Tasks(b), 100)
	h := handlerstest.NewAt(b, dir)
	handler, err := h.App.Handler()
	must(b, err)
	p := h.Stranger(b)
	p.Post("/login", url.Values{"email": {"person0@example.com"}, "password": {sampletest.Password}}).Is(303)
	page := func(name, path string) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			sampletest.Timed(b, func() { visit(b, handler, p, path) })
		})
	}
	var ids []int64
	for _, found := range regexp.MustCompile(`id="task-(\d+)"`).FindAllStringSubmatch(p.Get(fmt.Sprintf("/gallery?before=%d", sampletest.Tasks(b)/2)).Is(200).Text, -1) {
		ids = append(ids, parsed(b, found[1]))
	}
	admin, err := h.Store.Accounts.User(b.Context(), 1)
	must(b, err)
	share := func(change func(*gallery.Share)) string {
		s := gallery.Share{Token: secrets.NewToken(), May: gallery.Look, CreatedBy: 1, CreatedAt: db.Now(), ExpiresAt: db.Now().Add(time.Hour)}
		change(&s)
		must(b, h.Store.Links.AddShare(b.Context(), &s))
		return "/share/" + s.Token
	}

	page("link to a collection", share(func(s *gallery.Share) { s.CollectionID = 7 }))
	page("collection", "/collections/7")

	for _, menu := range []gallery.Facet{gallery.ByMaker, gallery.ByScene, gallery.ByModel, gallery.ByRatio, gallery.ByState, gallery.ByStarred, gallery.ByTag, gallery.ByCast, gallery.ByVerdict, gallery.ByDate} {
		page("menu "+string(menu), "/gallery/counts?menu="+string(menu))
	}
	page("menu model, of a scene", "/gallery/counts?menu=model&scene=text-to-video")

	for _, id := range ids[:5] { // the others have no files
		file := h.File(b, db.Video, "video/webm", fmt.Append(nil, "film ", id))
		h.Alter(b, id, func(t *db.Task) { t.Media[0].Hash, t.Media[0].Size, t.Private = file.Hash, file.Size, false })
	}
	for _, id := range ids[2:5] {
		must(b, h.Store.Takes.Stack(b.Context(), admin, id, ids[1]))
	}
	videos := func(state string) {
		page("video"+state, fmt.Sprintf("/tasks/%d", ids[0]))
		page("video with four takes"+state, fmt.Sprintf("/tasks/%d", ids[1]))
		page("fragment"+state, fmt.Sprintf("/tasks/%d/status", ids[0]))
		page("fragment with four takes"+state, fmt.Sprintf("/tasks/%d/status", ids[1]))
	}
	videos("")
	decide := func(s *gallery.Share, id int64) { s.TaskID, s.Takes, s.May = id, true, gallery.Decide }
	for _, id := range ids[:2] {
		page("link to a video", share(func(s *gallery.Share) { decide(s, id) }))
	}
	videos(", shared")
	for _, id := range ids[:2] {
		page("link to a storyline", share(func(s *gallery.Share) { decide(s, id); s.Story = true }))
	}
	videos(", shared with a storyline")

	page("gallery", "/gallery")
	page("gallery, its next tiles", fmt.Sprintf("/gallery?before=%d", ids[len(ids)-1]))
	page("keys of the team", "/team/keys")
	must(b, h.Store.Keys.PutKey(b.Context(), secrets.Key{UserID: 1, Sealed: h.Watcher.Vault.Seal(1, "sk-bench"), CreatedAt: db.Now()}))
	addMembers(b, h, 2000)
	page("keys of the team, 2,000 members", "/team/keys")
	page("gallery, 2,000 members", "/gallery")
}

// addMembers adds members directly to the database file, all with the first user's key.
func addMembers(b *testing.B, h *handlerstest.Server, n int) {
	b.Helper()
	raw, err := sql.Open("sqlite", "file:"+h.Database+"?_pragma=busy_timeout(5000)")
	must(b, err)
	defer raw.Close()
	for _, statement := range []string{
		`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
			INSERT INTO users (name, email, email_key, email_norm, password, role, last_scene, created_at)
			SELECT 'Member ' || i, 'm' || i || '@example.com', 'm' || i || '@example.com', 'm' || i || '@example.com', '', 'member', '', 0 FROM n`,
		`INSERT INTO keys (user_id, sealed, last_four, fingerprint, created_at, accepted)
			SELECT u.id, k.sealed, k.last_four, k.fingerprint, 0, 0 FROM users u, keys k WHERE k.user_id = 1 AND u.id > (SELECT max(id) FROM users) - ?`,
	} {
		_, err := raw.Exec(statement, n)
		must(b, err)
	}
}
