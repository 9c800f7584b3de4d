package library_test

import (
	"strconv"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/handlers/handlerstest"
)

func TestGalleryReturnsEverythingDownToWhereTheUserWas(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	for range 80 {
		h.AddTask(t, 1, db.Success)
	}
	page := p.Get("/gallery?through=9").Is(200).Shows(`id="task-80"`, `id="task-9"`).Has(`[href="/gallery?before=9"]`).Hides(`id="task-8"`)
	if n := strings.Count(page.Text, `<li class="cell`); n != 72 {
		t.Errorf("%d videos, want 72", n)
	}
	p.Get("/gallery?through=1").Is(200).Shows(`id="task-1"`).Hides("before=")
	p.Get("/gallery?before=50&through=40").Is(200).Shows(`id="task-49"`, `id="task-40"`).Hides(`id="task-50"`, `id="task-39"`)
	p.Get("/gallery?through=70&q=boat").Is(200).Shows(`"/gallery?before=70&amp;q=boat"`)
	part := p.Get("/gallery?before=9", "HX-Request-Type", "partial").Is(200).Shows(`id="task-8"`)
	if strings.Contains(part.Text, "<html") || strings.Contains(part.Text, `id="results"`) {
		t.Error("the older videos bring more than themselves")
	}
}

func TestGalleryGoesOnWhereAVeryLongPageEnds(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	tasks := make([]db.Task, 1010)
	for i := range tasks {
		tasks[i] = db.Task{UserID: 1, FormToken: secrets.NewToken(), Scene: "text-to-video", Model: "veo3", Prompt: "a boat", CreatedAt: db.Now()}
	}
	_, err := h.Store.AddTasks(t.Context(), tasks)
	must(t, err)
	p.Get("/gallery?status=all&through=2").Is(200).Shows(`"/gallery?before=11&amp;status=all"`).Hides(`id="task-10"`)
	p.Get("/gallery?status=all&through=11").Is(200).Shows(`"/gallery?before=11&amp;status=all"`)

	// All tiles' links repeat the filter, so that a long one shortens the page.
	models := "&model=veo3"
	for i := range 30 {
		models += "&model=" + strings.Repeat("海", 20) + strconv.Itoa(i)
	}
	long := p.Get("/gallery?status=all&through=2" + models).Is(200).Shows(`rel="next"`)
	if n := strings.Count(long.Text, `<li class="cell`); n < 24 || n > 400 || len(long.Text) > 4<<20 {
		t.Errorf("%d videos in %d bytes", n, len(long.Text))
	}
}
