package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"dailies/db/option"
	"dailies/handlers/handlerstest"
)

func TestWithoutAShapeAProgramGetsThatOfThePicture(t *testing.T) {
	h, p := started(t)
	c := newClient(t, h, p, "make", 10_000)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(handlerstest.Photo(t, 900, 1600))
	}))
	t.Cleanup(s.Close)
	for i, tt := range []struct {
		scene, model, more string
		shape              option.Shape
		ratio              string
		sent               any
	}{
		{"image-to-video", "seedance-2.0", ``, option.LikePicture, "9:16", "9:16"},
		{"image-to-video", "seedance-2.0", `,"aspect_ratio":""`, option.LikePicture, "9:16", "9:16"},
		{"image-to-video", "seedance-2.0", `,"aspect_ratio":"1:1"`, option.ChosenShape, "1:1", "1:1"},
		{"reference-to-video", "seedance-2.0", ``, option.ChosenShape, "16:9", "16:9"},
		{"image-to-video", "bytedance/v1-pro-image-to-video", ``, option.LikePicture, "", nil},
		{"image-to-video", "veo3", ``, option.ChosenShape, option.AutoRatio, nil},
		{"text-to-video", "veo3", ``, option.ChosenShape, option.AutoRatio, nil},
		{"text-to-video", "seedance-2.0", ``, option.ChosenShape, "16:9", "16:9"},
	} {
		pictures := fmt.Sprintf(`,"image_input":[%q]`, s.URL+"/a.jpg")
		if tt.scene == "text-to-video" {
			pictures = ""
		}
		fields := fmt.Sprintf(`"scene":%q,"model":%q,"prompt":"A harbour","options":{"mode":%q%s%s}`, tt.scene, tt.model, tt.scene, tt.more, pictures)
		made := c.do("POST", "/api/v1/videos", `{`+fields+`,"max_credits":500,"accept_unknown_price":true}`, fmt.Sprintf("Idempotency-Key: %d", i)).is(202).value()
		shape := made["shape"].(map[string]any)
		if shape["like_picture"] != (tt.shape != option.ChosenShape) || shape["sent"] != tt.sent || shape["size_unknown"] != false {
			t.Errorf("%s on %s%s: %v", tt.scene, tt.model, tt.more, shape)
		}
		id, err := strconv.ParseInt(c.do("POST", "/api/ai/generate", `{"mediaType":"video",`+fields+`}`).is(200).value()["data"].(map[string]any)["id"].(string), 10, 64)
		must(t, err)
		for _, id := range []int64{int64(made["id"].(float64)), id} {
			task, err := h.Store.Tasks.Task(t.Context(), id)
			must(t, err)
			if task.Options.Shape != tt.shape || task.Options.AspectRatio != tt.ratio {
				t.Errorf("%s on %s%s: %+v", tt.scene, tt.model, tt.more, task.Options)
			}
		}
	}
	c.do("POST", "/api/v1/quotes", fmt.Sprintf(`{"scene":"image-to-video","model":"seedance-2.0","prompt":"A harbour","options":{"aspect_ratio":"picture","image_input":[%q]}}`, s.URL)).is(422, "invalid")
}
