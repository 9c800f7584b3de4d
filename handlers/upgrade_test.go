package handlers_test

import (
	"net/url"
	"strings"
	"testing"

	"dailies/handlers/handlerstest"
)

func TestYesterdaysFolderOpens(t *testing.T) {
	l := handlerstest.Yesterday(t)
	h := handlerstest.NewAt(t, l.Dir)
	admin := handlerstest.OldBrowser(t, h, l.Person(t, "admin"))
	admin.Get("/gallery").Is(200).Shows("The harbour at dusk", "A quiet room").Hides("Into the bin")
	admin.Get("/bin").Is(200).Shows("Into the bin")
	admin.Get("/recipes").Is(200).Shows("Harbour")
	admin.Get("/collections").Is(200).Shows("Spring")
	admin.Get("/tasks/2").Is(200)
	admin.Get("/media/1").Is(200)

	stranger := h.Stranger(t)
	for _, s := range l.Shares {
		want := 200
		if s.Title == "Taken back" {
			want = 404
		}
		stranger.Get("/share/" + s.Token).Is(want)
	}
	_, picture, _ := strings.Cut(l.Picture, "dailies.invalid")
	stranger.Get(picture).Is(200)
	for _, p := range l.People {
		if p.Note == "119 Cyrillic letters" {
			continue
		}
		h.Stranger(t).Post("/login", url.Values{"email": {p.Email}, "password": {p.Password}}).Is(303).LeadsTo("/")
	}
	// What was being made goes on with the key that it was sent with.
	handlerstest.OldBrowser(t, h, l.Person(t, "password in NFD")).Post("/settings/key/delete", nil).Is(303)
	h.Run(t)
	for _, task := range l.Tasks {
		if task.State == "processing" {
			h.Reaches(t, task.ID, "success")
		}
	}
}
