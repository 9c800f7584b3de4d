package videoapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"
)

// A Status is a task state.
//
// API.md: "Task states: pending, processing, success, failed, canceled." Related
// services have others; they are kept, in lower case and bounded in length.
type Status string

const (
	Pending    Status = "pending"
	Processing Status = "processing"
	Success    Status = "success"
	Failed     Status = "failed"
	Canceled   Status = "canceled"
)

// A Record is the service's task record.
//
// API.md, "Task record (data)".
type Record struct {
	ID         string // the value passed as taskId to Query
	MediaType  string
	Scene      string
	Model      string
	Status     Status
	TaskID     string // at the upstream provider; not the ID to query
	Cost       float64
	HasCost    bool    // whether costCredits is present and plausible
	TaskInfo   string  // JSON text
	TaskResult string  // JSON text
	Rest       string  // JSON text of the fields that API.md does not name
	Around     string  // JSON text of what the answer has beside the record
	Progress   float64 // 0 to 1; undocumented, 0 if missing
}

// An Answer is one answer of the service: the decoded record and the raw bytes.
type Answer struct {
	Record Record
	HTTP   int    // HTTP status
	Body   []byte // as received, at most MaxBody bytes
	cut    bool   // the end of a very long answer is missing
}

const (
	// maxCost is more credits than any video costs. A greater or negative number
	// is ignored.
	maxCost = 1e9

	maxCode = 1 << 53 // a float64 does not hold greater integers exactly
)

// MaxBody is the number of bytes of an answer that are kept: 1 MiB.
const MaxBody = 1 << 20

var errNotEnvelope = errors.New("the answer is not the service's envelope")

// envelope is the outer object of every answer. API.md, "Response envelope (both
// endpoints)".
type envelope struct {
	Code    int64
	Message string
	Data    json.RawMessage
	Around  string // JSON text of everything else, and of the message unless it is "ok"
}

// decodeEnvelope parses the envelope in any form that services of the family use:
// the code may be a string, and the message any JSON value.
func decodeEnvelope(body []byte) (envelope, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(body, &raw); err != nil {
		return envelope{}, fmt.Errorf("%w: %w", errNotEnvelope, err)
	}
	code, ok := number(raw["code"])
	if !ok || code != math.Trunc(code) {
		return envelope{}, fmt.Errorf("%w: it has no code", errNotEnvelope)
	}
	if math.Abs(code) > maxCode {
		code = -1 // some error; the code itself is lost
	}
	e := envelope{Code: int64(code), Message: text(raw["message"]), Data: raw["data"]}
	delete(raw, "code")
	delete(raw, "data")
	if isNoise(e.Message) {
		delete(raw, "message")
	}
	if len(raw) > 0 {
		if around, err := json.Marshal(raw); err == nil {
			e.Around = string(around)
		}
	}
	return e, nil
}

// decodeRecord parses a task record whose fields may be strings, numbers or
// nested JSON.
func decodeRecord(data json.RawMessage) (Record, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(unwrap(data), &raw); err != nil || raw == nil {
		return Record{}, errors.New("the answer carries no task record")
	}
	r := Record{
		ID:         text(raw["id"]),
		MediaType:  text(raw["mediaType"]),
		Scene:      text(raw["scene"]),
		Model:      text(raw["model"]),
		Status:     status(text(raw["status"])),
		TaskID:     text(raw["taskId"]),
		TaskInfo:   text(raw["taskInfo"]),
		TaskResult: text(raw["taskResult"]),
	}
	r.Cost, r.HasCost = cost(raw["costCredits"])
	r.Progress = fraction(raw["progress"])
	r.Rest = rest(raw)
	return r, nil
}

// maxStatus bounds a status, in bytes. The longest documented one has ten.
const maxStatus = 60

// status normalises a status: lower case, one line, at most maxStatus bytes.
func status(word string) Status {
	word = strings.ToLower(strings.Join(strings.Fields(clip(word)), " "))
	if len(word) > maxStatus {
		word = strings.ToValidUTF8(word[:maxStatus], "")
	}
	return Status(word)
}

// rest returns the record's undocumented fields as JSON text. It also leaves out
// the fields of the request, which related services echo.
func rest(raw map[string]json.RawMessage) string {
	others := maps.Clone(raw)
	for _, name := range []string{"id", "mediaType", "scene", "model", "status", "taskId", "costCredits", "taskInfo",
		"taskResult", "prompt", "options", "provider"} {
		delete(others, name)
	}
	if len(others) == 0 {
		return ""
	}
	b, err := json.Marshal(others)
	if err != nil {
		return ""
	}
	return string(b)
}

// text returns a JSON value as text: the content of a string, "" for null, and
// the JSON itself for everything else.
func text(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return ""
	}
	var s string
	if raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// number parses a JSON number, or a number in a string.
func number(raw json.RawMessage) (float64, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(text(raw)), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

// cost parses a number of credits. It reports false if no video can cost that
// many.
func cost(raw json.RawMessage) (float64, bool) {
	f, ok := number(raw)
	if !ok || f < 0 || f > maxCost {
		return 0, false
	}
	return f, true
}

// fraction parses a progress value, which related services give as 0 to 1, as 0
// to 100 or as "42%". It returns a number from 0 to 1; 0 if there is none.
func fraction(raw json.RawMessage) float64 {
	s := strings.TrimSpace(text(raw))
	percent := strings.HasSuffix(s, "%")
	f, err := strconv.ParseFloat(strings.TrimSuffix(s, "%"), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	if percent || f > 1 {
		f /= 100
	}
	return min(1, max(0, f))
}

// unwrap decodes JSON that was encoded once more as a string.
func unwrap(raw json.RawMessage) json.RawMessage {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return json.RawMessage(s)
	}
	return raw
}
