package api

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"dailies/db"
	"dailies/db/option"
	"dailies/handlers/press"
	"dailies/web/videoapi"
)

// refuse returns the answer to a call that asks for something impossible, in the words of
// the service.
func refuse(message string) *Problem {
	return &Problem{Status: http.StatusUnprocessableEntity, Code: Refused, Detail: message}
}

// readCall reads the body of a call into the value, and returns it as it was sent. As the service
// does, it ignores fields and options that it does not know, and takes null for a missing field.
func readCall(w http.ResponseWriter, r *http.Request, into any) ([]byte, error) {
	if kind := r.Header.Get("Content-Type"); kind != "" && !isJSON(kind) {
		return nil, &Problem{Status: http.StatusUnsupportedMediaType, Code: Invalid, Detail: notJSON}
	}
	sent, err := readAll(w, r)
	if err != nil {
		return nil, err
	}
	return sent, parseCall(sent, into)
}

func parseCall(sent []byte, into any) error {
	if !utf8.Valid(sent) {
		return refuse(notUTF8)
	}
	if p := inspect(sent); p != nil {
		return p
	}
	err := json.Unmarshal(exact(sent, reflect.TypeOf(into)), into)
	var odd *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &odd) && odd.Field != "":
		return refuse(wrongKind(odd.Field, kindOf(odd.Type)))
	}
	return &Problem{Status: http.StatusBadRequest, Code: Invalid, Detail: oddJSON, Err: err}
}

// exact returns the JSON object without the fields that the type does not have, spelled
// exactly so: package json would read them in any case.
func exact(object json.RawMessage, t reflect.Type) json.RawMessage {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var fields map[string]json.RawMessage
	if t.Kind() != reflect.Struct || json.Unmarshal(object, &fields) != nil || fields == nil {
		return object
	}
	known := fieldsOf(t)
	for name, value := range fields {
		if kind, is := known[name]; is {
			fields[name] = exact(value, kind)
		} else {
			delete(fields, name)
		}
	}
	rest, err := json.Marshal(fields)
	if err != nil { // it was decoded before
		return object
	}
	return rest
}

// kindOf names the kind of JSON value that the type is decoded from.
func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "a list"
	case reflect.Struct:
		return "an object"
	}
	return "a string"
}

// A call is a request in the service's own words.
type call request

// order returns what the call asks for. An @ in its prompt is text. Options that the model does not
// take are ignored, as the service does.
func (b call) order(c *videoapi.Catalog, u db.User) (press.Order, error) {
	m, known := modelOf(c, b.Model, b.Scene)
	o := &b.Options
	switch {
	case b.MediaType != videoapi.MediaType:
		return press.Order{}, refuse(oddMediaType)
	case !videoapi.Scene(b.Scene).Valid():
		return press.Order{}, refuse(oddScene)
	case !known:
		return press.Order{}, refuse(noSuchModel(b.Model))
	case o.Mode != "" && o.Mode != b.Scene:
		return press.Order{}, refuse(oddMode)
	case strings.ContainsRune(b.Prompt, 0):
		return press.Order{}, refuse(invalidRequest(oddText))
	}
	if err := o.agree(); err != nil {
		return press.Order{}, err
	}
	if o.AspectRatio != nil && strings.EqualFold(*o.AspectRatio, option.AutoRatio) {
		*o.AspectRatio = option.AutoRatio
	}
	if o.Seed != nil && *o.Seed == -1 { // any seed
		o.Seed = nil
	}
	if o.Audio == nil { // API.md: "Should be kept equal to generate_audio"
		o.Audio = o.HasAudio
	}
	asked, problems := request(b).typed(&m)
	for _, name := range option.Names() {
		if m.Takes(name) && problems[name] != "" {
			return press.Order{}, refuse(invalidField(fieldOf(name), problems[name]))
		}
	}
	asked.Options = m.Taken(asked.Options)
	order := orderOf(c, u, asked, 1)
	order.NoMentions = true
	return order, nil
}

// agree reports numbers that are not whole, and values under two names that differ.
func (o options) agree() error {
	first, second := "", ""
	if len(o.Pictures) > 0 {
		first = o.Pictures[0]
	}
	if len(o.Pictures) > 1 {
		second = o.Pictures[1]
	}
	switch {
	case slices.Contains(o.Pictures, ""):
		return refuse(emptyPicture)
	case len(o.Pictures) == 0 && o.End != "" && o.Start == "":
		return refuse(onlyEnd)
	case len(o.Pictures) > 0 && o.Start != "" && o.Start != first:
		return refuse(twoStarts)
	case len(o.Pictures) > 0 && o.End != "" && o.End != second:
		return refuse(twoEnds)
	case !isWhole(o.Duration):
		return refuse(oddDuration)
	case !isWhole(o.Seed):
		return refuse(oddSeed)
	case o.CameraFixed != nil && o.FixedLens != nil && *o.CameraFixed != *o.FixedLens:
		return refuse(twoCameras)
	}
	return nil
}

// isWhole reports whether the number, if there is one, is whole and of reasonable size.
func isWhole(n *float64) bool {
	const most = 1 << 53
	return n == nil || *n == math.Trunc(*n) && math.Abs(*n) <= most
}
