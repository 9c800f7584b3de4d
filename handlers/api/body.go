package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
)

// Bounds of a request's body.
const (
	maxBody  = 256 << 10 // bytes
	maxDepth = 16
)

// readBody reads the JSON object of the request into the value, and returns it as it was
// sent. Unknown and repeated fields are refused by name.
func readBody(w http.ResponseWriter, r *http.Request, into any) ([]byte, error) {
	if !isJSON(r.Header.Get("Content-Type")) {
		return nil, &Problem{Status: http.StatusUnsupportedMediaType, Code: Invalid, Detail: notJSON}
	}
	body, err := readAll(w, r)
	if err != nil {
		return nil, err
	}
	return body, parse(body, into)
}

// isJSON reports whether the Content-Type is that of JSON.
func isJSON(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && kind == "application/json"
}

// readAll returns the body, unless it is too large.
func readAll(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	return io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
}

// parse reads a JSON object.
func parse(body []byte, into any) error {
	if p := inspect(body); p != nil {
		return p
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	var kind *json.UnmarshalTypeError
	switch name, unknown := strings.CutPrefix(errorText(err), "json: unknown field "); {
	case err == nil:
		return nil
	case unknown:
		name = strings.Trim(name, `"`)
		return &Problem{Status: http.StatusUnprocessableEntity, Code: UnknownField, Field: name, Detail: unknownField(name)}
	case errors.As(err, &kind) && kind.Field != "":
		return wrong(kind.Field, oddField(kind.Field))
	}
	return &Problem{Status: http.StatusBadRequest, Code: Invalid, Detail: oddJSON, Err: err}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// inspect reports what package json accepts silently: fields that are there twice, deep
// nesting, and whatever follows the first value.
func inspect(body []byte) *Problem {
	bad := func(sentence, field string) *Problem {
		return &Problem{Status: http.StatusBadRequest, Code: Invalid, Detail: sentence, Field: field}
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	type object struct {
		seen  map[string]bool // nil in a list
		value bool            // a value follows, not a name
	}
	var open []object
	for first := true; ; first = false {
		token, err := d.Token()
		switch {
		case errors.Is(err, io.EOF) && !first && len(open) == 0:
			return nil
		case err != nil:
			return bad(oddJSON, "")
		case first && token != json.Delim('{'), !first && len(open) == 0:
			return bad(oneValue, "")
		case token == json.Delim('}'), token == json.Delim(']'):
			open = open[:len(open)-1]
			continue
		}
		if len(open) > 0 {
			last := &open[len(open)-1]
			if name, is := token.(string); is && last.seen != nil && !last.value {
				if last.seen[name] {
					return bad(twice(name), name)
				}
				last.seen[name], last.value = true, true
				continue
			}
			last.value = false
		}
		switch token {
		case json.Delim('{'):
			open = append(open, object{seen: map[string]bool{}})
		case json.Delim('['):
			open = append(open, object{})
		}
		if len(open) > maxDepth {
			return bad(tooDeep, "")
		}
	}
}
