package sandbox

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"unicode/utf8"

	"dailies/web/videoapi"
)

// maxBody is how large a request may be.
const maxBody = videoapi.MaxBody

// body reads a request's JSON text.
func body(r *http.Request) ([]byte, error) {
	if kind := r.Header.Get("Content-Type"); kind != "" {
		if t, _, err := mime.ParseMediaType(kind); err != nil || t != "application/json" {
			return nil, invalid("Content-Type must be application/json, not %s", quote(kind))
		}
	}
	b, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxBody))
	if tooLong := new(http.MaxBytesError); errors.As(err, &tooLong) {
		return nil, invalid("the body is larger than 1 MiB")
	}
	if err != nil {
		return nil, invalid("the body could not be read")
	}
	return b, nil
}

// An input is a JSON object whose fields are read one by one. A field that is
// missing or null reads as its zero value. After the first error everything
// does, and err says what was wrong.
type input struct {
	fields map[string]json.RawMessage
	prefix string // of the fields' names in messages
	err    error
}

// parse reads the outermost object of a body.
func parse(body []byte) *input {
	in := &input{}
	switch {
	case !utf8.Valid(body):
		in.err = invalid("the body is not valid UTF-8")
	case depth(body) > maxDepth:
		in.err = invalid("the body is nested more than %d levels deep", maxDepth)
	case !json.Valid(body):
		in.err = invalid("the body is not JSON that can be read")
	case json.Unmarshal(body, &in.fields) != nil || in.fields == nil:
		in.err = invalid("the body must be a JSON object")
	}
	return in
}

// maxDepth is how deep a body may be nested.
const maxDepth = 100

// depth returns how deep lists and objects lie in JSON text.
func depth(body []byte) (most int) {
	level, inText := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case inText:
		case c == '{' || c == '[':
			level++
			most = max(most, level)
		case c == '}' || c == ']':
			level--
		}
	}
	return most
}

// read decodes a field into dst and reports whether it was there.
func (in *input) read(name, kind string, dst any) bool {
	raw, ok := in.fields[name]
	if in.err != nil || !ok || string(raw) == "null" {
		return false
	}
	if json.Unmarshal(raw, dst) != nil {
		in.fail("%s%s must be %s", in.prefix, name, kind)
		return false
	}
	return true
}

// fail keeps the first thing that was wrong.
func (in *input) fail(format string, args ...any) {
	if in.err == nil {
		in.err = invalid(format, args...)
	}
}

// bound refuses a field that is longer than so many bytes.
func (in *input) bound(name, text string, most int) {
	if len(text) > most {
		in.fail("%s%s is longer than %d bytes", in.prefix, name, most)
	}
}

func (in *input) text(name string) (s string) {
	in.read(name, "a string", &s)
	return s
}

func (in *input) number(name string) (f float64, given bool) {
	given = in.read(name, "a number", &f)
	return f, given
}

func (in *input) flag(name string) (b, given bool) {
	given = in.read(name, "true or false", &b)
	return b, given
}

func (in *input) texts(name string) (list []string) {
	in.read(name, "a list of strings", &list)
	return list
}

// object reads a field that is an object, and its text as it came.
func (in *input) object(name string) (*input, string) {
	inner := &input{prefix: in.prefix + name + "."}
	if !in.read(name, "an object", &inner.fields) {
		return inner, "{}"
	}
	return inner, string(in.fields[name])
}
