package share_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"dailies/db/audit"
	"dailies/handlers/handlerstest"
)

// The page of a link says who has answered; a guest is removed with everything they wrote.
func TestAGuestIsRemovedWithEverythingTheyWrote(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	film := h.KeptFilm(t, 1, "a boat")
	page := fmt.Sprintf("/tasks/%d", film.ID)
	link, other := kim.Share(page, "For the fair", "may", "decide"), kim.Share(page, "Another", "may", "decide")
	mara, tom, jo := h.Stranger(t), h.Stranger(t), h.Stranger(t)
	note := func(words, name string) url.Values {
		return url.Values{"task": {fmt.Sprint(film.ID)}, "at": {"0"}, "body": {words}, "name": {name}}
	}
	mara.Post(link+"/notes", note("A larger sail", "Mara <b>")).Is(303)
	mara.Post(link+"/verdict", url.Values{"task": {fmt.Sprint(film.ID)}, "verdict": {"changes"}, "body": {"the sail"}}).Is(303)
	tom.Post(link+"/notes", note("Fine", "Tom")).Is(303)
	jo.Post(other+"/notes", note("Elsewhere", "Jo")).Is(303)
	kim.Get(page+"/share?link=1").Is(200).Shows("Mara &lt;b&gt;", "(name typed by a guest)", "Changes wanted", "No answer yet", "1 note").
		Has(`form[action="/shares/1/guests/1/remove"]`, `form[action="/shares/1/guests/2/remove"]`, `form[action="/shares/2/guests/3/remove"]`)
	ada.Get(page + "/share").Is(200).Shows("Tom").Lacks(`form[action="/shares/1/guests/1/remove"]`)
	ada.Post("/shares/1/guests/1/remove", nil).Is(404)
	kim.Post("/shares/1/guests/3/remove", nil).Is(404) // of another link
	kim.Post("/shares/1/guests/99/remove", nil).Is(404)
	kim.Post("/shares/1/guests/x/remove", nil).Is(404)
	kim.Post("/shares/1/guests/1/remove", nil).Is(303)
	kim.Post("/shares/1/guests/1/remove", nil).Is(404)
	kim.Get(page+"/notes").Is(200).Hides("A larger sail", "Mara").Shows("Fine", "Elsewhere")
	kim.Get("/gallery?verdict=changes").Is(200).Lacks(fmt.Sprintf("#task-%d", film.ID))
	mara.Get(link).Is(200).Hides("A larger sail").Has("#note-name") // nobody is remembered
	entries, err := h.Store.Audit.Entries(t.Context(), audit.Search{Action: audit.GuestRemoved, Limit: 9})
	if err != nil || len(entries) != 1 || strings.Contains(entries[0].What+entries[0].Before, "Mara") {
		t.Errorf("%+v, %v", entries, err)
	}
}

func TestALinkThatHasEndedIsBroughtBack(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	film := h.KeptFilm(t, 1, "a boat")
	page := fmt.Sprintf("/tasks/%d", film.ID)
	link := kim.Share(page, "For the fair")
	kim.Get(page + "/share").Is(200).Lacks(`form[action="/shares/1/back"]`)
	kim.Post("/shares/1/revoke", nil).Is(303)
	h.Stranger(t).Get(link).Is(404)
	kim.Get(page+"/share").Is(200).Has(`form[action="/shares/1/back"]`).Shows("For the fair", "Turned off, ").Hides(link)
	ada.Get(page + "/share").Is(200).Lacks(`form[action="/shares/1/back"]`)
	ada.Post("/shares/1/back", nil).Is(404)
	kim.Post("/shares/1/back", nil).Is(303)
	h.Stranger(t).Get(link).Is(200).Shows("For the fair")
	kim.Post("/shares/1/back", nil).Is(303) // it works already
	entries, err := h.Store.Audit.Entries(t.Context(), audit.Search{Action: audit.ShareBack, Limit: 9})
	if err != nil || len(entries) != 1 {
		t.Errorf("%+v, %v", entries, err)
	}
}
