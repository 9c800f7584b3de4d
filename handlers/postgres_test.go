package handlers_test

import (
	"fmt"
	"strings"
	"testing"

	"dailies/db/store/postgres/postgrestest"
	"dailies/handlers/handlerstest"
)

func TestAVideoIsMadeAndFoundOnPostgres(t *testing.T) {
	address, err := postgrestest.Need(t).Database(t.Context())
	must(t, err)
	h := handlerstest.NewOn(t, address)
	p := h.Founder(t)
	h.Run(t)
	film := h.MadeAndKept(t, p)
	video, _ := film.Video()
	p.Get(fmt.Sprintf("/media/%d", video.ID)).Is(200)
	tile := fmt.Sprintf(`id="task-%d"`, film.ID)
	word, _, _ := strings.Cut(film.Prompt, " ")
	p.Get("/gallery?q=" + word).Is(200).Shows(tile)
	p.Get("/gallery?q=nothing").Is(200).Hides(tile)
	for _, menu := range []string{"who", "scene", "model", "ratio", "status", "tag", "date"} {
		if a := p.Get("/gallery/counts?menu=" + menu); a.StatusCode >= 500 {
			t.Errorf("%s: %d", menu, a.StatusCode)
		}
	}
	p.Get("/usage").Is(200)
	if said := h.Log.String(); strings.Contains(said, "SQLSTATE") {
		t.Errorf("the log says\n%s", said)
	}
}
