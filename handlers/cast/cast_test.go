package cast_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/cast"
	"dailies/db/ordering"
	"dailies/handlers/handlerstest"
)

func memberForm(pictures []string, fields ...string) url.Values {
	form := url.Values{"handle": {"anna"}, "name": {"Anna"}, "kind": {"person"}, "look": {"an ochre raincoat"}, "picture": pictures}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return form
}

// A member is made, found, changed, deleted and brought back, and its pictures have addresses
// of their own, which end with it.
func TestTheLifeOfACastMember(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	first, second := kim.Uploaded(handlerstest.Photo(t, 600, 800)), kim.Uploaded(handlerstest.Photo(t, 640, 800))
	kim.Get("/cast").Is(200).Shows("The same face in every shot").Has(`a[href="/cast/new"]`)
	kim.Post("/cast/new", memberForm(
		[]string{first, "", second}, "handle", "@Anna", "consent_by", "Anna Lindqvist", "consent_on", "2026-10-03",
	)).Is(303).LeadsTo("/cast/1")
	m, err := h.Store.Cast.Get(t.Context(), 1)
	must(t, err)
	if len(m.Pictures) != 2 || m.Pictures[0] == first || m.Handle != "Anna" || m.Consent.NotedName != "Kim Doe" {
		t.Fatalf("%+v", m)
	}
	kim.Get("/cast/1").Is(200).Shows(
		"@Anna · person", "an ochre raincoat", "Anna Lindqvist agreed on 3 October 2026", "noted by Kim Doe",
		"0 videos with Anna",
	)
	kim.Get("/cast?q=ann").Is(200).Shows("Anna", "@Anna · 0 videos").Hides("No consent noted")
	kim.Get("/cast?kind=place").Is(200).Shows("Nobody in the cast fits")
	kim.Get("/cast/find?q=an").Is(200).Has(`[role=option][data-handle=Anna]`)

	kim.Post("/cast/1", memberForm([]string{m.Pictures[1]}, "version", "1", "kind", "product")).Is(303)
	changed, err := h.Store.Cast.Get(t.Context(), 1)
	must(t, err)
	if changed.Version != 2 || len(changed.Pictures) != 1 || changed.Pictures[0] != m.Pictures[1] || changed.Consent.Noted() {
		t.Fatalf("%+v", changed)
	}
	stranger := h.Stranger(t)
	path := func(address string) string { return "/p/" + ordering.PictureToken(address) }
	stranger.Get(path(m.Pictures[0])).Is(404) // it was taken away
	kim.Get(path(m.Pictures[0])).Is(200)
	stranger.Get(path(m.Pictures[1])).Is(200)
	kim.Post("/cast/1/delete", nil).Is(303).LeadsTo("/cast")
	stranger.Get(path(m.Pictures[1])).Is(404)
	kim.Get("/cast").Is(200).Shows("Anna is deleted. The videos stay.", "1 deleted").Has(`form[action="/cast/1/restore"]`)
	kim.Get("/cast/1").Is(200).Shows("The handle is plain text in prompts now").Lacks(`a[href="/cast/1/edit"]`)
	kim.Get("/cast/1/edit").Is(303).LeadsTo("/cast/1")
	kim.Post("/cast/1/restore", nil).Is(303).LeadsTo("/cast/1")
	stranger.Get(path(m.Pictures[1])).Is(200)
}

func TestTheFormOfACastMemberKeepsWhatWasTyped(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	picture := kim.Uploaded(handlerstest.Photo(t, 600, 800))
	for name, tt := range map[string]struct {
		change   []string
		pictures []string
		says     string
	}{
		"a space":       {[]string{"handle", "anna b"}, []string{picture}, cast.SpaceInHandle},
		"31 letters":    {[]string{"handle", strings.Repeat("x", 31)}, []string{picture}, cast.LongHandle},
		"an @ alone":    {[]string{"handle", "@"}, []string{picture}, cast.NoHandle},
		"no name":       {[]string{"name", " "}, []string{picture}, cast.NoName},
		"no picture":    {nil, []string{""}, cast.NoPicture},
		"four pictures": {nil, []string{picture, picture, picture, picture}, cast.ManyPictures},
		"a gone picture": {
			nil, []string{"http://dailies.invalid/p/" + strings.Repeat("A", 26)}, "This picture is gone. Add it again.",
		},
		"half a consent": {[]string{"consent_by", "Anna"}, []string{picture}, cast.NoConsentOn},
		"a wrong date":   {[]string{"consent_by", "Anna", "consent_on", "yesterday"}, []string{picture}, cast.BadDate},
		"a date to come": {
			[]string{"consent_by", "Anna", "consent_on", time.Now().AddDate(0, 0, 3).Format(time.DateOnly)}, []string{picture},
			cast.LateConsent,
		},
		"a long look":            {[]string{"look", strings.Repeat("x", 201)}, []string{picture}, cast.LongLook},
		"not even a web address": {nil, []string{"picture.png"}, "https://"},
	} {
		t.Log(name)
		form := memberForm(tt.pictures, tt.change...)
		p := kim.Post("/cast/new", form).Is(422).Shows(tt.says)
		if form.Get("look") != "" {
			p.Has("textarea[name=look]").Shows(form.Get("look"))
		}
	}
	kim.Post("/cast/new", memberForm([]string{picture}, "handle", "аnna")).Is(303) // its first letter is Cyrillic
	kim.Get("/cast/1").Is(200).Shows(cast.MixedHandle)
	kim.Post("/cast/new", memberForm([]string{picture})).Is(303)
	kim.Post("/cast/new", memberForm([]string{picture}, "handle", "ANNA")).Is(422).Shows(cast.TakenHandle)
}

// The second of two who change a member sees what the first changed, and then decides.
func TestTwoChangeOneCastMember(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	picture := kim.Uploaded(handlerstest.Photo(t, 600, 800))
	kim.Post("/cast/new", memberForm([]string{picture})).Is(303)
	m, err := h.Store.Cast.Get(t.Context(), 1)
	must(t, err)
	ada.Post("/cast/1", memberForm(m.Pictures, "version", "1", "look", "a red scarf")).Is(303)
	p := kim.Post("/cast/1", memberForm(m.Pictures, "version", "1", "name", "Anna L.")).Is(409)
	p.Shows(
		"changed this just now.", "a red scarf", "an ochre raincoat", "Anna L.", "Save yours",
	).Has(`[name=version][value="2"]`, `[name=name][value="Anna L."]`)
	kim.Post("/cast/1", memberForm(m.Pictures, "version", "2", "name", "Anna L.")).Is(303)

	ada.Post("/cast/1/delete", nil).Is(303)
	p = kim.Post("/cast/1", memberForm(m.Pictures, "version", "3", "look", "a hat")).Is(409)
	p.Shows("This was deleted meanwhile.", "a hat", "Restore and save")
	kim.Post("/cast/1", memberForm(m.Pictures, "version", "4", "look", "a hat", "restore", "on")).Is(303)
	m, err = h.Store.Cast.Get(t.Context(), 1)
	must(t, err)
	if m.IsDeleted() || m.Look != "a hat" {
		t.Errorf("%+v", m)
	}
}

// The videos with a member are those that the person may see, on its page and in the gallery.
func TestVideosWithACastMember(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	m := handlerstest.AddMember(t, h, 1, "anna")
	for i, private := range []bool{false, true} {
		task := db.Task{
			UserID: 1, FormToken: fmt.Sprint("form ", i),
			Request: db.Request{Scene: "text-to-video", Model: "veo3", Prompt: fmt.Sprint("@anna no. ", i)}, Private: private,
			CreatedAt: db.Now(), Cast: []cast.Appearance{cast.AppearanceOf(m)},
		}
		handlerstest.Queue(t, h.Store, &task)
		h.Bring(t, task.ID, db.Success)
	}
	kim.Get("/cast/1").Is(200).Shows("2 videos with anna", "@anna no. 0", "@anna no. 1")
	ada.Get("/cast/1").Is(200).Shows("1 video with anna", "@anna no. 0").Hides("@anna no. 1")
	kim.Get("/gallery?cast=1").Is(200).Shows("2 videos found", "Cast: anna")
	ada.Get("/gallery?cast=1").Is(200).Shows("1 video found")
	ada.Get("/gallery/counts?menu=cast").Is(200).Shows("anna", "1")
	ada.Get("/go?q=ann").Is(200).Has(`a[href="/cast/1"]`)
}

// A full cast is shown page by page.
func TestAFullCastIsShownPageByPage(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	for i := range 65 {
		handlerstest.AddMemberWith(
			t, h, "https://example.com", fmt.Sprintf("m%02d", i), 1, func(m *cast.Member) { m.Kind = cast.Kinds()[i%2] },
		)
	}
	first := p.Get("/cast").Is(200).Shows("65 in the cast", "M00", "More of the cast").Hides("M63")
	if n, eager := strings.Count(first.Text, `class="portrait"`), strings.Count(first.Text, `decoding="async"`)-strings.Count(first.Text, `loading="lazy"`); n != 60 || eager != 6 {
		t.Errorf("%d portraits, %d of them loaded at once", n, eager)
	}
	p.Get("/cast?page=2").Is(200).Shows("65 in the cast", "M63", "Back to the first").Hides("M00", "More of the cast")
	p.Get("/cast?kind=product").Is(200).Shows("32 in the cast").Hides("More of the cast")
	p.Get("/cast?q=m64").Is(200).Shows("1 in the cast", "M64")
	p.Get("/cast?q=nobody&page=2").Is(200).Shows("Nobody in the cast fits")
}
