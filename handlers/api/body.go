package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"dailies/handlers/site"
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

// readAll returns the body, unless it is too large or breaks off.
func readAll(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return nil, site.CutOff(err)
	}
	return body, nil
}

// parse reads a JSON object.
func parse(body []byte, into any) error {
	if !utf8.Valid(body) {
		return &Problem{Status: http.StatusBadRequest, Code: Invalid, Detail: oddJSON}
	}
	if p := inspect(body); p != nil {
		return p
	}
	if hasNUL(body) {
		return &Problem{Status: http.StatusBadRequest, Code: Invalid, Detail: oddText}
	}
	if path := unknownIn(body, reflect.TypeOf(into)); path != "" {
		name := path[strings.LastIndex(path, ".")+1:]
		return &Problem{Status: http.StatusUnprocessableEntity, Code: UnknownField, Field: path, Detail: unknownField(name)}
	}
	err := json.Unmarshal(body, into)
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &kind) && kind.Field != "":
		field := strings.TrimPrefix(kind.Field, "terms.") // which are embedded
		return wrong(field, oddField(field))
	}
	return &Problem{Status: http.StatusBadRequest, Code: Invalid, Detail: oddJSON, Err: err}
}

// unknownIn returns the path of a field of the JSON object that the type does not have,
// spelled exactly so: package json takes Max_Credits for max_credits, and the last of both
// would count. It returns "" if there is none.
func unknownIn(object []byte, t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var fields map[string]json.RawMessage
	if t.Kind() != reflect.Struct || json.Unmarshal(object, &fields) != nil { // another kind of value is reported elsewhere
		return ""
	}
	known := fieldsOf(t)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		kind, is := known[name]
		if !is {
			return name
		}
		if path := unknownIn(fields[name], kind); path != "" {
			return fmt.Sprintf("%s.%s", name, path)
		}
	}
	return ""
}

// fieldsOf returns the types of the fields of a struct, by their names in JSON.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	known := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		if name := f.Tag.Get("json"); name != "" {
			known[name] = f.Type
		}
	}
	return known
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

// hasNUL reports whether valid JSON has text with the character U+0000, which no page sends
// and databases do not take.
func hasNUL(body []byte) bool {
	d := json.NewDecoder(bytes.NewReader(body))
	for {
		token, err := d.Token()
		if err != nil {
			return false
		}
		if text, is := token.(string); is && strings.ContainsRune(text, 0) {
			return true
		}
	}
}
