package handlers_test

import (
	"strings"
	"testing"

	"dailies/db"
)

func TestGalleryBringsBackAllDownToWhereOneWas(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	for range 80 {
		h.addTask(t, 1, db.Success)
	}
	page := p.get("/gallery?through=9").is(200).shows(`"/tasks/80"`, `"/tasks/9"`, `href="/gallery?before=9"`).hides(`"/tasks/8"`)
	if n := strings.Count(page.body, "<article"); n != 72 {
		t.Errorf("%d videos, want 72", n)
	}
	p.get("/gallery?through=1").is(200).shows(`"/tasks/1"`).hides("before=")
	p.get("/gallery?before=50&through=40").is(200).shows(`"/tasks/49"`, `"/tasks/40"`).hides(`"/tasks/50"`, `"/tasks/39"`)
	p.get("/gallery?through=70&q=boat").is(200).shows(`"/gallery?before=70&amp;q=boat"`)
	part := p.get("/gallery?before=9", "HX-Request-Type", "partial").is(200).shows(`"/tasks/8"`)
	if strings.Contains(part.body, "<html") || strings.Contains(part.body, `id="results"`) {
		t.Error("the older videos bring more than themselves")
	}
}

func TestGalleryGoesOnWhereAVeryLongPageEnds(t *testing.T) {
	alone(t)
	h := newHouse(t)
	p := h.founder(t)
	tasks := make([]db.Task, 1010)
	for i := range tasks {
		tasks[i] = db.Task{UserID: 1, FormToken: db.NewToken(), Scene: "text-to-video", Model: "veo3", Prompt: "a boat", CreatedAt: db.Now()}
	}
	_, err := h.store.AddTasks(t.Context(), tasks)
	must(t, err)
	p.get("/gallery?status=all&through=2").is(200).shows(`"/gallery?before=11&amp;status=all"`).hides(`"/tasks/10"`)
	p.get("/gallery?status=all&through=11").is(200).shows(`"/gallery?before=11&amp;status=all"`)
}
