package videoapi

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// weigh keeps the text as the reason if it is likelier than what was found so far. The bonus
// is for what the caller knows about it.
func (r *reasonReader) weigh(text string, keys []string, bonus, in int) {
	if r.weighed >= maxCandidates || r.bytes >= maxReasonBytes || isNoise(text) || len(keys) > 0 && slices.Contains(keys, plain(text)) {
		return
	}
	if len(text) < 200 && !strings.ContainsFunc(text, unicode.IsLetter) {
		return
	}
	r.weighed++
	r.bytes += min(len(text), longestReason)
	text = r.sent.without(tidy(text))
	if text == "" || isNoise(text) || isIdentifier(text) {
		return
	}
	if score := scoreOf(text, keys) + bonus; score > r.bestScore {
		r.best, r.bestScore, r.bestIn = text, score, in
	}
}

// Names of fields, in lower case and without separators, or parts of them.
var (
	reasonNames = []string{"error", "err", "fail", "reason", "message", "msg", "detail", "explanation", "cause",
		"problem", "issue", "note", "why", "exception", "fault"}
	titleNames = []string{"title", "name", "caption", "alt", "tags", "lyric", "label", "slogan", "summary", "style",
		"help", "hint", "suggestion", "docs", "support", "author", "user", "model"}
	logNames  = []string{"log", "logs", "trace", "stack", "traceback", "debug", "stacktrace", "stderr", "stdout", "sql"}
	echoNames = []string{"input", "inputs", "param", "params", "parameters", "request", "options", "args",
		"arguments", "instances", "config", "loc", "requestbody", "inputdata", "inputparams", "originalrequest", "modelinput", "arg", "ctx"}
)

// echoes reports whether a field is among those that repeat the request.
func echoes(keys []string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { return slices.Contains(echoNames, k) })
}

var (
	aFault = regexp.MustCompile(
		`(?i)(fail|error|invalid|\bnot\b|n['’]t\b|unable|cannot|block|filter|violat|sensitiv|polic|safety|unsafe|exceed|time[d ]*out|insufficient|must\b|requir|unsupported|denied|reject|prohibit|restrict|unavailable|too (long|large|small|many|big)|expired|missing|wrong|refus|nsfw|moderat|flagg|copyright|limit|busy|overload|quota|forbidden|unauthori|problem|issue|abort|crash|corrupt|stopped|try again|失败|错误|不能|不支持|不合法|无法|未能|敏感|违规|超时|限制|不足|拒绝|异常|échou|erreur|fehler|fallid|falló|エラー|失敗|できません|실패|오류)`,
	)
	fieldFault = regexp.MustCompile(
		`(?i)(this field|characters|required|may not|must be|too long|invalid|blocked|flagged|violat|sensitive)`,
	)
	succeeded = regexp.MustCompile(
		`(?i)(succe(ss|ed)|\bcompleted?\b|\bfinished\b|\bgenerated\b|\bdone\b|\bsubmitted\b|\baccepted\b|\bcreated\b|成功|完成|\bok\b)`,
	)
	underWay = regexp.MustCompile(
		`(?i)(in progress|processing|please wait|queued|being (made|generated|processed)|is running|排队|处理中|生成中)`,
	)
	nothingSaid = regexp.MustCompile(
		`(?i)^(invalid status code.*|provider returned error|(body |request |input )?validation (error|failed)|(an? )?(internal|unknown|unexpected|generic|server|system)?\s*(server )?(error|failure)( occurred)?|(the )?(video |image |task |request |generation |job |model |prediction |query )*(generation |task |request |job )?(has )?(failed|error|failure)|bad request|something went wrong|unknown|generation failed|fail to fetch task|error code|prediction failed)[ .!:,\-]*$`,
	)
	words   = regexp.MustCompile(`\pL[\pL\pM'’]*`)
	slashed = regexp.MustCompile(`\w[_]\w|::|\(\)|;|=|->|\bat line\b|SELECT |INSERT |/usr/|\.py\b|\.go:|\.js:`)
)

// scoreOf says how much the text under these names reads like a sentence about a failure. It
// is no reason at 0 or less.
func scoreOf(text string, keys []string) int {
	key, above := "", []string(nil)
	if len(keys) > 0 {
		key, above = keys[len(keys)-1], keys[:len(keys)-1]
	}
	fault := aFault.MatchString(text)
	score := wordiness(text)
	if strings.Contains(key, "prompt") || slices.Contains([]string{"content", "text"}, key) && anyKey(above, []string{"prompt"}) {
		if !fieldFault.MatchString(text) {
			return -1
		}
	}
	if fault {
		score += 25
	} else {
		if succeeded.MatchString(text) && score < 100 && len(words.FindAllString(text, 12)) < 12 {
			return -1
		}
		if underWay.MatchString(text) {
			score -= 80
		}
	}
	named := anyKey([]string{key}, reasonNames)
	switch {
	case named:
		score += 20
	case anyKey([]string{key}, titleNames):
		score -= 30
	case slices.Contains(logNames, key):
		score -= 25
	}
	if anyKey(above, []string{"error", "fail", "reason", "exception"}) {
		score += 8
	}
	if echoes(keys) {
		score -= 45
	}
	if nothingSaid.MatchString(text) {
		score -= 60
	}
	if slashed.MatchString(text) {
		score -= 12
	}
	if named && score <= 0 && !echoes(keys) && !underWay.MatchString(text) {
		score = 1 // better than nothing
	}
	return score
}

// wordiness says how much the text looks like a sentence: its words, its beginning, its end.
func wordiness(text string) int {
	if !strings.Contains(text, " ") && !strings.ContainsFunc(text, isHan) {
		return -20
	}
	found := words.FindAllString(text, 60)
	small, han := 0, 0
	for _, w := range found {
		if first, _ := utf8.DecodeRuneInString(w); utf8.RuneCountInString(w) > 1 && !unicode.IsUpper(first) {
			small++
		}
	}
	for _, c := range text {
		if isHan(c) {
			han++
		}
	}
	last, _ := utf8.DecodeLastRuneInString(text)
	ended := strings.ContainsRune(".!?…。！？", last)
	score := 0
	switch {
	case len(found) >= 4 && small >= 2, len(found) >= 3 && ended, han >= 6:
		score = 50
	case len(found) >= 3 && small >= 2:
		score = 30
	case len(found) >= 2, han >= 3:
		score = -10
	default:
		score = -20
	}
	if ended {
		score += 5
	}
	if first, _ := utf8.DecodeRuneInString(text); unicode.IsUpper(first) {
		score += 3
	}
	return score
}

// isHan reports whether the character is of a script that has no blanks between words.
func isHan(c rune) bool {
	return unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// noise holds what stands where a reason could stand and says nothing, in the form of squeezed.
var noise = strings.Fields(`ok okay success successful successfully succeeded true false null nil none undefined na nan unknown failed fail failure
	error errors errored pending processing complete completed done finished canceled cancelled queued running created accepted submitted expired ready
	waiting generating empty objectobject httperror exception traceback yes no on off active inactive started starting stopped
	成功 失败 失敗 已完成 完成 错误 处理中 排队中`)

// isNoise reports whether the text says nothing.
func isNoise(text string) bool {
	word := squeezed(text)
	return word == "" && !numbers.MatchString(text) || len(word) < 40 && slices.Contains(noise, word) && text != "no"
}

// squeezed returns the letters and digits of the text in lower case.
func squeezed(text string) string {
	return strings.Map(func(c rune) rune {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return -1
		}
		return unicode.ToLower(c)
	}, text)
}

// separated returns the code with blanks between its words.
func separated(code string) string {
	var b strings.Builder
	last := ' '
	for _, c := range code {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			c = ' '
		case unicode.IsUpper(c) && unicode.IsLower(last):
			b.WriteByte(' ')
		}
		b.WriteRune(c)
		last = c
	}
	return b.String()
}

var (
	anAddress = regexp.MustCompile(
		`(?i)\b(https?|ftp|wss?|s3|gs|file|data|asset)(:|%3a)(\\?/|%2f){0,3}[^\s"'<>)\]}，。]+|\b(data|image|video)/[a-z0-9.+-]+;base64[^\s"'<>)]*|\b[a-z0-9][a-z0-9.-]*\.[a-z]{2,12}(:\d+)?/[^\s"'<>)\]}]*`,
	)
	aMail = regexp.MustCompile(`[\pL\pN._%+-]+@[\pL\pN.-]+\.\pL{2,}`)
	anIP  = regexp.MustCompile(`\b\d{1,3}(\.\d{1,3}){3}(:\d+)?\b|\[?\b([0-9a-fA-F]{1,4}:){3,7}[0-9a-fA-F]{0,4}\]?(:\d+)?`)
	aTime = regexp.MustCompile(
		`\[?\b\d{4}[-/]\d{1,2}[-/]\d{1,2}([T ]\d{1,2}:\d{2}(:\d{2})?([.,]\d+)?( ?(Z|UTC|GMT|[+-]\d{2}:?\d{2}))?)?\b\]?|\b\d{1,2}:\d{2}:\d{2}([.,]\d+)?\b|(?i)\b(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? \d{1,2} [a-z]{3,9} \d{4}( [\d:]+( ?GMT| ?UTC)?)?`,
	)
	aRequestID = regexp.MustCompile(
		`(?i)[,;.(\[]?\s*\b((ark|csd|x-)?\s*-?request|trace|task|log|correlation|prediction|ray|job|order|session|record|operation|reference)[ _-]*(id|number|no\.?)\b['"]?\s*[:=#]?\s*['"]?[\w{}\-:.*]*\d[\w{}\-:.*]*['"]?[)\]]?`,
	)
	anID = regexp.MustCompile(
		`(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[0-9a-f]{16,}\b|\b\d{10,}\b|\b(req|task|cgt|pred|job|msg|run|gen|img|vid|user|acct|sk|key)[_-][\w-]*\d[\w-]{5,}`,
	)
	aToken     = regexp.MustCompile(`[\w+/=-]{28,}`)
	stackLines = regexp.MustCompile(`\s+at [\w.$<>\[\] ]+ ?\(?[^\s()]+:\d+(:\d+)?\)?.*|\s*goroutine \d+ \[.*`)
	openMarks  = regexp.MustCompile(`\(\s*\)|\[\s*\]|["'“”‘’]\s*["'“”‘’]`)
	quotedGap  = regexp.MustCompile(`["'“”‘’«]\s*…[.!?]?\s*["'“”‘’»]|…[.!?]`)
	doubled    = regexp.MustCompile(`\s+([.,;:!?)\]。，])`)
)

// tidy returns the text in one line, without addresses, identifiers and times.
func tidy(text string) string {
	if len(text) > longestReason {
		text = strings.ToValidUTF8(text[:longestReason], "")
	}
	if _, last, ok := strings.Cut(text, "Traceback (most recent call last)"); ok {
		lines := strings.Split(strings.TrimSpace(last), "\n")
		text = lines[len(lines)-1]
	}
	if at := stackLines.FindStringIndex(text); at != nil && at[0] > 0 {
		text = text[:at[0]]
	}
	text = html.UnescapeString(text)
	text = strings.Join(strings.Fields(strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || c == '\u200B' || c == '\uFEFF' || c == utf8.RuneError {
			return ' '
		}
		return c
	}, text)), " ")
	text = anAddress.ReplaceAllString(text, "(link)")
	text = aMail.ReplaceAllString(text, "")
	text = aTime.ReplaceAllString(text, "")
	text = aRequestID.ReplaceAllString(text, "")
	text = anID.ReplaceAllString(text, "")
	text = anIP.ReplaceAllString(text, "")
	text = aToken.ReplaceAllStringFunc(text, func(token string) string {
		if strings.ContainsAny(token, "0123456789") && !strings.ContainsAny(token, "_-") {
			return ""
		}
		return token
	})
	return finish(text)
}

// finish closes the gaps that removed parts have left.
func finish(text string) string {
	text = openMarks.ReplaceAllString(text, "")
	text = quotedGap.ReplaceAllString(text, "…")
	text = doubled.ReplaceAllString(strings.Join(strings.Fields(text), " "), "$1")
	text = strings.Trim(text, " \t,;:-–—|/\\`*#\"'“”‘’[]{}")
	if strings.Trim(text, "…. ()") == "" || text == "(link)" {
		return ""
	}
	return text
}

// isIdentifier reports whether the text is one word that only a program reads.
func isIdentifier(text string) bool {
	if strings.ContainsAny(text, " ") {
		return false
	}
	digits := strings.Count(strings.Map(func(c rune) rune {
		if unicode.IsDigit(c) {
			return '0'
		}
		return c
	}, text), "0")
	return digits > 5 && digits*4 > len(text) || anID.MatchString(text) || aTime.MatchString(text)
}

// A piece is a part of a marked-up text.
type piece struct{ name, text string }

var (
	isMarkup = regexp.MustCompile(
		`(?is)^\s*(<\?xml|<!doctype|<!--|<html|<head|<body|<error|<response|<title|<h[1-6]\b|<p\b|<div\b|<center)|</(html|body|title|h[1-6]|message|error|p|div|center)>`,
	)
	dropped = regexp.MustCompile(`(?is)<(script|style|noscript|svg)\b.*?</(script|style|noscript|svg)>|<!--.*?-->`)
	tagged  = regexp.MustCompile(
		`(?is)<(message|msg|title|h1|h2|h3|p|code|detail|reason|description|li|span|td|b|strong|center|pre|faultstring)\b[^>]*>([^<]+)`,
	)
	anyTag = regexp.MustCompile(`(?s)<[^>]*>`)
)

// markup returns the parts of HTML or XML that people read; nil if the text is neither.
func markup(text string) (pieces []piece) {
	if !isMarkup.MatchString(text) {
		return nil
	}
	text = dropped.ReplaceAllString(text, " ")
	for _, m := range tagged.FindAllStringSubmatch(text, 40) {
		name := strings.ToLower(m[1])
		if name != "message" && name != "msg" && name != "detail" && name != "reason" && name != "faultstring" {
			name = "markup"
		}
		pieces = append(pieces, piece{name, m[2]})
	}
	if len(pieces) == 0 {
		pieces = append(pieces, piece{"markup", anyTag.ReplaceAllString(text, " ")})
	}
	return pieces
}

// fromPython turns how Python writes a dictionary into JSON, as far as that is simple.
func fromPython(text string) string {
	var b strings.Builder
	quote := rune(0)
	escaped := false
	for _, c := range text {
		switch {
		case escaped:
			escaped = false
			if c == '\'' {
				b.WriteRune('\'')
			} else {
				b.WriteRune('\\')
				b.WriteRune(c)
			}
		case c == '\\' && quote != 0:
			escaped = true
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
			b.WriteByte('"')
		case c == quote:
			quote = 0
			b.WriteByte('"')
		case c == '"':
			b.WriteString(`\"`)
		default:
			b.WriteRune(c)
		}
	}
	return pythonWords.Replace(b.String())
}

var pythonWords = strings.NewReplacer(": None", ": null", ": True", ": true", ": False", ": false")
