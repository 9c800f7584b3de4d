package videoapi

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// Names of fields, in lower case and without separators, that hold the code of an error, the
// likeliest first.
var codeNames = [][]string{
	{"errorcode", "errcode", "failcode", "failurecode", "failedcode", "statuscode", "blockreason", "finishreason", "errortype", "failurereason"},
	{"code", "reason", "reasons", "error", "errors", "errormessage", "failmsg", "failreason", "message", "msg", "detail"},
	{"type", "category", "categories", "kind"},
	{"status", "state", "errorstatus", "moderation", "moderationstatus", "result", "outcome", "subcode", "errno", "err"},
}

var (
	codeForm = regexp.MustCompile(`^[\pL][\pL\pN]*([_.:\-/ ][\pL\pN]+){0,8}$`)
	numbers  = regexp.MustCompile(`^-?[0-9]{1,9}$`)
	aMistake = regexp.MustCompile(`(?i)(sensitiv|violat|polic|moderat|filter|safety|unsafe|nsfw|block|prohibit|copyright|privacy|celebrity|invalid|exhaust|exceed|limit|quota|insufficient|timeout|timed|unavailable|unauthor|forbidden|denied|reject|refus|not ?found|missing|unsupported|overload|busy|internal|error|fail|expired|download|too ?(large|long|small|many)|risk|illegal|flagged|recitation|deadline|abort|bad ?request|unprocessable|credit|balance|points)`)
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
	filterFlags = regexp.MustCompile(`^(rai)?(media|content|is|was|video|output|input|image|audio|text|prompt|safety|has|been)*(filtered|flagged|blocked|moderated|censored|unsafe|sensitive|nsfw|rejectedbymoderation|violated|policyviolation)(contents?|concepts?|media|videos?|images?|detected|reasons?|count|flag|categor(y|ies)|message)*$|^blockreason(message)?$|^(policy)?violations?$`)
	filterWords = regexp.MustCompile(`^(content|prompt|input|output|image|video|audio|request|text|media|generation|task|is|was|by|flagged|blocked|rejected|failed|the|rai|safety|policy|sensitive|output|finish|reason)*(filter|filtered|moderation|moderated|safety|policyviolation|policy|prohibitedcontent|blocked|flagged|nsfw|nsfwdetected|nsfwcontent|sensitivecontent(detected)?|riskdetection|riskcontrol|recitation|blocklist|censored|violation)(blocked|failed|rejected|detected|error|violation)*$`)
	filterPlace = []string{"reason", "code", "status", "state", "moderation", "type", "error", "errors", "outcome", "result", "message", "msg", "detail", "verdict"}
	settings    = regexp.MustCompile(`enable|checker|setting|level|threshold|tolerance|rating|probability|severity|score|disable|allow|filterlevel|config`)
	untrue      = []string{"", "false", "no", "none", "null", "0", "passed", "pass", "safe", "ok", "clean", "approved", "blockreasonunspecified", "unspecified", "negligible", "low", "na", "success"}
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
	stopped = regexp.MustCompile(`(?i)\b(filtered|blocked|flagged|violat\w*|prohibited|rejected|refused|censored|nsfw|unsafe|sensitive (content|information|material)|content (policy|filter)|safety filters?|usage guidelines)\b|敏感|违规|审核|屏蔽`)
	passed  = regexp.MustCompile(`(?i)\b(passed|passes|approved|cleared|no (violation|issue|sensitive|unsafe|nsfw|problem)\w*|(not|never|nothing|wasn.t|isn.t|without)( \w+)? (flagged|blocked|filtered|rejected|violat\w*|prohibited|found)|nothing was)\b|通过`)
)

// saysFiltered reports whether the text says that a filter keeps something back.
func saysFiltered(text string) bool { return stopped.MatchString(text) && !passed.MatchString(text) }
