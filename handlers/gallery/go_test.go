package gallery_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"dailies/db"
	"dailies/handlers/handlerstest"
)

func TestPaletteFindsEverythingByItsName(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	owner.Post("/settings", url.Values{"name": {"Teresa Tea"}}).Is(303)
	film := h.KeptFilm(t, 1, "A tea tin & a fern")
	owner.Post("/collections", url.Values{"name": {"Tea fair"}}).Is(303)
	owner.Post("/tasks/tag", url.Values{"id": {fmt.Sprint(film.ID)}, "add": {"tea time"}}).Is(303)
	found := owner.Get("/go?q=TEA").Is(200)
	found.Has(fmt.Sprintf(`.pallist a[href="/tasks/%d"]`, film.ID), `a[href="/collections/1"]`, `a[href="/gallery?who=1"]`,
		`a[href="/gallery?tag=tea+time"]`,
		`a[href="/create/text-to-video?prompt=TEA"]`)
	found.Shows("A <b>tea</b> tin &amp; a fern", "<b>Tea</b> fair", "Make a video of “<b>TEA</b>”")
	owner.Get("/create/text-to-video?prompt=TEA").Is(200).Reads("textarea[name=prompt]", "TEA")
	owner.Get("/go?q=invite").Is(200).Has(`a[href="/members/invite"]`)
	owner.Get("/go?q=team").Is(200).Has(`a[href="/members"]`, `a[href="/team/spending"]`, `a[href="/team/security"]`,
		`a[href="/team/brand"]`)
	owner.Get("/go?q=te+fa").Is(200).Has(`a[href="/collections/1"]`).Lacks(fmt.Sprintf(`.pallist a[href="/tasks/%d"]`, film.ID))
	owner.Get("/go?q=eapott").Is(200).Shows("Nothing called “eapott”").Has(`a[href="/gallery?q=eapott"]`)
	owner.Get("/go?q=" + url.QueryEscape("<script>"+strings.Repeat("x", 5000))).Is(200).Lacks(".pallist script")
}

func TestPaletteBeginsWithWhatOneDidLately(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	ada := h.Joiner(t, owner, "ada")
	film := h.KeptFilm(t, 1, "A boat")
	owner.Get("/go").Is(200).Shows("Lately").Has(fmt.Sprintf(`.pallist a[href="/tasks/%d"]`, film.ID), `a[href="/members"]`)
	ada.Get("/go").Is(200).Lacks(fmt.Sprintf(`.pallist a[href="/tasks/%d"]`, film.ID), `.pallist a[href="/members"]`)
}

func TestPaletteShowsNobodyMoreThanTheyMaySee(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	ada := h.Joiner(t, owner, "ada")
	film := h.KeptFilm(t, 1, "A secret boat")
	owner.Post("/tasks/tag", url.Values{"id": {fmt.Sprint(film.ID)}, "add": {"secretly"}}).Is(303)
	h.Alter(t, film.ID, func(t *db.Task) { t.Private = true })
	owner.Get("/go?q=secret").Is(200).Has(fmt.Sprintf(`.pallist a[href="/tasks/%d"]`, film.ID), `a[href="/gallery?tag=secretly"]`)
	ada.Get("/go?q=secret").Is(200).Shows("Nothing called").Lacks(fmt.Sprintf(`.pallist a[href="/tasks/%d"]`, film.ID),
		`a[href="/gallery?tag=secretly"]`)
	owner.Post("/members/2/role", url.Values{"role": {"viewer"}}).Is(303)
	ada.Get("/go?q=new").Is(200).Lacks(`.pallist a[href="/recipes/new"]`, `.pallist a[href^="/create"]`)
}

// A script asks for the palette once, and then for lists.
func TestPaletteComesInParts(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	owner.Get("/go?open", "HX-Request-Type", "partial").Is(200).Has("dialog#palette #go-list", "#go-text").Lacks("header")
	owner.Get("/go?q=boat", "HX-Request-Type", "partial").Is(200).Has("#go-list").Lacks("dialog", "header")
}
