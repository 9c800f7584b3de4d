package sandbox_test

import (
	"encoding/json"
	"strings"
	"testing"

	"dailies/web/videoapi"
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
