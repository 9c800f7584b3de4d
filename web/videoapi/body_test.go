package videoapi_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"dailies/web/videoapi"
)

// A service may answer with the video itself, or with pictures, in base64. What matters is
// read wherever it stands.
func TestWhatMattersIsReadInAVeryLongAnswer(t *testing.T) {
	const link = "https://cdn.example.com/a.mp4"
	base64 := strings.Repeat("QUJD/+", 400_000)
	inner, err := json.Marshal(map[string]any{"aFrame": base64, "videos": []any{map[string]string{"preview": "data:image/png;base64," + base64, "videoUrl": link}}, "zFrame": base64})
	if err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(map[string]any{"resultJson": string(inner)})
	if err != nil {
		t.Fatal(err)
	}
	for name, record := range map[string]map[string]any{
		"beside":             {"a": base64, "status": "success", "taskInfo": `{"videoUrl":"` + link + `"}`, "z": base64},
		"in taskInfo":        {"status": "success", "taskInfo": string(inner), "zz": 1},
		"two layers of JSON": {"status": "success", "taskResult": string(again), "zz": 1},
		"with escapes":       {"a": strings.Repeat(`\\"\n`, 300_000), "status": "success", "taskInfo": string(inner)},
	} {
		record["id"] = "1"
		body, err := json.Marshal(map[string]any{"code": 0, "message": "ok", "data": record})
		if err != nil {
			t.Fatal(err)
		}
		answer, err := answering(t, 200, string(body)).Query(t.Context(), key, "1")
		if name == "with escapes" && err != nil { // nothing in it can be left out, so that its end is missing
			var e *videoapi.Error
			if !errors.As(err, &e) || e.Kind != videoapi.TooLong || len(e.Body) > videoapi.MaxBody {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := answer.Record.Results().Videos; !slices.Equal(got, []string{link}) || len(answer.Body) > videoapi.MaxBody || !json.Valid(answer.Body) {
			t.Errorf("%s: got %q of %d bytes", name, got, len(answer.Body))
		}
	}
}

func FuzzBody(f *testing.F) {
	f.Add([]byte(`{"code":0,"data":{"id":"1","x":"`), []byte(`a`), []byte(`","status":"success"}}`))
	f.Add([]byte(`{"code":0,"data":{"id":"1","x":"`), []byte(`\\\"b`), []byte(`\"`))
	f.Add([]byte(`{"code":0,"data":[`), []byte(`{"a":[1,2,3]},`), []byte(`1]}`))
	f.Fuzz(func(t *testing.T, before, middle, after []byte) {
		if len(middle) == 0 || len(middle) > 1000 {
			return
		}
		const most = 4000
		whole := slices.Concat(before, bytes.Repeat(middle, 2*most/len(middle)+1), after)
		got, err := videoapi.ReadBody(bytes.NewReader(whole), most, 200)
		if len(got) > most {
			t.Fatalf("%d bytes", len(got))
		}
		if json.Valid(whole) && bytes.HasPrefix(bytes.TrimSpace(whole), []byte("{")) && len(got) > 0 && !json.Valid(got) {
			t.Fatalf("%v: valid JSON became %.200q … %q", err, got, got[max(0, len(got)-200):])
		}
	})
}
