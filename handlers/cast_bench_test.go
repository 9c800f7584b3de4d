package handlers_test

import (
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"testing"

	"dailies/db/cast"
	"dailies/db/store/sampletest"
	"dailies/handlers/handlerstest"
)

// BenchmarkCast requests the page of a cast member with 1,000 videos beside the first page of
// the gallery, with the database of BenchmarkPages and a full cast. It reports the median CPU time of a
// response.
//
//	go test -run ^$ -bench BenchmarkCast -benchtime 40x ./handlers
func BenchmarkCast(b *testing.B) {
	const videos = 1000
	dir, n := b.TempDir(), sampletest.Tasks(b)
	sampletest.Prepare(b, filepath.Join(dir, "dailies.db"), n, 100)
	h := handlerstest.NewAt(b, dir)
	handlerstest.AddMember(b, h, 1, "anna")
	for i := range cast.MaxMembers - 1 {
		handlerstest.AddMember(b, h, 1, fmt.Sprint("member", i))
	}
	raw, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "dailies.db")+"?_pragma=busy_timeout(5000)")
	must(b, err)
	_, err = raw.Exec(`
		INSERT INTO task_cast (task_id, member_id, place, handle, name, kind, look, pictures, sent)
		SELECT id, 1, 0, 'anna', 'Anna', 'person', '', '[]', '[]' FROM gallery WHERE team = 1 AND id % max(1, ? / ?) = 0 ORDER BY id DESC LIMIT ?`, n/2, videos, videos)
	must(b, err)
	var many int
	must(b, raw.QueryRow(`SELECT count(*) FROM task_cast`).Scan(&many))
	must(b, raw.Close())
	if many != videos {
		b.Fatalf("the member is in %d videos", many)
	}
	handler, err := h.App.Handler()
	must(b, err)
	p := h.Stranger(b)
	p.Post("/login", url.Values{"email": {"person0@example.com"}, "password": {sampletest.Password}}).Is(303)
	for _, page := range [][2]string{
		{"gallery", "/gallery"}, {"cast member", "/cast/1"}, {"gallery, cast member", "/gallery?cast=1"}, {"its counts", "/gallery/counts?menu=cast"}, {"cast", "/cast"},
	} {
		b.Run(page[0], func(b *testing.B) {
			sampletest.Timed(b, func() { visit(b, handler, p, page[1]) })
		})
	}
}
