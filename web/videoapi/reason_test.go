package videoapi_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unicode"

	"dailies/web/videoapi"
)

// A shape is an answer in which a reason stands, written after a public document of a model's
// provider or of a gateway in front of one.
type shape struct {
	Name, Source string
	Answer       json.RawMessage
	Text         string // a part of the reason's text
	Code         string
	Filtered     bool // as a success, it says that the video was filtered
}

func shapes(t *testing.T) (all []shape) {
	t.Helper()
	text, err := os.ReadFile("testdata/reasons.json")
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// prompted reads like the reason of a failure, and stands in the answers of shapes.
const prompted = "A safety inspector walks past a broken machine and does not look back."

func TestReasonsAreFoundInTheShapesOfProvidersAndGateways(t *testing.T) {
	all := shapes(t)
	if len(all) < 40 {
		t.Errorf("there are only %d shapes", len(all))
	}
	quoted, _ := json.Marshal(map[string]any{"params": map[string]string{"text": prompted}, "echo": strings.ToUpper(prompted), "title": prompted})
	for _, s := range all {
		asText, _ := json.Marshal(string(s.Answer))
		for where, r := range map[string]videoapi.Record{
			"in taskInfo":     {TaskInfo: string(s.Answer), Rest: string(quoted)},
			"in taskResult":   {TaskInfo: `{"videos":[],"status":"failed","errorCode":null,"errorMessage":"null"}`, TaskResult: string(s.Answer), Rest: string(quoted)},
			"beside them":     {Rest: `{"creditId":"9","extra":` + string(s.Answer) + `,"userId":"u_1"}`},
			"as text":         {TaskInfo: `{"status":"failed","error":` + string(asText) + `}`},
			"in a list":       {TaskResult: `[` + string(quoted) + `,` + string(s.Answer) + `]`},
			"below ten names": {TaskResult: strings.Repeat(`{"a":`, 10) + string(s.Answer) + strings.Repeat(`}`, 10)},
		} {
			got := r.Reason(prompted)
			if !strings.Contains(got.Text, s.Text) || s.Text == "" && got.Text != "" || !sameCode(got.Code, s.Code) {
				t.Errorf("%s, %s: got %q and code %q, want %q and %q", s.Name, where, got.Text, got.Code, s.Text, s.Code)
			}
			for _, never := range []string{prompted[:20], "http", "021777221411142", "Request id", "0c335789", "nginx", "null"} {
				if strings.Contains(strings.ToLower(got.String()), strings.ToLower(never)) {
					t.Errorf("%s, %s: %q holds %q", s.Name, where, got, never)
				}
			}
		}
		if _, filtered := (videoapi.Record{TaskResult: string(s.Answer), Rest: string(quoted)}).Filtered(prompted); s.Filtered && !filtered {
			t.Errorf("%s: a success with this answer is not known as filtered", s.Name)
		}
	}
}

// sameCode reports whether the code is the wanted one, or nothing is said of it.
func sameCode(got, want string) bool { return want == "" || got == want }

func TestWhatIsNoReasonIsNotTakenForOne(t *testing.T) {
	const picture = "https://pictures.example.com/people/Me%20and%20my%20dog.png"
	for name, answer := range map[string]string{
		"null as text":               `{"errorMessage":"null","failMsg":"None","error":"undefined","message":"N/A"}`,
		"success":                    `{"message":"success","msg":"ok","detail":"OK","reason":"SUCCESS"}`,
		"a sentence of success":      `{"message":"The task was completed successfully.","msg":"Video generated"}`,
		"the state":                  `{"status":"failed","message":"failed","error":"Error"}`,
		"names of fields":            `{"error":"error","param":"errorMessage","loc":["body","prompt"]}`,
		"the prompt":                 `{"errorMessage":"` + prompted + `"}`,
		"the prompt in capitals":     `{"errorMessage":"` + strings.ToUpper(prompted) + `"}`,
		"the prompt with blanks":     `{"message":"  ` + strings.ReplaceAll(prompted, " ", "  \\n ") + `"}`,
		"the prompt without stops":   `{"message":"` + strings.Trim(prompted, ".") + `"}`,
		"the prompt as a prefix":     `{"message":"` + prompted[:45] + `…"}`,
		"the middle of the prompt":   `{"message":"a broken machine and does not look back"}`,
		"the prompt with its name":   `{"message":"Prompt: ` + prompted + `"}`,
		"the prompt with options":    `{"message":"` + prompted + ` --ratio 16:9"}`,
		"the prompt twice":           `{"message":"` + prompted + ` ` + prompted + `"}`,
		"the prompt, encoded":        `{"message":"A%20safety%20inspector%20walks%20past%20a%20broken%20machine%20and%20does%20not%20look%20back."}`,
		"the prompt in JSON in text": `{"message":"{\"text\":\"` + prompted + `\"}"}`,
		"the prompt in HTML":         `{"message":"<p>` + prompted + `</p>"}`,
		"the prompt as words":        `{"message":["A","safety","inspector","walks"],"reason":"safety inspector"}`,
		"the prompt, rewritten":      `{"revisedPrompt":"An inspector, worried about safety, cannot look at the machine that is not whole."}`,
		"the address of a picture":   `{"message":"` + picture + `","detail":"Me and my dog.png","error":"PICTURES.example.com/people/Me%20and%20my%20dog.png"}`,
		"identifiers":                `{"message":"cgt-20260114200001-abcde","error":"0c335789-eab8-405f-8642-c583e12b1ddf","reason":"req_9f8e7d6c5b4a"}`,
		"times":                      `{"message":"2026-01-14T20:00:01Z","detail":"2026-01-14 20:00:01"}`,
		"options":                    `{"reason":"16:9","detail":"720p","message":"text-to-video"}`,
		"a wait":                     `{"message":"Your video is in progress, please wait a moment"}`,
		"nothing":                    `{}`,
		"no JSON":                    `{"a":`,
	} {
		got := videoapi.Record{TaskInfo: answer}.Reason(prompted, picture, "text-to-video", "seedance-2.0", "16:9", "720p")
		if got.String() != "" {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

func TestReasonsAreQuotedWithoutWhatWasSent(t *testing.T) {
	for answer, want := range map[string]string{
		`{"message":"Your prompt \"` + prompted + `\" was flagged as sensitive."}`:                         "Your prompt … was flagged as sensitive.",
		`{"message":"We could not download https://pictures.example.com/a.png?sig=1: it is gone."}`:        "We could not download (link) it is gone.",
		`{"message":"The file pictures.example.com/a-cat.png cannot be decoded."}`:                         "The file (link) cannot be decoded.",
		`{"message":"At 2026-01-14T20:00:01Z the task cgt-20260114200001-abcde ran out of time."}`:         "At the task ran out of time.",
		`{"error":{"message":"It is too dark.","code":"too_dark"},"other":{"code":"something_failed"}}`:    "It is too dark.",
		`{"message":"Error: the clip is broken\n    at render (/srv/app/render.js:10:5)\n    at main"}`:    "Error: the clip is broken",
		`{"a":"The first words are not about it","error":{"message":"The render node was switched off."}}`: "The render node was switched off.",
		`{"failMsg":"too dark"}`: "too dark",
	} {
		got := videoapi.Record{TaskInfo: answer}.Reason(prompted, "https://pictures.example.com/a-cat.png").Text
		if got != want {
			t.Errorf("%s: got %q, want %q", answer, got, want)
		}
	}
	both := videoapi.Record{TaskInfo: `{"error":{"message":"It went wrong in the end.","code":"E1003"}}`}.Reason()
	if both.String() != "It went wrong in the end. (E1003)" {
		t.Errorf("got %q", both)
	}
	cut := videoapi.Record{TaskInfo: `{"status":"failed","error":{"message":"The answer is cut off here.","code":"E1","more":"xxxx`}.Reason()
	if cut.Text != "The answer is cut off here." {
		t.Errorf("of an answer that is cut off: %q", cut)
	}
}

func TestALateLinkIsNotTakenForAFilteredVideo(t *testing.T) {
	for name, answer := range map[string]string{
		"nothing":            `{"videos":[],"status":"success","errorCode":"","errorMessage":""}`,
		"flags that are off": `{"raiMediaFilteredCount":0,"raiMediaFilteredReasons":[],"has_nsfw_contents":[false],"nsfw":false,"flagged":false,"moderation":{"flagged":false,"status":"passed"},"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}},"safetyRatings":[{"category":"HARM_CATEGORY_VIOLENCE","probability":"NEGLIGIBLE","blocked":false}]}`,
		"settings":           `{"enable_safety_checker":true,"safety_filter_level":"block_some","options":{"moderation":true,"filtered":"yes"},"safetySettings":[{"threshold":"BLOCK_NONE"}]}`,
		"checks":             `{"message":"Safety check passed, the video is being uploaded","moderation":"approved","detail":"No violations were found"}`,
		"the prompt":         `{"message":"A man who was blocked by a wall","echo":"A man who was blocked by a wall"}`,
		"another failure":    `{"message":"Upload is slower than usual"}`,
		"scores":             `{"nsfw_score":0.01,"categories":{"violence":0.2},"nsfw":0.01}`,
	} {
		if why, filtered := (videoapi.Record{TaskResult: answer}).Filtered("A man who was blocked by a wall"); filtered {
			t.Errorf("%s: %q", name, why)
		}
	}
	for name, answer := range map[string]string{
		"a count":       `{"raiMediaFilteredCount":1}`,
		"a count, text": `{"raiMediaFilteredCount":"1"}`,
		"a flag":        `{"data":{"nsfw_content_detected":[true]}}`,
		"a state":       `{"state":"CONTENT_FILTERED"}`,
		"a word":        `{"finish_reason":"content_filter"}`,
		"moderation":    `{"moderation":{"flagged":true}}`,
		"a block":       `{"output":{"blocked":true}}`,
		"a sentence":    `{"note":"The video was removed because it violates our content policy."}`,
	} {
		if why, filtered := (videoapi.Record{TaskResult: answer}).Filtered(); !filtered || why.String() == "" {
			t.Errorf("%s: %q, %t", name, why, filtered)
		}
	}
}

// planted are sentences of people who maintain services.
var planted = []string{
	"The render node was switched off before the last frame.",
	"We could not make this video because the queue was emptied.",
	"Nobody is allowed to show a coat of arms here.",
	"Your clip was taken down by the night shift.",
	"This kind of weather is not offered on Sundays.",
	"The picture has more pixels than we can carry.",
	"Il n'a pas été possible de produire la vidéo.",
	"Das Bild ist leider zu dunkel geworden.",
	"视频无法生成，因为画面里有不允许的内容。",
}

var promptsLikeReasons = []string{
	prompted,
	"The machine failed because nobody had looked after it for years.",
	"An error appears on the screen. The pilot cannot read it and turns away!",
	"She must not open the door: it was blocked by a filter of falling leaves.",
	"一个男人走进房间，因为门没有锁，他无法离开。",
}

var fieldNames = []string{"error", "message", "msg", "reason", "detail", "data", "result", "info", "response", "x", "failure", "body", "status_message", "errorMessage", "output", "0", "描述", "meta", "why", "task", "a b"}

// plant hides the sentence in a random structure, beside echoes of the prompt.
func plant(r *rand.Rand, sentence, prompt string, depth int) any {
	noise := func() any {
		switch r.IntN(12) {
		case 0:
			return prompt
		case 1:
			return strings.ToUpper(prompt)
		case 2:
			return "  " + strings.ReplaceAll(prompt, " ", "\n\t") + " "
		case 3:
			return string([]rune(prompt)[:len([]rune(prompt))*2/3]) + "…"
		case 4:
			return map[string]any{"prompt": prompt, "aspect_ratio": "16:9", "image_input": []string{"https://p.example.com/a.png"}}
		case 5:
			text, _ := json.Marshal(map[string]any{"input": map[string]any{"text": prompt}})
			return string(text)
		case 6:
			return "https://p.example.com/a.png?sig=abc"
		case 7:
			return "0c335789-eab8-405f-8642-c583e12b1ddf"
		case 8:
			return []any{"ok", "success", nil, "null", "", "2026-01-14T20:00:01Z"}
		case 9:
			return r.Int64()
		case 10:
			return r.IntN(2) == 0
		}
		return map[string]any{"status": "failed", "taskId": "cgt-20260114200001-abcde", "message": "ok"}
	}
	var inner any = sentence
	if depth > 0 {
		inner = plant(r, sentence, prompt, depth-1)
	}
	switch r.IntN(4) {
	case 0:
		text, _ := json.Marshal(inner)
		inner = string(text)
	case 1:
		list := []any{noise(), inner, noise()}
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		return list
	}
	object := map[string]any{fieldNames[r.IntN(len(fieldNames))]: inner}
	for range r.IntN(5) {
		if name := fieldNames[r.IntN(len(fieldNames))]; object[name] == nil {
			object[name] = noise()
		}
	}
	return object
}

// checkPlanted looks for a sentence that is planted at random.
func checkPlanted(t *testing.T, seed uint64, sentence, prompt string, depth int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	answer, err := json.Marshal(plant(r, sentence, prompt, depth))
	if err != nil {
		t.Fatal(err)
	}
	record := videoapi.Record{}
	*[]*string{&record.TaskInfo, &record.TaskResult, &record.Rest}[r.IntN(3)] = string(answer)
	got := record.Reason(prompt, "https://p.example.com/a.png", "16:9")
	want := strings.TrimRightFunc(sentence, unicode.IsPunct)
	if !strings.Contains(got.Text, want) {
		t.Errorf("seed %d: got %q, want %q in\n%s", seed, got, sentence, answer)
	}
	if strings.Contains(strings.ToLower(got.String()), strings.ToLower(string([]rune(prompt)[:min(12, len([]rune(prompt)))]))) {
		t.Errorf("seed %d: %q holds the prompt %q in\n%s", seed, got, prompt, answer)
	}
}

func TestASentencePlantedAnywhereIsFoundAndNeverThePrompt(t *testing.T) {
	for seed := range uint64(1500) {
		checkPlanted(t, seed, planted[seed%uint64(len(planted))], promptsLikeReasons[seed/3%uint64(len(promptsLikeReasons))], int(seed%6))
	}
}

func FuzzPlantedReason(f *testing.F) {
	for i := range uint64(20) {
		f.Add(i, uint8(i), uint8(i/2), uint8(i%7), "")
	}
	f.Fuzz(func(t *testing.T, seed uint64, sentence, prompt, depth uint8, raw string) {
		checkPlanted(t, seed, planted[int(sentence)%len(planted)], promptsLikeReasons[int(prompt)%len(promptsLikeReasons)], int(depth%7))
		r := videoapi.Record{TaskInfo: raw, TaskResult: fmt.Sprintf(`{"message":%q}`, raw), Rest: raw}
		got := r.Reason(prompted)
		if len(got.String()) > videoapi.MaxMessage {
			t.Error("the reason is not bounded")
		}
		if strings.Contains(strings.ToLower(got.String()), "safety inspector walks past a broken") {
			t.Errorf("%q holds the prompt", got)
		}
		r.Filtered(prompted)
		videoapi.ReasonIn(raw, prompted)
	})
}
