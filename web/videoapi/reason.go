package videoapi

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A Reason says in the service's words why a task made no video.
type Reason struct {
	Text string // a sentence, or a few words; empty if there is none
	Code string // the error's code or number; empty if there is none
}

// String returns the text with the code behind it, or what there is of both, at most
// MaxMessage bytes.
func (r Reason) String() string {
	switch {
	case r.Text == "":
		return clip(r.Code)
	case r.Code == "" || strings.Contains(squeezed(r.Text), squeezed(r.Code)):
		return clip(r.Text)
	}
	text := clip(r.Text)
	if most := MaxMessage - len(r.Code) - len(" ()…"); len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return fmt.Sprintf("%s (%s)", text, r.Code)
}

// Reason returns why the task failed. It is found wherever it stands in the record: under any
// name, at any depth, in JSON within text, in HTML. Of several texts, the one that reads most
// like a sentence about a failure counts.
//
// The record repeats what was sent, often more than once and changed in letters or blanks.
// That is never a reason: neither the texts sent, nor parts of them, nor addresses. What a
// reason quotes of them is left out. Identifiers, times and names of fields are no reasons
// either.
func (r Record) Reason(sent ...string) Reason {
	found, _ := r.read(sent)
	return found
}

// Filtered reports whether the record says that a filter keeps the video back, and why. The
// caller must know that the record has no result: a service can filter one of several videos.
func (r Record) Filtered(sent ...string) (Reason, bool) {
	found, flagged := r.read(sent)
	if !flagged && !saysFiltered(found.Text) {
		return Reason{}, false
	}
	if found == (Reason{}) {
		found.Code = "content_filtered"
	}
	return found, true
}

func (r Record) read(sent []string) (found Reason, flagged bool) {
	reader := newReader(sent)
	for _, source := range []string{r.TaskInfo, r.TaskResult, r.Rest, r.Around} {
		reader.text(source, nil, 0)
	}
	return reader.reason(), reader.flagged
}

// ReasonIn returns the reason in a message of an error, which may be JSON or HTML.
func ReasonIn(message string, sent ...string) Reason {
	reader := newReader(sent)
	reader.text(message, []string{"message"}, 0)
	return reader.reason()
}

// Texts returns what the request contains that an answer may repeat.
func (r Request) Texts() []string {
	texts := append([]string{r.Prompt, r.Model, string(r.Scene), r.Provider, r.Options.ImageURL, r.Options.EndImageURL},
		r.Options.ImageInput...)
	return append(texts, r.Options.AspectRatio, r.Options.Resolution)
}

// Bounds of what is read of one answer, so that none keeps the program busy.
const (
	maxReasonNodes = 20_000    // values
	maxReasonText  = 64 << 10  // bytes of one text in which JSON or HTML is looked for
	maxCandidates  = 500       // texts that are compared with what was sent
	maxReasonBytes = 256 << 10 // bytes of all these texts
	longestReason  = 4 << 10   // bytes of one of them; the rest of a longer one is not read
)

// A reasonReader visits all values of JSON texts, and keeps the likeliest reason.
type reasonReader struct {
	sent    sentTexts
	nodes   int // values that were visited
	weighed int // texts that were weighed
	bytes   int // of these texts
	objects int // objects and lists that were begun

	best      string // the likeliest text
	bestScore int
	bestIn    int // the object that it is in

	codes   []foundCode
	flagged bool // something says that the video was filtered
}

// A foundCode is the code of an error.
type foundCode struct {
	code string
	in   int // the object that it is in
	rank int
}

func newReader(sent []string) *reasonReader { return &reasonReader{sent: newSentTexts(sent)} }

// reason returns the likeliest text, and the code beside it.
func (r *reasonReader) reason() Reason {
	found := Reason{Text: r.best}
	best := -1
	for _, c := range r.codes {
		if c.code == r.best {
			found.Text = "" // it is no sentence
		}
		rank := c.rank
		if c.in == r.bestIn && r.best != "" {
			rank += 10
		}
		if rank > best {
			best, found.Code = rank, c.code
		}
	}
	return found
}

// A level is an object or a list that is being read.
type level struct {
	number int
	list   bool
	inKey  bool   // the next text is a name
	key    string // of the value that is read
}

// text reads a text that may be JSON, or contain some, and returns the number of values in
// that; 0 if it is no JSON.
func (r *reasonReader) text(text string, keys []string, depth int) int {
	text = strings.TrimSpace(text)
	if text == "" || depth > maxDepth {
		return 0
	}
	if strings.ContainsRune(`{["`, rune(text[0])) {
		if n := r.json(text, keys, depth+1); n > 0 {
			return n
		}
	}
	if len(text) > maxReasonText {
		text = strings.ToValidUTF8(text[:maxReasonText], "")
	}
	switch pieces := markup(text); {
	case len(pieces) > 0:
		for _, p := range pieces {
			r.weigh(p.text, append(slices.Clip(keys), p.name), 0, r.objects)
		}
	case !r.embedded(text, keys, depth):
		r.weigh(text, keys, 0, r.objects)
	}
	return 0
}

// embedded reads the JSON that begins within a text, and reports whether there is some. What
// stands before it counts less.
func (r *reasonReader) embedded(text string, keys []string, depth int) bool {
	from := strings.IndexByte(text, '{')
	if from < 0 || depth > maxDepth {
		return false
	}
	inner := text[from:]
	n := r.json(inner, keys, depth+1)
	if n == 0 && strings.Contains(inner, `\"`) {
		n = r.json(strings.ReplaceAll(strings.ReplaceAll(inner, `\\"`, `\"`), `\"`, `"`), keys, depth+1)
	}
	if n == 0 && strings.Contains(inner, "'") {
		n = r.json(fromPython(inner), keys, depth+1)
	}
	if n > 0 {
		r.weigh(text[:from], keys, -12, r.objects)
	}
	return n > 0
}

// json reads JSON, as far as it is whole, and returns the number of its values.
func (r *reasonReader) json(text string, keys []string, depth int) (values int) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var levels []level
	value := func(v any) {
		values++
		if r.nodes++; r.nodes > maxReasonNodes || depth+len(levels) > maxDepth {
			return
		}
		path, in := slices.Clip(keys), 0
		for _, l := range levels {
			if !l.list {
				path = append(path, l.key)
			}
			in = l.number
		}
		r.value(v, path, in, depth+len(levels))
	}
	for r.nodes <= maxReasonNodes {
		token, err := d.Token()
		if err != nil {
			break // the end, or a text that is cut off
		}
		var top *level
		if len(levels) > 0 {
			top = &levels[len(levels)-1]
		}
		switch token := token.(type) {
		case json.Delim:
			if token == '}' || token == ']' {
				levels = levels[:len(levels)-1]
				if len(levels) > 0 {
					levels[len(levels)-1].inKey = !levels[len(levels)-1].list
				}
				break
			}
			r.objects++
			levels = append(levels, level{number: r.objects, list: token == '[', inKey: token == '{'})
		case string:
			if top != nil && top.inKey {
				top.key, top.inKey = plain(token), false
				continue
			}
			value(token)
			if top != nil {
				top.inKey = !top.list
			}
		default:
			value(token)
			if top != nil {
				top.inKey = !top.list
			}
		}
		if len(levels) == 0 {
			break
		}
	}
	return values
}

// value reads one value that is neither an object nor a list.
func (r *reasonReader) value(v any, keys []string, in, depth int) {
	if s, ok := v.(string); ok {
		r.flag(s, keys)
		r.code(s, keys, in)
		before := r.objects
		if r.objects = in; r.text(s, keys, depth) == 0 {
			r.objects = before
		}
		r.objects = max(before, r.objects)
		return
	}
	switch v := v.(type) {
	case json.Number:
		r.flagNumber(v, keys)
		r.code(v.String(), keys, in)
	case bool:
		if v {
			r.flag("true", keys)
		}
	}
}

// Names of fields, in lower case and without separators, that hold the code of an error, the
// likeliest first.
var codeNames = [][]string{
	{"errorcode", "errcode", "failcode", "failurecode", "failedcode", "statuscode", "blockreason", "finishreason",
		"errortype", "failurereason"},
	{"code", "reason", "reasons", "error", "errors", "errormessage", "failmsg", "failreason", "message", "msg", "detail"},
	{"type", "category", "categories", "kind"},
	{"status", "state", "errorstatus", "moderation", "moderationstatus", "result", "outcome", "subcode", "errno", "err"},
}

var (
	codeForm = regexp.MustCompile(`^[\pL][\pL\pN]*([_.:\-/ ][\pL\pN]+){0,8}$`)
	numbers  = regexp.MustCompile(`^-?[0-9]{1,9}$`)
	aMistake = regexp.MustCompile(
		`(?i)(sensitiv|violat|polic|moderat|filter|safety|unsafe|nsfw|block|prohibit|copyright|privacy|celebrity|invalid|exhaust|exceed|limit|quota|insufficient|timeout|timed|unavailable|unauthor|forbidden|denied|reject|refus|not ?found|missing|unsupported|overload|busy|internal|error|fail|expired|download|too ?(large|long|small|many)|risk|illegal|flagged|recitation|deadline|abort|bad ?request|unprocessable|credit|balance|points)`,
	)
)

// code notes the value if it is the code of an error.
func (r *reasonReader) code(value string, keys []string, in int) {
	if len(keys) == 0 || len(value) > 80 || echoes(keys) {
		return
	}
	key := keys[len(keys)-1]
	at := slices.IndexFunc(codeNames, func(names []string) bool { return slices.Contains(names, key) })
	value = strings.TrimSpace(value)
	if at < 0 || isNoise(value) {
		return
	}
	rank := len(codeNames) - at
	mistake := aMistake.MatchString(separated(value))
	switch {
	case numbers.MatchString(value):
		if !strings.Contains(key, "code") && key != "errno" || strings.Trim(value, "-0") == "" || value == "200" {
			return
		}
	case !codeForm.MatchString(value) || isIdentifier(value) || slices.Contains(r.sent.whole, normal(value)):
		return
	case strings.Contains(value, " ") && (at < 3 || !mistake):
		return // a sentence, which is weighed as such
	case !strings.ContainsAny(value, "_.-:/") && value != strings.ToUpper(value) && at > 0 && r.sent.has(value):
		return // a word of the prompt
	case mistake:
		rank += 6
	case at > 1 || at == 1 && key != "code" && separated(value) == value:
		return // a state, or a word that says nothing of a mistake
	}
	if len(r.codes) < maxCandidates {
		r.codes = append(r.codes, foundCode{value, in, rank})
	}
}

// What says that a video was filtered: names of fields whose value is true, a number of
// videos, or a reason; and words that are states, codes or reasons.
var (
	filterFlags = regexp.MustCompile(
		`^(rai)?(media|content|is|was|video|output|input|image|audio|text|prompt|safety|has|been)*(filtered|flagged|blocked|moderated|censored|unsafe|sensitive|nsfw|rejectedbymoderation|violated|policyviolation)(contents?|concepts?|media|videos?|images?|detected|reasons?|count|flag|categor(y|ies)|message)*$|^blockreason(message)?$|^(policy)?violations?$`,
	)
	filterWords = regexp.MustCompile(
		`^(content|prompt|input|output|image|video|audio|request|text|media|generation|task|is|was|by|flagged|blocked|rejected|failed|the|rai|safety|policy|sensitive|output|finish|reason)*(filter|filtered|moderation|moderated|safety|policyviolation|policy|prohibitedcontent|blocked|flagged|nsfw|nsfwdetected|nsfwcontent|sensitivecontent(detected)?|riskdetection|riskcontrol|recitation|blocklist|censored|violation)(blocked|failed|rejected|detected|error|violation)*$`,
	)
	filterPlace = []string{"reason", "code", "status", "state", "moderation", "type", "error", "errors", "outcome",
		"result", "message", "msg", "detail", "verdict"}
	settings = regexp.MustCompile(
		`enable|checker|setting|level|threshold|tolerance|rating|probability|severity|score|disable|allow|filterlevel|config`,
	)
	untrue = []string{"", "false", "no", "none", "null", "0", "passed", "pass", "safe", "ok", "clean",
		"approved", "blockreasonunspecified", "unspecified", "negligible", "low", "na", "success"}
)

// flag notes whether the value says that the video was filtered.
func (r *reasonReader) flag(value string, keys []string) {
	if len(keys) == 0 || len(value) > 4096 || echoes(keys) || r.flagged {
		return
	}
	if numbers.MatchString(strings.TrimSpace(value)) {
		r.flagNumber(json.Number(strings.TrimSpace(value)), keys)
		return
	}
	key, word := keys[len(keys)-1], squeezed(value)
	if settings.MatchString(key) || slices.Contains(untrue, word) {
		return
	}
	isPlace := slices.ContainsFunc(filterPlace, func(p string) bool { return strings.Contains(key, p) })
	r.flagged = filterFlags.MatchString(key) && !passed.MatchString(value) && !strings.HasPrefix(strings.ToLower(value), "http") ||
		isPlace && len(word) < 60 && filterWords.MatchString(word) && word != "policy" && word != "safety" ||
		(strings.HasSuffix(key, "reason") || strings.HasSuffix(key, "reasons")) && word == "safety"
}

// flagNumber is like flag, for a number of videos that were filtered.
func (r *reasonReader) flagNumber(n json.Number, keys []string) {
	count, err := n.Int64()
	if err != nil || count < 1 || len(keys) == 0 || echoes(keys) {
		return
	}
	key := keys[len(keys)-1]
	r.flagged = r.flagged || filterFlags.MatchString(key) && !settings.MatchString(key)
}

var (
	stopped = regexp.MustCompile(
		`(?i)\b(filtered|blocked|flagged|violat\w*|prohibited|rejected|refused|censored|nsfw|unsafe|sensitive (content|information|material)|content (policy|filter)|safety filters?|usage guidelines)\b|敏感|违规|审核|屏蔽`,
	)
	passed = regexp.MustCompile(
		`(?i)\b(passed|passes|approved|cleared|no (violation|issue|sensitive|unsafe|nsfw|problem)\w*|(not|never|nothing|wasn.t|isn.t|without)( \w+)? (flagged|blocked|filtered|rejected|violat\w*|prohibited|found)|nothing was)\b|通过`,
	)
)

// saysFiltered reports whether the text says that a filter keeps something back.
func saysFiltered(text string) bool { return stopped.MatchString(text) && !passed.MatchString(text) }
