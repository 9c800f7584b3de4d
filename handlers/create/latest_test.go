package create_test

import (
	"fmt"
	"testing"

	"dailies/db"
	"dailies/handlers/handlerstest"
	"dailies/web/htmltest"
)

// With so many videos running that the filmstrip has no finished one, the page looks the
// last one up, and refreshes go on showing it.
func TestTheLastVideoIsBehindManyRunningOnes(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	film := h.KeptFilm(t, 1, "harbour")
	thumb := h.File(t, db.Thumb, "image/jpeg", []byte("small"))
	film = h.Alter(t, film.ID, func(t *db.Task) { t.Media = append(t.Media, thumb) })
	small, _ := film.Thumb()
	ghost := fmt.Sprintf(`#latest .ghost[src="/media/%d"]`, small.ID)
	for range 11 {
		h.AddTask(t, 1, db.Processing)
	}
	p.Get("/create/text-to-video").Is(200).Has(ghost)
	h.AddTask(t, 1, db.Processing)
	page := p.Get("/create/text-to-video").Is(200).Has(ghost)
	refresh := htmltest.Attr(htmltest.First(t, htmltest.Parse(t, page.Text), "#latest"), "hx-get")
	h.AddTask(t, 1, db.Processing)
	p.Get(refresh).Is(200).Has(ghost)
	p.Get("/tasks/latest").Is(200).Lacks(".ghost")
}
