package library_test

import (
	"fmt"
	"net/url"
	"testing"

	"dailies/handlers/handlerstest"
)

func TestGalleryIsFilteredByWhatGuestsDecided(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	wanted, approved, silent := h.KeptFilm(t, 1, "a boat"), h.KeptFilm(t, 1, "a tram"), h.KeptFilm(t, 1, "a lake")
	guest := h.Stranger(t)
	link := func(id int64) string {
		return kim.Share(fmt.Sprintf("/tasks/%d", id), "For the fair", "may", "decide")
	}
	decide := func(id int64, answer, words string) {
		guest.Post(link(id)+"/verdict", url.Values{"task": {fmt.Sprint(id)}, "verdict": {answer}, "body": {words}, "name": {"Mara <b>"}}).Is(303)
	}
	decide(wanted.ID, "changes", "a larger sail")
	decide(approved.ID, "approved", "")
	link(silent.ID)
	tile := func(id int64) string { return fmt.Sprintf("#task-%d", id) }
	kim.Get("/gallery?verdict=changes").Is(200).Has(tile(wanted.ID)).Lacks(tile(approved.ID), tile(silent.ID)).Shows("Mara &lt;b&gt; wants changes", "Answer: ", "Changes wanted")
	kim.Get("/gallery?verdict=approved").Is(200).Has(tile(approved.ID), tile(approved.ID)+" .stands.good").Lacks(tile(wanted.ID), tile(silent.ID))
	kim.Get("/gallery?verdict=waiting").Is(200).Has(tile(silent.ID)).Lacks(tile(wanted.ID), tile(approved.ID))
	kim.Get("/gallery?verdict=waiting&verdict=changes").Is(200).Has(tile(silent.ID), tile(wanted.ID)).Lacks(tile(approved.ID))
	kim.Get("/gallery?verdict=perhaps").Is(200).Has(tile(silent.ID), tile(wanted.ID), tile(approved.ID))
	kim.Get("/gallery/counts?menu=verdict&verdict=waiting").Is(200).Has(`[name=verdict][value=waiting][checked]`, `[name=verdict][value=changes]`, `[name=verdict][value=approved]`).Shows("1<span")
	// The viewer says who, on which link, and who has not answered.
	kim.Get(fmt.Sprintf("/tasks/%d?verdict=changes", wanted.ID)).Is(200).Shows("1 of 1", "Mara &lt;b&gt;", "(name typed by a guest)", "For the fair", "a larger sail")
	kim.Post("/shares/3/revoke", nil).Is(303)
	kim.Get("/gallery?verdict=waiting").Is(200).Lacks(tile(silent.ID))
	kim.Get("/gallery?verdict=approved").Is(200).Has(tile(approved.ID))
}
