package bucket

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// maxMessage limits what is kept of a service's message, in bytes.
const maxMessage = 1024

// An answerError is an answer of the service that says why it refuses a call.
type answerError struct {
	status  int
	code    string // such as NoSuchKey
	message string // one line
	key     string // of the object of the call; empty for a call about the bucket
	region  string // of the bucket, if the service names it
	server  string // what the service says it is
}

// A refusal is the XML of an answer that refuses a call.
type refusal struct {
	XMLName               xml.Name `xml:"Error"`
	Code, Message, Region string
}

// Error implements error.
func (e *answerError) Error() string { return e.message }

// statusCodes have the codes of answers without XML, such as every answer to a HEAD.
var statusCodes = map[int]struct{ code, message string }{
	http.StatusForbidden:          {"AccessDenied", "Access Denied."},
	http.StatusNotFound:           {"NoSuchKey", "The specified key does not exist."},
	http.StatusConflict:           {"Conflict", "Bucket not empty."},
	http.StatusPreconditionFailed: {"PreconditionFailed", "At least one of the pre-conditions you specified did not hold."},
}

// readError reads an answer whose status is not 2xx to a call about the object. It keeps
// nothing of an answer that is not the service's XML, which may come from a proxy
// and repeat the headers of the call.
func readError(answer *http.Response, key string) error {
	e := &answerError{status: answer.StatusCode, key: key, server: answer.Header.Get("Server")}
	// If it cannot be read, the status says what is the matter.
	if text, err := readXML[refusal](answer, maxErrorAnswer); err == nil && text.Code != "" {
		e.code, e.message, e.region = text.Code, text.Message, strings.TrimSpace(text.Region)
	} else if is, known := statusCodes[e.status]; known {
		e.code, e.message = is.code, is.message
		if e.status == http.StatusNotFound && key == "" {
			e.code, e.message = "NoSuchBucket", "The specified bucket does not exist."
		}
	} else {
		e.code, e.message = answer.Status, "No reason is given."
	}
	// MinIO sends these with every answer, so with that to a HEAD too.
	if code := answer.Header.Get("X-Minio-Error-Code"); code != "" {
		e.code = code
	}
	if message := strings.Trim(answer.Header.Get("X-Minio-Error-Desc"), `"`); message != "" {
		e.message = message
	}
	if e.region == "" {
		e.region = answer.Header.Get("X-Amz-Bucket-Region")
	}
	if !isRegion(e.region) {
		e.region = ""
	}
	if e.code == "InvalidRegion" && e.region != "" {
		e.message = fmt.Sprintf("Region does not match, expecting region ‘%s’.", e.region)
	}
	e.code, e.message = oneLine(e.code), oneLine(e.message)
	if e.message == "" {
		e.message = fmt.Sprintf("Error response code %s.", e.code)
	}
	return e
}

// readXML reads the answer, and closes its body. The error contains nothing of the
// answer, in which only the first limit bytes count.
func readXML[T any](answer *http.Response, limit int64) (content T, err error) {
	text, err := io.ReadAll(io.LimitReader(answer.Body, limit))
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		return content, err
	}
	if xml.Unmarshal(text, &content) != nil {
		return content, errors.New("the answer cannot be read")
	}
	return content, nil
}

// finish reads what is left of an answer without content, so that its connection can be
// used again, and closes its body.
func finish(answer *http.Response) error {
	_, err := io.Copy(io.Discard, io.LimitReader(answer.Body, maxErrorAnswer))
	return errors.Join(err, answer.Body.Close())
}

// oneLine returns the beginning of the text on one line.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text[:min(len(text), maxMessage)], "")), " ")
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, text)
}

// codeOf returns the service's code for the error; empty if it comes from elsewhere.
func codeOf(err error) string {
	var e *answerError
	if errors.As(err, &e) {
		return e.code
	}
	return ""
}
