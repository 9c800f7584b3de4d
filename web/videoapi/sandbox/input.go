package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strings"
	"unicode/utf8"

	"dailies/web/videoapi"
)

// maxBody bounds the body of a request, in bytes.
const maxBody = videoapi.MaxBody

// body reads the body of a request, which must be a JSON object.
func body(r *http.Request) ([]byte, error) {
	if kind := r.Header.Get("Content-Type"); kind != "" {
		if t, _, err := mime.ParseMediaType(kind); err != nil || t != "application/json" {
			return nil, invalid("Content-Type must be application/json, not %s", quote(kind))
		}
	}
	b, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxBody))
	tooLong := new(http.MaxBytesError)
	switch {
	case errors.As(err, &tooLong):
		return nil, invalid("the body is larger than 1 MiB")
	case err != nil:
		return nil, invalid("the body could not be read")
	case !utf8.Valid(b):
		return nil, invalid("the body is not valid UTF-8")
	case !json.Valid(b):
		return nil, invalid("the body is not JSON that can be read")
	case bytes.TrimSpace(b)[0] != '{':
		return nil, invalid("the body must be a JSON object")
	}
	return b, nil
}

// decode parses valid JSON text into a struct. If a field has the wrong type, the
// error names it, with the prefix in front.
func decode(text []byte, prefix string, dst any) error {
	err := json.Unmarshal(text, dst)
	wrong := new(json.UnmarshalTypeError)
	if err == nil {
		return nil
	}
	if !errors.As(err, &wrong) {
		return invalid("the body is not JSON that can be read")
	}
	kind := "an object"
	switch wrong.Type.Kind() {
	case reflect.String:
		kind = "a string"
	case reflect.Float64:
		kind = "a number"
	case reflect.Bool:
		kind = "true or false"
	case reflect.Slice:
		kind = "a list of strings"
	}
	// The path contains the names of embedded structs.
	name := prefix + wrong.Field[strings.LastIndexByte(wrong.Field, '.')+1:]
	return invalid("%s must be %s", strings.TrimSuffix(name, "."), kind)
}
