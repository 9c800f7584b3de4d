package video_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"dailies/db"
	"dailies/handlers/handlerstest"
)

// A player that has just read a piece of a video gets no further one once the session or
// its right to see the video has ended, in this process or in another one.
func TestNoPieceIsServedAfterAccessHasEnded(t *testing.T) {
	type scene struct {
		h    *handlerstest.Server // on which the right ends
		kim  *handlerstest.Browser
		ada  *handlerstest.Browser // who watches Kim's video
		film db.Task
	}
	ends := map[string]struct {
		act  func(*testing.T, scene)
		want int
	}{
		"signing out":    {func(t *testing.T, s scene) { s.ada.Post("/logout", nil).Is(303) }, 303},
		"an admin's end": {func(t *testing.T, s scene) { s.kim.Post("/members/2/sessions/end", nil).Is(303) }, 303},
		"deactivation": {func(t *testing.T, s scene) {
			s.kim.Post("/members/2/deactivate", url.Values{"hand_to": {"1"}, "private": {"hand"}}).Is(303)
		}, 303},
		"becoming private": {func(t *testing.T, s scene) {
			s.kim.Post("/tasks/private", handlerstest.ChosenForm([]db.Task{s.film}, "on", "true")).Is(303)
		}, 404},
		"the bin": {func(t *testing.T, s scene) {
			s.kim.Post("/tasks/delete", handlerstest.ChosenForm([]db.Task{s.film})).Is(303)
		}, 404},
		"an end in the database": {func(t *testing.T, s scene) { must(t, s.h.Store.Sessions.EndOtherSessions(t.Context(), 2, 0)) }, 303},
		"another password": {func(t *testing.T, s scene) {
			other := s.h.Stranger(t)
			other.Post("/login", url.Values{"email": {"ada@example.com"}, "password": {handlerstest.Password}}).Is(303)
			other.Post("/settings/password", url.Values{"current": {handlerstest.Password}, "password": {"another long one"}}).Is(303)
		}, 303},
	}
	for name, end := range ends {
		for _, beside := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, in another process: %v", name, beside), func(t *testing.T) {
				h := handlerstest.New(t)
				kim := h.Founder(t)
				ada, film := h.Joiner(t, kim, "ada"), h.KeptFilm(t, 1, "a lake")
				s := scene{h, kim, ada, film}
				if beside {
					s.h = h.Beside(t)
					s.kim, s.ada = kim.At(t, s.h), ada.At(t, s.h)
				}
				piece := fmt.Sprintf("/media/%d", film.Media[0].ID)
				for range 2 {
					ada.Get(piece, "Range", "bytes=0-3").Is(http.StatusPartialContent)
				}
				cookies := ada.Client.Jar.Cookies(handlerstest.MustURL(t, h.URL))
				end.act(t, s)
				ada.Client.Jar.SetCookies(handlerstest.MustURL(t, h.URL), cookies) // as if the browser had not noticed
				ada.Get(piece, "Range", "bytes=4-7").Is(end.want)
			})
		}
	}
}

// The same for guests, whose right is the link.
func TestNoPieceIsServedAfterALinkHasEnded(t *testing.T) {
	for name, end := range map[string]func(*handlerstest.Browser, db.Task){
		"revoked": func(p *handlerstest.Browser, film db.Task) { p.Post("/shares/1/revoke", nil).Is(303) },
		"in the bin": func(p *handlerstest.Browser, film db.Task) {
			p.Post("/tasks/delete", handlerstest.ChosenForm([]db.Task{film})).Is(303)
		},
	} {
		for _, beside := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, in another process: %v", name, beside), func(t *testing.T) {
				h := handlerstest.New(t)
				kim := h.Founder(t)
				film := h.KeptFilm(t, 1, "a lake")
				link := kim.Share(handlerstest.TaskPage(film), "A lake")
				piece := fmt.Sprintf("%s/media/%d", link, film.Media[0].ID)
				guest := h.Stranger(t)
				for range 2 {
					guest.Get(piece, "Range", "bytes=0-3").Is(http.StatusPartialContent)
				}
				other := kim
				if beside {
					other = kim.At(t, h.Beside(t))
				}
				end(other, film)
				guest.Get(piece, "Range", "bytes=4-7").Is(404)
			})
		}
	}
}
