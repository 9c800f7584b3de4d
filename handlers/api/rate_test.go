package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"dailies/handlers/handlerstest"
)

// What is not looked at because others were is no fault of the picture: the program is asked
// to come again.
func TestCheckingTooManyPicturesIsAMatterOfRate(t *testing.T) {
	h, p := started(t)
	c := newClient(t, h, p, "make", 10_000)
	photo := handlerstest.Photo(t, 400, 300)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(photo) }))
	t.Cleanup(s.Close)
	for i := range 24 {
		c.do("POST", "/api/v1/pictures", fmt.Sprintf(`{"url":"%s/%d.jpg"}`, s.URL, i)).is(201)
	}
	fields := `"scene":"image-to-video","model":"seedance-2.0","prompt":"A harbour","options":{"duration":5,"resolution":"720p","image_input":["` + s.URL + `/new.jpg"]}`
	for path, body := range map[string]string{
		"/api/v1/pictures": `{"url":"` + s.URL + `/new.jpg"}`,
		"/api/v1/videos":   `{` + fields + `,"max_credits":30}`,
	} {
		said := c.do("POST", path, body, "Idempotency-Key: "+path).is(429, "rate")
		if said.header.Get("Retry-After") == "" || strings.Contains(string(said.body), "Press") {
			t.Errorf("%s: %v, %s", path, said.header, said.body)
		}
	}
	said := c.do("POST", "/api/ai/generate", `{"mediaType":"video",`+fields+`}`).is(200)
	if message, _ := said.value()["message"].(string); !strings.HasPrefix(message, "rate limit: Not checked yet") || said.header.Get("Retry-After") == "" {
		t.Errorf("the dialect: %v, %s", said.header, said.body)
	}
	if tasks := h.Tasks(t); len(tasks) != 0 {
		t.Errorf("%d videos were made", len(tasks))
	}
	// A press on a page says when to press again, and cannot insist.
	form := handlerstest.WithField(handlerstest.WithField(handlerstest.GoodForm(), "image_input", s.URL+"/new.jpg"), "slow_told", s.URL+"/new.jpg")
	p.Post("/create/image-to-video", form).Is(422).Shows("Not checked yet", "Press again in ").Hides("use it anyway")
}
