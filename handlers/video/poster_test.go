package video_test

import (
	"fmt"
	"image/jpeg"
	"strings"
	"sync"
	"testing"

	"dailies/db"
	"dailies/handlers/handlerstest"
)

func TestAPosterIsKeptOnce(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	film := h.AddKept(t, 2, "film")
	kim.Get("/gallery").Is(200).Has(fmt.Sprintf(`[data-poster="/tasks/%d/poster"]`, film.ID), ".plain")
	first := kim.SendPoster(t, film.ID, handlerstest.FrameOf(t, 640, 360)).Is(204)
	second := ada.SendPoster(t, film.ID, handlerstest.FrameOf(t, 320, 180)).Is(204)
	at := first.Header.Get("Location")
	if at == "" || second.Header.Get("Location") != at {
		t.Errorf("the picture is at %q, and then at %q", at, second.Header.Get("Location"))
	}
	kept, err := jpeg.DecodeConfig(strings.NewReader(ada.Get(at).Is(200).Text))
	if err != nil || kept.Width != 640 {
		t.Errorf("%+v is kept, %v", kept, err)
	}
	kim.Get("/gallery").Is(200).Shows(fmt.Sprintf(`<img src=%q`, at)).Hides("data-poster", "plain")
}

func TestOfManyPostersAtOnceOneIsKept(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	film := h.AddKept(t, 1, "film")
	var sending sync.WaitGroup
	for i := range 5 {
		sending.Go(func() { kim.SendPoster(t, film.ID, handlerstest.FrameOf(t, 64+i, 36)) })
	}
	sending.Wait()
	task, err := h.Store.Tasks.Task(t.Context(), film.ID)
	must(t, err)
	if len(task.Media) != 2 || task.Media[1].Kind != db.Cover {
		t.Errorf("it has %+v", task.Media)
	}
}

func TestOnlyAPictureOfAVideoThatNeedsOneIsTaken(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	film, frame := h.AddKept(t, 1, "film"), handlerstest.FrameOf(t, 64, 36)
	kim.SendPoster(t, h.AddTask(t, 1, db.Success).ID, frame).Is(409)
	kim.SendPoster(t, h.AddTask(t, 1, db.Processing).ID, frame).Is(409)
	kim.SendPoster(t, 999, frame).Is(404)
	kim.SendPoster(t, film.ID, []byte("<svg onload=alert(1)>")).Is(422)
	kim.SendPoster(t, film.ID, handlerstest.FrameOf(t, 1281, 4)).Is(422)
	kim.SendPoster(t, film.ID, frame[:len(frame)/2]).Is(422)
	kim.SendPoster(t, film.ID, make([]byte, 1<<20)).Is(413)
	kim.Post(fmt.Sprintf("/tasks/%d/poster", film.ID), nil).Is(422)
	_, err := h.Store.Tasks.UpdateTask(t.Context(), film.ID, func(t *db.Task) error { t.Private = true; return nil })
	must(t, err)
	ada.SendPoster(t, film.ID, frame).Is(404)
	kim.SendPoster(t, film.ID, frame).Is(204)
}
