package handlers_test

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"sync"
	"testing"

	"dailies/db"
)

// sendPoster sends the file as a browser does that has drawn it.
func (p *person) sendPoster(t *testing.T, id int64, file []byte) *answer {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("poster", "poster.jpg")
	must(t, err)
	_, err = part.Write(file)
	must(t, err)
	must(t, form.Close())
	path := fmt.Sprintf("/tasks/%d/poster", id)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.h.URL+path, &body)
	must(t, err)
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("HX-Request-Type", "partial")
	resp, err := p.Do(r)
	must(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	must(t, err)
	return &answer{t, "POST " + path, resp, string(text)}
}

func frameOf(t *testing.T, width, height int) []byte {
	t.Helper()
	var out bytes.Buffer
	must(t, png.Encode(&out, image.NewGray(image.Rect(0, 0, width, height))))
	return out.Bytes()
}

func TestAPosterIsKeptOnce(t *testing.T) {
	h := newHouse(t)
	kim := h.founder(t)
	ada := h.joiner(t, kim, "ada")
	film := h.addKept(t, 2, "film")
	kim.get("/gallery").is(200).shows(fmt.Sprintf(`data-poster="/tasks/%d/poster"`, film.ID), `src="/media/1#t=0.1"`)
	first := kim.sendPoster(t, film.ID, frameOf(t, 640, 360)).is(204)
	second := ada.sendPoster(t, film.ID, frameOf(t, 320, 180)).is(204)
	at := first.Header.Get("Location")
	if at == "" || second.Header.Get("Location") != at {
		t.Errorf("the picture is at %q, and then at %q", at, second.Header.Get("Location"))
	}
	kept, err := jpeg.DecodeConfig(strings.NewReader(ada.get(at).is(200).body))
	if err != nil || kept.Width != 640 {
		t.Errorf("%+v is kept, %v", kept, err)
	}
	kim.get("/gallery").is(200).shows(fmt.Sprintf(`<img src=%q`, at)).hides("data-poster", "data-still")
}

func TestOfManyPostersAtOnceOneIsKept(t *testing.T) {
	h := newHouse(t)
	kim := h.founder(t)
	film := h.addKept(t, 1, "film")
	var sending sync.WaitGroup
	for i := range 5 {
		sending.Go(func() { kim.sendPoster(t, film.ID, frameOf(t, 64+i, 36)) })
	}
	sending.Wait()
	task, err := h.store.Task(t.Context(), film.ID)
	must(t, err)
	if len(task.Media) != 2 || task.Media[1].Kind != db.Cover {
		t.Errorf("it has %+v", task.Media)
	}
}

func TestOnlyAPictureOfAVideoThatNeedsOneIsTaken(t *testing.T) {
	h := newHouse(t)
	kim := h.founder(t)
	ada := h.joiner(t, kim, "ada")
	film, frame := h.addKept(t, 1, "film"), frameOf(t, 64, 36)
	kim.sendPoster(t, h.addTask(t, 1, db.Success).ID, frame).is(409)
	kim.sendPoster(t, h.addTask(t, 1, db.Processing).ID, frame).is(409)
	kim.sendPoster(t, 999, frame).is(404)
	kim.sendPoster(t, film.ID, []byte("<svg onload=alert(1)>")).is(422)
	kim.sendPoster(t, film.ID, frameOf(t, 1281, 4)).is(422)
	kim.sendPoster(t, film.ID, frame[:len(frame)/2]).is(422)
	kim.sendPoster(t, film.ID, make([]byte, 1<<20)).is(413)
	kim.post(fmt.Sprintf("/tasks/%d/poster", film.ID), nil).is(422)
	_, err := h.store.UpdateTask(t.Context(), film.ID, func(t *db.Task) error { t.Private = true; return nil })
	must(t, err)
	ada.sendPoster(t, film.ID, frame).is(404)
	kim.sendPoster(t, film.ID, frame).is(204)
}
