package create_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/cast"
	"dailies/db/secrets"
	"dailies/handlers/handlerstest"
)

// asks returns the form of a video with a new token.
func asks(prompt string, more ...string) url.Values {
	v := handlerstest.FilledForm(more...)
	v.Set("model", "seedance-2.0")
	v.Set("token", secrets.NewToken())
	v.Set("prompt", prompt)
	return v
}

// remove deletes the cast member.
func remove(t *testing.T, h *handlerstest.Server, m cast.Member) {
	t.Helper()
	must(t, h.Store.Cast.Delete(t.Context(), m.ID, 1, db.Now()))
}

// A cast member is deleted between typing and submitting. The page says it, keeps what was
// typed and sends nothing before somebody who has read that presses again.
func TestADeletedCastMemberIsNotDroppedInSilence(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	host := handlerstest.Pictures(t)
	bo, cup := addMember(t, h, host, "bo", 1), addMember(t, h, host, "cup", 1)
	drafted := handlerstest.Made(t, p.Post("/create/text-to-video", handlerstest.WithField(asks("@bo waves"), "model", "seedance-2.0-fast")))
	h.Reaches(t, drafted, db.Success)
	path := saved(t, p.Post("/recipes", setup("scene", "text-to-video", "prompt", "{{who}} waves")))
	checked := p.Post(path+"/batch", url.Values{"do": {"check"}, "anyway": {"true"}, "table": {"who\n@bo\n@cup"}}).Is(200)
	rows := handlerstest.RowsOf(t, checked, "make")
	remove(t, h, bo)
	const said = "Nobody in the cast is called @bo any more. Press again to send it as plain text."
	made := func(want int) {
		t.Helper()
		if n := len(h.Mine(t, 1)); n != want {
			t.Fatalf("%d videos, want %d", n, want)
		}
	}
	for _, scene := range []string{"text-to-video", "image-to-video"} {
		form := asks("@bo waves", "image_input", host+"/own.png", "cast_met", "bo")
		if scene == "text-to-video" {
			form.Del("image_input")
		}
		p.Post("/create/"+scene, form).Is(422).Shows(said, "Bring Bo back").Reads("textarea#prompt", "@bo waves").Has(`[name=cast_told][value=bo]`, fmt.Sprintf(`a[href="/cast/%d"]`, bo.ID))
	}
	made(1)
	p.Post("/create/text-to-video/cast", asks("@bo waves"), "HX-Request-Type", "partial").Is(200).Shows("Bo was deleted, so @bo is plain text.").Has(`[name=cast_told][value=bo]`)
	// The forms that reuse a video say it at once.
	for _, use := range []string{"everything", "prompt", "final", "retry", "seed"} {
		p.Get(fmt.Sprintf("/create/text-to-video?from=%d&use=%s", drafted, use)).Is(200).Shows("Bo was deleted, so @bo is plain text.").Has(`[name=cast_told][value=bo]`)
	}
	p.Post(path, handlerstest.FilledForm("token", secrets.NewToken(), "blank:who", "@bo", "anyway", "true", "cast_met", "bo")).Is(422).Shows(said).Has(`[value="@bo"]`, `[name=cast_told][value=bo]`)
	wrong := p.Post(path+"/batch", rows).Is(422).Shows(said, "Bo was deleted, so @bo is plain text.").Has(`[value="@bo"]`, `[value="@cup"]`)
	made(1)

	// Whoever has read it may send the words as they are.
	p.Post(path+"/batch", handlerstest.RowsOf(t, wrong, "make")).Is(303)
	again := asks("@bo waves", "cast_told", "bo")
	task, err := h.Store.Tasks.Task(t.Context(), handlerstest.Made(t, p.Post("/create/text-to-video", again)))
	must(t, err)
	if wordsOf(task) != "@bo waves" || len(task.Cast) > 0 {
		t.Errorf("sent %q with %+v", wordsOf(task), task.Cast)
	}
	filled(t, p.Post(path, handlerstest.FilledForm("token", secrets.NewToken(), "blank:who", "@bo", "anyway", "true", "cast_told", "bo")))
	made(5)

	// A handle that was changed meanwhile is nobody's, too: the page had named the member.
	cup.Handle, cup.ChangedBy, cup.ChangedAt = "mug", 1, db.Now()
	_, err = h.Store.Cast.Change(t.Context(), cup, nil)
	must(t, err)
	p.Post("/create/text-to-video", asks("@cup falls", "cast_met", "cup")).Is(422).Shows("Nobody in the cast is called @cup any more.")
	handlerstest.Made(t, p.Post("/create/text-to-video", asks("@nobody falls")))
}

// The handle of a member who was deleted before the page was shown is plain text, wherever a
// prompt comes from.
func TestADeletedHandleIsText(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	host := handlerstest.Pictures(t)
	bo := addMember(t, h, host, "bo", 1)
	path := saved(t, p.Post("/recipes", setup("scene", "text-to-video", "prompt", "@bo waves at {{whom}}")))
	remove(t, h, bo)
	text := func(id int64) {
		t.Helper()
		task, err := h.Store.Tasks.Task(t.Context(), id)
		must(t, err)
		if !strings.HasPrefix(wordsOf(task), "@bo waves") || len(task.Cast) > 0 {
			t.Errorf("sent %q with %+v", wordsOf(task), task.Cast)
		}
	}
	text(handlerstest.Made(t, p.Post("/create/text-to-video", asks("@bo waves"))))
	text(handlerstest.Made(t, p.Post("/create/text-to-video", handlerstest.WithField(asks("@bo waves\n@bo waves twice"), "lines", "true"))))
	filled(t, p.Post(path, handlerstest.FilledForm("token", secrets.NewToken(), "blank:whom", "@bo", "anyway", "true")))
	checked := p.Post(path+"/batch", url.Values{"do": {"check"}, "anyway": {"true"}, "table": {"whom\n@bo\nher"}}).Is(200).Shows("Bo was deleted, so @bo is plain text.")
	p.Post(path+"/batch", handlerstest.RowsOf(t, checked, "make")).Is(303)
	made := h.Mine(t, 1)
	if len(made) != 6 {
		t.Fatalf("%d videos", len(made))
	}
	for _, task := range made {
		text(task.ID)
	}
}

// Thousands of handles that nobody has are told apart once, and few of them are compared with
// the cast.
func TestManyStrangersAreAFewLines(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	var prompt strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&prompt, "@x%d ", i)
	}
	p.Post("/create/text-to-video/cast", asks(prompt.String()), "HX-Request-Type", "partial").Is(200).Shows("Nobody in the cast is called @x0, @x1, @x2 or 45 more.")
}

// Beside a handle that nobody has stands the one that was probably meant.
func TestAMistypedHandleIsMended(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	host := handlerstest.Pictures(t)
	addMember(t, h, host, "anna", 1)
	p.Post("/create/text-to-video/cast", asks("@ana and @Ana"), "HX-Request-Type", "partial").Is(200).Shows("Nobody in the cast is called @ana.", "Use @anna")
	p.Post("/create/text-to-video/cast", asks("@erik"), "HX-Request-Type", "partial").Is(200).Shows("Add @erik to the cast").Has(`a[href="/cast/new?handle=erik"]`)
	p.Post("/create/text-to-video/cast", asks("@ana waves", "cast_use", "ana anna"), "HX-Request-Type", "partial").Is(200).
		Has(`template[data-renamed=prompt][data-text="@anna waves"]`, `[name=cast_met][value=anna]`).Hides("Nobody in the cast")
	p.Post("/create/text-to-video/cast", asks("@ana waves to @anab", "cast_use", "ana anna")).Is(303)
	p.Get("/create/text-to-video").Is(200).Reads("textarea#prompt", "@anna waves to @anab")

	path := saved(t, p.Post("/recipes", setup("scene", "text-to-video", "prompt", "{{who}} waves")))
	p.Post(path+"/cast", url.Values{"blank:who": {"@ana"}}, "HX-Request-Type", "partial").Is(200).Shows("Use @anna")
	p.Post(path+"/cast", url.Values{"blank:who": {"@ana"}, "cast_use": {"ana anna"}}, "HX-Request-Type", "partial").Is(200).Has(`template[data-renamed="blank:who"][data-text="@anna"]`)
	p.Post(path+"/cast", url.Values{"blank:who": {"@ana"}, "cast_use": {"ana anna"}}).Is(200).Has(`[name="blank:who"][value="@anna"]`)
	checked := p.Post(path+"/batch", url.Values{"do": {"check"}, "anyway": {"true"}, "table": {"who\n@ana\n@ana and @anna"}}).Is(200).Shows("Nobody in the cast is called @ana.", "Use @anna")
	mended := handlerstest.RowsOf(t, checked, "")
	mended.Set("cast_use", "ana anna")
	p.Post(path+"/batch", mended).Is(200).Hides("Nobody in the cast").Has(`[value="@anna"]`, `[value="@anna and @anna"]`)
	for _, odd := range []string{"ana", "ana anna more", "ana <b>", "", " "} {
		p.Post("/create/text-to-video/cast", asks("@ana waves", "cast_use", odd), "HX-Request-Type", "partial").Is(200)
	}
}
