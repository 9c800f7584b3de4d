package gallery_test

import (
	"fmt"
	"strings"
	"testing"

	"dailies/db"
	"dailies/handlers/handlerstest"
)

func player(t db.Task) string { return fmt.Sprintf(`id="film-%d"`, t.ID) }

func TestTwoToFourVideosAreCompared(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	var films []db.Task
	address := "/compare?"
	for i := range 6 {
		films = append(films, h.Film(t, 1, func(t *db.Task) { t.Prompt, t.Options.Duration = fmt.Sprintf("boat number %d", i), 5+i }))
		address += fmt.Sprintf("&id=%d", films[i].ID)
	}
	first := fmt.Sprintf("/compare?id=%d", films[0].ID)
	p.Get("/compare").Is(200).Shows("Select two to four videos").Hides("<table")
	p.Get(first).Is(200).Shows("“boat number 0” is selected").Hides(player(films[0]))
	p.Get(first + first[len("/compare?")-1:]).Is(200).Hides("data-player")
	p.Get(first+fmt.Sprintf("&id=%d&id=%d", films[0].ID, films[3].ID)).Is(200).
		Shows(player(films[0]), player(films[3]), "data-transport", ">differs<", "<mark>3</mark>", "boat").
		Hides("Showing the first", "t shown", "Remove")
	four := p.Get(address).Is(200).Shows(player(films[0]), player(films[3]), "Showing the first 4", "Remove").Hides(player(films[4]))
	if n := strings.Count(four.Text, "data-length"); n != 4 {
		t.Errorf("%d videos stand side by side", n)
	}
}

func TestComparingShowsNothingThatIsNotForTheViewer(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	hers, private := h.Film(t, 2, handlerstest.Saying("hers")), h.Film(t, 1, func(t *db.Task) {
		t.Prompt, t.Private = "hidden words", true
	})
	binned := h.Film(t, 1, func(t *db.Task) { t.Prompt, t.DeletedAt, t.DeletedBy = "thrown away", db.Now(), 1 })
	failed, fileless := h.AddTask(t, 1, db.Failed), h.AddTask(t, 1, db.Success)
	address := fmt.Sprintf("/compare?id=%d&id=%d&id=%d&id=%d&id=%d&id=99999&id=x", hers.ID, private.ID, binned.ID, failed.ID, fileless.ID)
	ada.Get(address).Is(200).Shows("6 aren’t shown", "“hers” is selected").Hides("hidden words", "thrown away", "paper boat")
	kim.Get(address).Is(200).Shows("5 aren’t shown", player(hers), player(private)).Hides("thrown away", player(failed), player(fileless))
	kim.Get("/compare?" + strings.Repeat("&id=0", 600)).Is(200).Shows("50 aren’t shown")
	h.Stranger(t).Get(address).Is(303)
}
