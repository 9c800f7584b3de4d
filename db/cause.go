package db

import (
	"slices"
	"strings"
	"unicode"
)

// A Cause is a known reason why a task made no video. The page states it in one
// sentence and offers a remedy.
type Cause string

const (
	NoCause      Cause = ""            // not recognised
	Blocked      Cause = "blocked"     // a safety filter stopped the prompt, a picture or the video
	BlockedSound Cause = "sound"       // a safety filter stopped the sound
	Copyright    Cause = "copyright"   // the video looks or sounds like somebody's protected work
	RealPerson   Cause = "person"      // a real person can be recognised
	NoPicture    Cause = "no picture"  // a picture could not be fetched
	BadPicture   Cause = "bad picture" // a picture does not suit the model
	BadRequest   Cause = "request"     // the model does not accept this combination of options
	NoCredits    Cause = "credits"
	Unfunded     Cause = "unfunded" // the service's own account at the provider of the model is empty
	BadKey       Cause = "key"
	Busy         Cause = "busy"     // the service refused the request for now
	Overloaded   Cause = "overload" // the model stopped early or took too long
)

// SuggestsSilence reports whether the same request without sound may succeed.
func (c Cause) SuggestsSilence() bool { return c == BlockedSound || c == Copyright }

// Cause returns why the task ended without a video.
func (t Task) Cause() Cause {
	switch {
	case t.State == Rejected && t.ErrorKind == KeyError:
		return BadKey
	case t.State == Rejected && t.ErrorKind == CreditsError:
		return NoCredits
	case t.State == Rejected && t.ErrorKind == ServiceError:
		return Busy
	case t.State == Rejected && t.ErrorKind == LimitError, t.State != Rejected && t.State != Failed && t.State != Canceled:
		return NoCause
	}
	cause := CauseOf(t.Message)
	// The service accepted this task, so the user's key and credits were good. What
	// is missing is the service's own, at the provider of the model.
	switch {
	case t.State != Rejected && cause == NoCredits:
		return Unfunded
	case t.State != Rejected && cause == BadKey:
		return Overloaded
	}
	return cause
}

// CauseOf recognises the cause in an error message of the service or of a model's
// provider. These messages are not documented; the rules follow those that were
// observed.
func CauseOf(message string) Cause {
	text := normalised(message)
	if cause := numberedCauses[strings.TrimSpace(text)]; cause != NoCause {
		return cause
	}
	for _, word := range strings.Fields(text) {
		if cause := supportCodes[word]; cause != NoCause {
			return cause
		}
	}
	for _, r := range causes() {
		if r.fits(text) {
			return r.cause
		}
	}
	return NoCause
}

// numberedCauses are the causes of errors that are nothing but a number: statuses of HTTP, and
// what gateways use beyond them.
var numberedCauses = map[string]Cause{
	"402": Unfunded, "429": Busy, "451": Blocked, "500": Overloaded, "502": Overloaded, "503": Overloaded,
	"504": Overloaded, "524": Overloaded,
	"1200": Blocked, "1402": NoPicture, "5000": Overloaded, "5003": Overloaded, "5004": Overloaded, // WaveSpeed
	"e005": Blocked, // Replicate
}

// supportCodes are those of Veo: for children, celebrities and faces, and for other things that
// its filters stop.
var supportCodes = map[string]Cause{
	"58061214": RealPerson, "17301594": RealPerson, "29310472": RealPerson, "15236754": RealPerson, "39322892": RealPerson,
	"64151117": Blocked, "42237218": Blocked, "62263041": Blocked, "57734940": Blocked, "22137204": Blocked,
	"74803281": Blocked, "29578790": Blocked,
	"42876398": Blocked, "92201652": Blocked, "89371032": Blocked, "49114662": Blocked, "72817394": Blocked,
	"90789179": Blocked, "63429089": Blocked,
	"43188360": Blocked, "78610348": Blocked, "61493863": Blocked, "56562880": Blocked, "32635315": Blocked,
}

// A causeRule matches a message that contains at least one phrase of every group.
type causeRule struct {
	cause  Cause
	groups [][]string
}

func (r causeRule) fits(text string) bool {
	for _, phrases := range r.groups {
		if !slices.ContainsFunc(phrases, func(p string) bool { return hasPhrase(text, p) }) {
			return false
		}
	}
	return true
}

// hasPhrase reports whether the normalised text contains the phrase at the beginning of
// a word or, in scripts without spaces, anywhere.
func hasPhrase(text, phrase string) bool {
	if phrase[0] < 0x80 {
		phrase = " " + phrase
	}
	return strings.Contains(text, phrase)
}

// longestMessage limits how much of a message is read, in bytes.
const longestMessage = 2000

// normalised returns the text in lower case, with a single space before, between
// and after its words: "OutputAudio_blocked" becomes " output audio blocked ".
func normalised(message string) string {
	if len(message) > longestMessage {
		message = message[:longestMessage]
	}
	var b strings.Builder
	last := ' '
	write := func(r rune) {
		if r != ' ' || last != ' ' || b.Len() == 0 {
			b.WriteRune(r)
		}
	}
	for _, r := range " " + strings.ToValidUTF8(message, " ") + " " {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			write(' ')
			last = ' '
			continue
		case unicode.IsUpper(r) && unicode.IsLower(last):
			write(' ')
		}
		write(unicode.ToLower(r))
		last = r
	}
	return b.String()
}

// causes returns the rules. The first rule that matches decides.
func causes() []causeRule {
	stopped := []string{"block", "filter", "sensitiv", "polic", "violat", "moderat", "safety", "unsafe", "flag",
		"restrict", "reject", "fail", "issue", "copyright"}
	pictures := []string{"image", "picture", "photo", "img", "frame", "url", "http", "link", "file", "media", "图片", "图像"}
	return []causeRule{
		{BlockedSound, [][]string{{"audio", "music", "speech", "voice", "lyric", "song", "sound"}, stopped}},
		{Copyright, [][]string{{"copyright", "intellectual propert", "trademark", "third party content", "ip input", "recitation", "版权"}}},
		{RealPerson, [][]string{{"real person", "real people", "celebrit", "public figure", "prominent people",
			"privacy information", "likeness", "human face", "real face", "face of a", "minor upload", "error minor"}}},
		{NoPicture, [][]string{pictures, {"download", "fetch", "reach", "access", "load", "retriev", "resolv", "下载"},
			{"fail", "unable", "cannot", "can t", "could not", "couldn t", "error", "not", "invalid", "denied",
				"timed out", "timeout", "失败"}}},
		{NoPicture, [][]string{{"invalid image url", "invalid url", "image not found", "not a valid url"}}},
		{BadPicture, [][]string{{"image", "picture", "photo", "图片"},
			{"size", "format", "dimension", "aspect ratio", "resolution", "pixel", "too large", "too small", "width",
				"height", "file type", "corrupt", "decode"}}},
		{BadRequest, [][]string{{"invalid param", "invalid parameter", "invalid argument", "invalid scene", "invalid provider",
			"invalid prompt length", "prompt is too long", "prompt too long", "unsupported", "not support",
			"does not support", "is not valid", "used together", "参数"}}},
		{Blocked, [][]string{{"sensitiv", "moderat", "content polic", "policy violation", "policies", "violat", "nsfw", "unsafe", "safety",
			"inappropriate", "prohibited", "flagged", "blocked", "content filter", "filtered", "data inspection",
			"usage guidelines", "risk control", "敏感", "违规", "审核", "色情"}}},
		{Unfunded, [][]string{{"balance isn", "balance is not", "balance not enough", "not enough balance",
			"account balance", "overdue", "top up", "please recharge", "账户余额", "请充值"}}},
		{NoCredits, [][]string{{"insufficient credit", "not enough credit", "insufficient balance",
			"insufficient fund", "out of credit", "exceeded your current quota", "余额不足", "欠费"}}},
		{BadKey, [][]string{{"no auth", "please sign in", "unauthorized", "invalid api key", "invalid key",
			"api key not", "incorrect api key"}}},
		{Busy, [][]string{{"too many request", "rate limit", "resource exhausted", "busy", "high demand", "high load",
			"try again later", "throttl", "concurren", "429", "繁忙"}}},
		{Overloaded, [][]string{{"overload", "out of memory", "capacity", "timed out", "timeout", "time out", "deadline", "internal error",
			"internal server error", "server error", "service unavailable", "temporarily unavailable", "bad gateway",
			"gateway", "upstream", "502", "503", "504", "fetch failed", "connection", "超时"}}},
	}
}
