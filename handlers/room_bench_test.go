package handlers_test

import (
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/review"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/db/store/sampletest"
	"dailies/handlers/handlerstest"
)

// BenchmarkRoom requests the page of a video and the gallery before anything was shared, with
// what the client room adds to them, and the pages of guests, with the database of
// BenchmarkPages. It reports the median CPU time of a response. "reads of" is what the page asks
// the database because of notes and answers: the page without notes costs this much less without
// the client room.
//
//	go test -run ^$ -bench BenchmarkRoom -benchtime 100x ./handlers
func BenchmarkRoom(b *testing.B) {
	dir := b.TempDir()
	sampletest.Prepare(b, filepath.Join(dir, "dailies.db"), sampletest.Tasks(b), 100)
	h := handlerstest.NewAt(b, dir)
	handler, err := h.App.Handler()
	must(b, err)
	p := h.Stranger(b)
	p.Post("/login", url.Values{"email": {"person0@example.com"}, "password": {sampletest.Password}}).Is(303)
	var ids []int64 // on the first page of the gallery
	for _, found := range regexp.MustCompile(`id="task-(\d+)"`).FindAllStringSubmatch(p.Get("/gallery").Is(200).Text, -1) {
		ids = append(ids, parsed(b, found[1]))
	}
	film, err := h.Store.Tasks.Task(b.Context(), ids[0])
	must(b, err)
	video := fmt.Sprintf("/tasks/%d", film.ID)
	page := func(name, path string) {
		b.Run(name, func(b *testing.B) { sampletest.Timed(b, func() { visit(b, handler, p, path) }) })
	}
	reads := func(name string) {
		b.Run("reads of a video, "+name, func(b *testing.B) {
			sampletest.Timed(b, func() { readRoom(b, h.Store, film) })
		})
		b.Run("reads of a gallery, "+name, func(b *testing.B) {
			sampletest.Timed(b, func() {
				_, err := h.Store.Guests.Approvals(b.Context(), ids, db.Now())
				must(b, err)
			})
		})
	}
	page("video, nothing shared", video)
	page("gallery, nothing shared", "/gallery")
	reads("nothing shared")

	share := func(id int64, change func(*gallery.Share)) gallery.Share {
		s := gallery.Share{Token: secrets.NewToken(), TaskID: id, May: gallery.Decide, CreatedBy: 1, CreatedAt: db.Now(), ExpiresAt: db.Now().Add(time.Hour)}
		if change != nil {
			change(&s)
		}
		must(b, h.Store.Links.AddShare(b.Context(), &s))
		return s
	}
	guestOf := func(s gallery.Share) review.Guest {
		g := review.Guest{ShareID: s.ID, Token: secrets.NewToken(), Name: "Mara", CreatedAt: db.Now()}
		must(b, h.Store.Guests.AddGuest(b.Context(), &g))
		return g
	}
	link := share(film.ID, nil)
	mara := guestOf(link)
	for i := range 40 {
		n := review.Note{TaskID: film.ID, ShareID: link.ID, Author: mara.Author(), Body: fmt.Sprintf("Could the sail be larger, and a little more to the left? (%d)", i), Position: review.Position{At: int64(i) * 100, Frame: i}, CreatedAt: db.Now()}
		must(b, h.Store.Notes.AddNote(b.Context(), &n, nil))
	}
	page("video, 40 notes", video)
	page("its notes alone", video+"/notes")

	for i, id := range ids {
		if id == film.ID {
			continue
		}
		g := guestOf(share(id, nil))
		if i%3 > 0 {
			must(b, h.Store.Guests.Decide(b.Context(), review.Verdict{TaskID: id, ShareID: g.ShareID, Guest: g, Answer: review.Answers()[i%2], Body: "Thanks", ChangedAt: db.Now()}))
		}
	}
	page("gallery, all shared and answered", "/gallery")
	page("gallery, waiting", "/gallery?verdict=waiting")
	page("gallery, approved", "/gallery?verdict=approved")
	reads("all shared and answered")

	admin, err := h.Store.Accounts.User(b.Context(), 1)
	must(b, err)
	for i, id := range ids {
		older := p.Get(fmt.Sprintf("/gallery?before=%d", id-int64(500*(i+1)))).Is(200).Text
		for _, found := range regexp.MustCompile(`id="task-(\d+)"`).FindAllStringSubmatch(older, 3) {
			must(b, h.Store.Takes.Stack(b.Context(), admin, parsed(b, found[1]), id))
		}
	}
	for i := range 5 {
		share(ids[i], func(s *gallery.Share) { s.Story, s.Takes = true, true })
		share(ids[i], func(s *gallery.Share) { s.Takes = true })
	}
	page("video, 40 notes and four takes", video)
	page("gallery, stacks", "/gallery")
	page("gallery, waiting, stacks", "/gallery?verdict=waiting")
	reads("stacks")

}

func parsed(b *testing.B, id string) int64 {
	b.Helper()
	n, err := strconv.ParseInt(id, 10, 64)
	must(b, err)
	return n
}

// readRoom reads what the page of a video shows because of notes, answers and takes.
func readRoom(b *testing.B, s *store.Store, film db.Task) {
	b.Helper()
	ctx := b.Context()
	notes, err := s.Notes.Of(ctx, film.ID)
	must(b, err)
	approvals, err := s.Guests.Approvals(ctx, []int64{film.ID}, db.Now())
	must(b, err)
	if len(notes) > 0 {
		_, err = s.Takes.Answers(ctx, film.ID)
		must(b, err)
	}
	if len(notes) > 0 || approvals[film.ID].IsAsked() {
		_, err = s.Notes.HasNewsOf(ctx, 1, film.ID)
		must(b, err)
	}
}
