package api_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"strings"
	"testing"
	"time"

	recipes "dailies/db/ordering"
	"dailies/handlers/handlerstest"
)

func TestAProgramFillsInARecipe(t *testing.T) {
	h, kim := started(t)
	c := newClient(t, h, kim, "make", 1000)
	path := fmt.Sprintf("/api/v1/recipes/%d/videos", h.AddRecipe(t, 1).ID)
	post := func(path, body string) reply {
		t.Helper()
		return c.do("POST", path, body, fmt.Sprintf("Idempotency-Key: %d", time.Now().UnixNano()))
	}
	const filled = `{"blanks":{"Product":"jug","place":"oak"},"max_credits":%s}`
	made := post(path, fmt.Sprintf(filled, `60,"count":2,"title":"Jugs"`)).is(202).value()["videos"].([]any)
	task, err := h.Store.Tasks.Task(t.Context(), 1)
	must(t, err)
	if len(made) != 2 || task.Prompt != "A jug stands on a oak table" || task.RecipeID != 1 || task.Title != "Jugs" || task.Batch == "" {
		t.Errorf("%v, %+v", made, task)
	}
	for body, field := range map[string]string{
		`{"blanks":{"place":"oak"},"max_credits":30}`: "blanks.product",
		`{"max_credits":30}`:                          "blanks.product",
		`{"blanks":{"product":"jug","place":"oak","colour":"red"},"max_credits":30}`:                "blanks.colour",
		`{"blanks":{"product":"jug","place":"` + strings.Repeat("a", 9000) + `"},"max_credits":30}`: "blanks.Place",
		`{"blanks":{"product":"jug","place":"oak"}}`:                                                "max_credits",
	} {
		if got := post(path, body).is(422, "invalid"); got.value()["field"] != field {
			t.Errorf("%.80s: %s", body, got.body)
		}
	}
	post(path, fmt.Sprintf(filled, "29")).is(422, "price_changed")
	post(path, `{"prompt":"x","max_credits":30}`).is(422, "unknown_field")
	post("/api/v1/recipes/99/videos", fmt.Sprintf(filled, "30")).is(404, "not_found")
	c.do("POST", path, fmt.Sprintf(filled, "30")).is(400, "no_key")
	dear := h.AddRecipe(t, 1, func(r *recipes.Recipe) { r.Options.Resolution = "1080p"; r.Ceiling.Amount = 20 })
	h.LastCost(t, 1, 30)
	post(fmt.Sprintf("/api/v1/recipes/%d/videos", dear.ID), fmt.Sprintf(filled, "900")).is(422, "price_unknown")
	low := h.AddRecipe(t, 1, func(r *recipes.Recipe) { r.Ceiling.Amount = 20 })
	post(fmt.Sprintf("/api/v1/recipes/%d/videos", low.ID), fmt.Sprintf(filled, "900")).is(422, "limit_reached")
	if n := len(h.Mine(t, 1)); n != 2 {
		t.Errorf("%d videos", n)
	}
}

// Pictures are kept and checked as those of the pages, and can be sent with a video.
func TestAProgramAddsPictures(t *testing.T) {
	h, kim := started(t)
	c := newClient(t, h, kim, "make", 1000)
	photo := handlerstest.Photo(t, 400, 300)
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("picture", "harbour.jpg")
	must(t, err)
	_, err = part.Write(photo)
	must(t, err)
	must(t, w.Close())
	uploaded := c.do("POST", "/api/v1/pictures", form.String(), "Content-Type: "+w.FormDataContentType()).is(201).value()
	raw := c.do("POST", "/api/v1/pictures", string(photo), "Content-Type: image/jpeg", `Content-Disposition: attachment; filename="sea.jpg"`).is(201).value()
	if uploaded["width"] != 400.0 || uploaded["height"] != 300.0 || raw["url"] != uploaded["url"] {
		t.Errorf("%v and %v", uploaded, raw)
	}
	link := c.do("POST", "/api/v1/pictures", fmt.Sprintf(`{"url":%q}`, handlerstest.Pictures(t)+"/a.png")).is(201).value()
	if !strings.HasSuffix(link["url"].(string), "/a.png") || link["width"] != 64.0 {
		t.Errorf("%v", link)
	}
	kim.Get("/pictures").Is(200).Shows("harbour.jpg")
	video := fmt.Sprintf(`{"scene":"frames-to-video","model":"seedance-2.0","options":{"duration":5,"resolution":"720p","image_input":[%q,%q]},"max_credits":30}`, uploaded["url"], link["url"])
	c.do("POST", "/api/v1/videos", video, "Idempotency-Key: a").is(202)
	for _, bad := range []struct{ kind, body, field string }{
		{"image/png", "no picture", ""},
		{"application/json", `{"url":"ftp://a.example/b.png"}`, "url"},
		{"application/json", `{"url":""}`, "url"},
		{"application/json", fmt.Sprintf(`{"url":%q}`, h.URL+"/healthz"), "url"},
	} {
		if got := c.do("POST", "/api/v1/pictures", bad.body, "Content-Type: "+bad.kind).is(422, "picture_refused"); bad.field != "" && got.value()["field"] != bad.field {
			t.Errorf("%s: %s", bad.body, got.body)
		}
	}
	c.do("POST", "/api/v1/pictures", "{}", "Content-Type: text/plain").is(415, "invalid")
	c.do("POST", "/api/v1/pictures", "{", "Content-Type: application/json").is(400, "invalid")
	c.do("POST", "/api/v1/pictures", "--x", "Content-Type: multipart/form-data").is(422, "invalid")
	c.do("POST", "/api/v1/pictures", "--x\r\nContent-Disposition: form-data; name=\"picture\"; filename=\"a.png\"\r\n\r\ncut", "Content-Type: multipart/form-data; boundary=x").is(400, "invalid")
	c.do("POST", "/api/v1/pictures", strings.Replace(form.String(), `name="picture"`, `name="file"`, 1), "Content-Type: "+w.FormDataContentType()).is(422, "unknown_field")
	c.do("POST", "/api/v1/pictures", strings.Repeat("a", 25<<20), "Content-Type: image/png").is(422, "picture_refused")
}
