package videoapi_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dailies/web/costtest"
	"dailies/web/videoapi"
)

func TestResultsAreFoundInEveryKnownShape(t *testing.T) {
	const v, w = "https://cdn.example.com/a.mp4", "https://cdn.example.com/b.mp4"
	quote := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	for name, tt := range map[string]struct {
		info, result, rest string
		inputs             []string
		want               []string
		cover              string
	}{
		"task info": {info: `{"videos":[{"id":"","createTime":"1","videoUrl":"` + v + `"}],"status":"success","errorCode":"","errorMessage":""}`, want: []string{v}},
		"task info wins over the provider's copy": {
			info:   `{"videos":[{"videoUrl":"` + v + `"}]}`,
			result: `{"state":"success","resultJson":"{\"resultUrls\":[\"` + w + `\"]}"}`, want: []string{v}},
		"third level of JSON text":               {result: `{"taskId":"x","state":"success","resultJson":"{\"resultUrls\":[\"` + v + `\"]}","failCode":"","failMsg":""}`, want: []string{v}},
		"veo":                                    {result: `{"response":{"resultUrls":["` + v + `"],"originUrls":null,"resolution":"1080p"},"successFlag":1,"errorMessage":""}`, want: []string{v}},
		"originals count less":                   {result: `{"originUrls":["` + w + `"],"resultUrls":["` + v + `"]}`, want: []string{v}},
		"previews count less than unknown names": {result: `{"previewUrl":"` + w + `","thing":"` + v + `"}`, want: []string{v}},
		"the first cover counts":                 {info: `{"videoUrl":"` + v + `","coverUrl":"https://x.example.com/c.jpg","thumbUrl":"https://x.example.com/t.jpg"}`, cover: "https://x.example.com/c.jpg", want: []string{v}},
		"pictures under unknown names":           {result: `{"href":"https://x.example.com/1.png"}`},
		"other schemes":                          {result: `{"videoUrl":"httpx://x.example.com/1.mp4"}`},
		"endless addresses":                      {result: `{"videoUrl":"https://x.example.com/` + strings.Repeat("x", 9000) + `.mp4"}`},
		"bare address":                           {result: v, want: []string{v}},
		"address as JSON text":                   {result: quote(v), want: []string{v}},
		"encoded twice":                          {info: quote(quote(`{"videos":[{"videoUrl":"` + v + `"}]}`)), want: []string{v}},
		"a number too large for a computer":      {result: `{"frames":1e999,"url":"` + v + `"}`, want: []string{v}},
		"list":                                   {result: `["` + v + `","` + w + `","` + v + `"]`, want: []string{v, w}},
		"unknown names":                          {result: `{"stuff":{"thing":"` + v + `"}}`, want: []string{v}},
		"no ending":                              {info: `{"videos":[{"videoUrl":"https://cdn.example.com/x?sig=1"}]}`, want: []string{"https://cdn.example.com/x?sig=1"}},
		"no ending, no name":                     {result: `{"href":"https://cdn.example.com/x"}`, want: []string{"https://cdn.example.com/x"}},
		"top level field":                        {rest: `{"videoUrl":"` + v + `"}`, want: []string{v}},
		"replicate":                              {result: `{"id":"1","output":"` + v + `","urls":{"get":"https://api.example.com/1"}}`, want: []string{v}},
		"image to video is no image":             {result: `{"image_to_video":{"url":"` + v + `"}}`, want: []string{v}},
		"others are not the video": {
			info:  `{"videos":[{"videoUrl":"` + v + `","coverUrl":"https://x.example.com/c.jpg","lastFrameUrl":"https://x.example.com/l.mp4"}],"callBackUrl":"https://me.example.com/hook","imageUrls":["https://x.example.com/in"]}`,
			cover: "https://x.example.com/c.jpg", want: []string{v}},
		"inputs are no results": {result: `{"urls":["https://me.example.com/in","` + v + `"]}`, inputs: []string{"https://me.example.com/in"}, want: []string{v}},
		"inputs are no results, whatever they look like": {
			info: `{"output":["https://me.example.com/in.mp4","` + v + `"],"videoUrl":"https://me.example.com/in.mp4"}`, inputs: []string{"https://me.example.com/in.mp4"}, want: []string{v}},
		"inputs alone are no results": {info: `{"videoUrl":"` + v + `","coverUrl":"https://me.example.com/c.jpg"}`, inputs: []string{v, "https://me.example.com/c.jpg"}},
		"covers of inputs are none":   {info: `{"videoUrl":"` + v + `","input":{"coverUrl":"https://me.example.com/c.jpg"},"params":{"poster":"https://me.example.com/p.jpg"}}`, want: []string{v}},
		"a blank in the query":        {info: `{"videoUrl":"` + v + `?x=a b"}`, want: []string{v + "?x=a%20b"}},
		"escaped as in HTML":          {info: `{"videoUrl":"` + v + `?x=1&amp;y=2"}`, want: []string{v + "?x=1&y=2"}},
		"a bare percent sign":         {info: `{"videoUrl":"https://cdn.example.com/100%.mp4"}`, want: []string{"https://cdn.example.com/100%25.mp4"}},
		"in angle brackets":           {result: `"<` + v + `>"`, want: []string{v}},
		"a link in Markdown":          {result: `{"choices":[{"message":{"content":"Here is your film: [watch](` + v + `)."}}]}`, want: []string{v}},
		"without a scheme":            {info: `{"videoUrl":"//cdn.example.com/a.mp4"}`, want: []string{v}},
		"a scheme in capitals":        {info: `{"videoUrl":"HTTPS://CDN.example.com/a.mp4"}`, want: []string{v}},
		"backslashes":                 {info: `{"videoUrl":"https:\\\\cdn.example.com\\a.mp4"}`, want: []string{v}},
		"an animated picture":         {info: `{"videoUrl":"https://cdn.example.com/a.gif"}`, want: []string{"https://cdn.example.com/a.gif"}},
		"a sound":                     {info: `{"resultUrls":["https://cdn.example.com/a.m4a"]}`, want: []string{"https://cdn.example.com/a.m4a"}},
		"sounds count less":           {info: `{"resultUrls":["https://cdn.example.com/a.mp3","` + v + `"]}`, want: []string{v}},
		"inputs that need repair":     {info: `{"videoUrl":"https://me.example.com/a%20b.mp4"}`, inputs: []string{"https://me.example.com/a b.mp4"}},
		"pages in prose":              {info: `{"message":"See https://docs.example.com/errors for more."}`},
		"only pictures":               {result: `{"images":["https://x.example.com/1.png"]}`},
		"scripts are no addresses":    {result: `{"videoUrl":"javascript:alert(1)"}`},
		"junk":                        {info: `{"videos":[`, result: `null`},
	} {
		t.Run(name, func(t *testing.T) {
			got := videoapi.Record{TaskInfo: tt.info, TaskResult: tt.result, Rest: tt.rest}.Results(tt.inputs...)
			if !slices.Equal(got.Videos, tt.want) || got.Cover != tt.cover {
				t.Errorf("got %+v, want %q and cover %q", got, tt.want, tt.cover)
			}
		})
	}
}

func TestFewOfManyResultsAreTaken(t *testing.T) {
	var many []string
	for i := range 30 {
		many = append(many, fmt.Sprintf("https://cdn.example.com/%02d.mp4", i))
	}
	text, err := json.Marshal(map[string]any{"resultUrls": many})
	if err != nil {
		t.Fatal(err)
	}
	if got := (videoapi.Record{TaskResult: string(text)}).Results(); !slices.Equal(got.Videos, many[:8]) {
		t.Errorf("got %q", got.Videos)
	}
}

func TestReasonIsFoundAndBounded(t *testing.T) {
	for in, want := range map[string]string{
		`{"errorCode":"1","errorMessage":"content was blocked"}`: "content was blocked",
		`{"data":"{\"failMsg\":\"too dark\"}"}`:                  "too dark",
		`{"errorMessage":"the first","failMsg":"the second"}`:    "the first",
		`{"errorMessage":""}`:                                    "",
		`{"errorMessage":null,"error_msg":"no"}`:                 "no",
	} {
		if got := (videoapi.Record{TaskInfo: in}).Reason().Text; got != want {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
	long := fmt.Sprintf(`{"failMsg":%q}`, strings.Repeat("é", 5000))
	if got := (videoapi.Record{TaskResult: long}).Reason().String(); len(got) > videoapi.MaxMessage {
		t.Errorf("%d bytes", len(got))
	}
}

func FuzzResults(f *testing.F) {
	f.Add(`{"videos":[{"videoUrl":"https://a.example.com/x.mp4"}]}`, `"\"https://b.example.com\""`)
	f.Add(strings.Repeat("[", 5000), strings.Repeat(`{"a":`, 300)+`"http://x"`)
	f.Fuzz(func(t *testing.T, info, result string) {
		r := videoapi.Record{TaskInfo: info, TaskResult: result, Rest: result}
		for _, v := range r.Results().Videos {
			if !strings.HasPrefix(strings.ToLower(v), "http") {
				t.Errorf("%q is no web address", v)
			}
		}
		if len(r.Reason().String()) > videoapi.MaxMessage {
			t.Error("the reason is not bounded")
		}
	})
}

// A service may answer with anything, and every other change waits while an answer is
// recorded. Finding the results may therefore cost a few times what decoding the answer
// costs, and no more; the cheapest of five runs counts, since other tests use the same
// process.
func TestNoAnswerKeepsTheProgramBusy(t *testing.T) {
	nested := func(key string, depth int, inner string) string {
		return strings.Repeat(`{"`+key+`":`, depth) + inner + strings.Repeat(`}`, depth)
	}
	deep := "[" + strings.Repeat(nested("a", 9000, `"https://example.com/a.mp4"`)+",", 16) + "1]"
	many := nested(strings.Repeat("x", 500), 20, "["+strings.Repeat(`"https://example.com/a",`, 40_000)+`"https://example.com/b.mp4"]`)
	for name, info := range map[string]string{"deep": deep, "many": many} {
		decoding, finding := time.Hour, time.Hour
		for range 5 {
			decoding = min(decoding, costtest.Of(func() {
				var value any
				if err := json.Unmarshal([]byte(info), &value); err != nil {
					t.Fatal(name, err)
				}
			}))
			var found []string
			finding = min(finding, costtest.Of(func() { found = videoapi.Record{TaskInfo: info}.Results().Videos }))
			if slices.Contains(found, "https://example.com/a.mp4") {
				t.Fatalf("%s: a video is found too deep", name)
			}
		}
		t.Logf("%s: decoding %v, finding %v", name, decoding, finding)
		if finding > 20*decoding {
			t.Errorf("%s: it costs %v, and decoding it %v", name, finding, decoding)
		}
	}
}

// JSON in strings of JSON counts as nesting too.
func TestVideosAreFoundInFewLayersOfJSONInJSON(t *testing.T) {
	info := "https://example.com/a.mp4"
	for layers := 1; layers <= 14; layers++ {
		wrapped, err := json.Marshal([]string{info})
		if err != nil {
			t.Fatal(err)
		}
		info = string(wrapped)
		found := len(videoapi.Record{TaskInfo: info}.Results().Videos) == 1
		if layers <= 10 && !found || layers == 14 && found {
			t.Errorf("in %d layers it is found: %t", layers, found)
		}
	}
}
