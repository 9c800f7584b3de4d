package sandbox_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"dailies/web/videoapi"
	"dailies/web/videoapi/documenttest"
	"dailies/web/videoapi/sandbox"
)

// API.md: "Internal structure of taskInfo and taskResult: not shown." The client
// of this program must read every shape.
func TestEveryShapeIsReadByTheClient(t *testing.T) {
	for _, shape := range []sandbox.Shape{sandbox.Kie, sandbox.Veo, sandbox.Replicate, sandbox.Flat, sandbox.Mixed} {
		t.Run(string(shape), func(t *testing.T) {
			w := openWith(t, t.TempDir(), 1000, func(c *sandbox.Config) { c.Results = shape })
			seen := map[string]bool{}
			for range 4 {
				r := tiny("A quiet sea, https://words.example/in.mp4")
				r.Scene, r.Options.ImageInput = videoapi.ImageToVideo, []string{wide}
				ended := w.end(w.create(r).ID)
				found := ended.Results()
				if len(found.Videos) != 1 || !strings.HasPrefix(w.file(found.Videos[0], ""), "\x1a\x45\xdf\xa3") {
					t.Fatalf("videos %q in %s and %s", found.Videos, ended.TaskInfo, ended.TaskResult)
				}
				for _, text := range []string{ended.TaskInfo, ended.TaskResult} {
					if !json.Valid([]byte(text)) {
						t.Errorf("no JSON text: %s", text)
					}
				}
				for _, mark := range []string{"resultJson", "resultUrls", "output", `"http`} {
					if strings.Contains(ended.TaskResult, mark) {
						seen[mark] = true
						break
					}
				}
				if shape != sandbox.Mixed {
					break
				}
			}
			if shape == sandbox.Mixed && len(seen) < 4 {
				t.Errorf("four tasks had %d shapes", len(seen))
			}
			failed := w.end(w.create(tiny("A quiet sea #fail")).ID)
			if got := failed.Reason().Text; got != "The sandbox was asked to fail this one." {
				t.Errorf("reason %q", got)
			}
		})
	}
	if _, err := sandbox.ParseShape("pixels"); err == nil {
		t.Error("there is a shape pixels")
	}
}

// API.md, "Response envelope" and "Create task".
func TestCreateAnswersAtOnceWithAPendingRecord(t *testing.T) {
	w := start(t, 100)
	a := w.post(generate, body("", "", ""))
	if a.HTTP != http.StatusOK || *a.Code != 0 || a.Message != "ok" {
		t.Fatalf("got HTTP %d, code %d, message %q; want 200, 0, ok", a.HTTP, *a.Code, a.Message)
	}
	for name, want := range map[string]string{
		"mediaType": "video", "scene": "text-to-video", "model": "tiny", "status": "pending",
		"prompt": "A quiet sea", "options": "{}", "provider": "", "taskInfo": "", "taskResult": "",
	} {
		if got := a.Text(t, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{"id", "taskId", "userId", "creditId", "createdAt", "updatedAt"} {
		if a.Text(t, name) == "" {
			t.Errorf("%s is empty", name)
		}
	}
	if got := string(a.Data["costCredits"]); got != "6" {
		t.Errorf("costCredits is %s, want the number 6", got)
	}
}

// If a client could not read a record, it could not follow the task.
func TestTheLargestRecordCanBeRead(t *testing.T) {
	w := start(t, 100)
	w.pause()
	r := tiny(strings.Repeat("\x00", 100_000))
	r.Scene, r.Options.ImageInput = videoapi.ImageToVideo, []string{wide + "?" + strings.Repeat("\"", 8000)}
	made := w.query(w.create(r).ID)
	a := w.post(query, `{"taskId":"`+made.ID+`"}`)
	if got := a.Text(t, "prompt"); got != r.Prompt {
		t.Errorf("the prompt comes back with %d bytes, sent were %d", len(got), len(r.Prompt))
	}
}

// API.md: "Task ID at the upstream provider. It is not the value used for
// querying."
func TestOnlyTheInternalIDCanBeQueried(t *testing.T) {
	w := start(t, 100)
	r := w.create(tiny("A quiet sea"))
	if r.ID == r.TaskID {
		t.Fatalf("id and taskId are both %q", r.ID)
	}
	w.refused(w.post(query, `{"taskId":"`+r.TaskID+`"}`), "task not found")
	if got := w.query(r.ID); got.ID != r.ID || got.TaskID != r.TaskID {
		t.Errorf("the query answers about %q and %q", got.ID, got.TaskID)
	}
}

// API.md: "data is the same task record with the latest status, taskInfo and
// taskResult. The last two are JSON strings to be parsed by the caller."
func TestAFinishedTaskNamesItsVideoInJSONText(t *testing.T) {
	w := start(t, 100)
	made := w.create(tiny("A quiet sea"))
	r := w.end(made.ID)
	if r.Status != videoapi.Success || r.Progress != 1 || r.Cost != made.Cost {
		t.Fatalf("got %+v", r)
	}
	a := w.post(query, `{"taskId":"`+r.ID+`"}`)
	var about struct {
		Videos []struct{ VideoURL, CoverURL string }
		Status string
	}
	if err := json.Unmarshal([]byte(a.Text(t, "taskInfo")), &about); err != nil || len(about.Videos) != 1 || about.Status != "success" {
		t.Fatalf("taskInfo %s: %v", a.Data["taskInfo"], err)
	}
	var result struct{ TaskID, State, ResultJSON string }
	if err := json.Unmarshal([]byte(a.Text(t, "taskResult")), &result); err != nil || result.State != "success" || result.TaskID != r.TaskID {
		t.Fatalf("taskResult %s: %v", a.Data["taskResult"], err)
	}
	var inner struct{ ResultURLs []string }
	if err := json.Unmarshal([]byte(result.ResultJSON), &inner); err != nil || len(inner.ResultURLs) != 1 || inner.ResultURLs[0] != about.Videos[0].VideoURL {
		t.Fatalf("resultJson %s: %v", result.ResultJSON, err)
	}
	found := r.Results()
	if len(found.Videos) != 1 || found.Videos[0] != about.Videos[0].VideoURL || found.Cover != about.Videos[0].CoverURL {
		t.Errorf("the client finds %+v", found)
	}
}

func TestQueryOfAnUnknownOrForeignTaskIsRefused(t *testing.T) {
	w := start(t, 100)
	w.refused(w.post(query, `{"taskId":"nothing"}`), "task not found")
	w.refused(w.post(query, `{"taskId":""}`), "invalid params: taskId is missing")
	w.refused(w.post(query, `{}`), "invalid params: taskId is missing")
	w.refused(w.post(query, `{"taskId":7}`), "invalid params: taskId must be a string")
	stranger, err := w.NewKey(t.Context(), "stranger", 0)
	if err != nil {
		t.Fatal(err)
	}
	mine := w.create(tiny("A quiet sea"))
	w.key = stranger
	w.refused(w.post(query, `{"taskId":"`+mine.ID+`"}`), "no permission")
}

// These requests fail before their fields are checked. They are sent over a real
// connection.
func TestMalformedRequestsGetAClearAnswer(t *testing.T) {
	w := start(t, 100)
	server := httptest.NewServer(w)
	defer server.Close()
	good := body("", "", "")
	deep := strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000)
	for name, c := range map[string]struct {
		method, path, kind, body string
		status                   int
		message                  string
	}{
		"wrong method":       {http.MethodGet, generate, "application/json", "", 405, "must be POST"},
		"wrong path":         {http.MethodPost, "/api/ai/nothing", "application/json", good, 404, "not found"},
		"wrong content type": {http.MethodPost, generate, "text/plain", good, 200, "Content-Type"},
		"over 1 MiB":         {http.MethodPost, generate, "application/json", good + strings.Repeat(" ", 1<<20), 200, "larger than 1 MiB"},
		"broken":             {http.MethodPost, generate, "application/json", good[:len(good)-1], 200, "not JSON"},
		"two":                {http.MethodPost, generate, "application/json", good + good, 200, "not JSON"},
		"empty":              {http.MethodPost, generate, "application/json", "", 200, "not JSON"},
		"a list":             {http.MethodPost, generate, "application/json", "[]", 200, "must be a JSON object"},
		"null":               {http.MethodPost, generate, "application/json", "null", 200, "must be a JSON object"},
		"too deep":           {http.MethodPost, generate, "application/json", deep, 200, "not JSON"},
		"deep in text":       {http.MethodPost, generate, "application/json", `{"prompt":"` + strings.Repeat(`[\"`, 1000) + `"}`, 200, "mediaType"},
		"invalid UTF-8":      {http.MethodPost, generate, "application/json", strings.Replace(good, "quiet", "\xff", 1), 200, "UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), c.method, server.URL+c.path, strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", c.kind)
			r.Header.Set("Authorization", "Bearer "+w.key)
			resp, err := server.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			a := documenttest.Wire{}
			if err := json.NewDecoder(resp.Body).Decode(&a); err != nil || a.Code == nil {
				t.Fatalf("no envelope: %v", err)
			}
			if resp.StatusCode != c.status {
				t.Errorf("HTTP %d, want %d", resp.StatusCode, c.status)
			}
			w.refused(a, c.message)
		})
	}
	if b := w.balance(); b != 100 {
		t.Errorf("balance %v, want 100", b)
	}
}
