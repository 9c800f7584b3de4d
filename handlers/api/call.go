package api

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"dailies/db"
	"dailies/db/option"
	"dailies/db/secrets"
	"dailies/handlers/press"
	"dailies/web/videoapi"
)

// A call is the body of a create call (API.md, "Generation request fields"). As the
// service does, it ignores fields and options that it does not know, and takes null for a
// missing field.
type call struct {
	MediaType string      `json:"mediaType"`
	Provider  string      `json:"provider"`
	Scene     string      `json:"scene"`
	Model     string      `json:"model"`
	Prompt    string      `json:"prompt"`
	Options   callOptions `json:"options"`
}

// callOptions are the options of a create call (API.md, "options fields").
type callOptions struct {
	Mode        string   `json:"mode"`
	Duration    *float64 `json:"duration"`
	AspectRatio string   `json:"aspect_ratio"`
	Resolution  string   `json:"resolution"`
	Pictures    []string `json:"image_input"`
	Start       string   `json:"image_url"`
	End         string   `json:"end_image_url"`
	CameraFixed *bool    `json:"camera_fixed"`
	FixedLens   *bool    `json:"fixed_lens"`
	Seed        *float64 `json:"seed"`
	Safety      *bool    `json:"enable_safety_checker"`
	Audio       *bool    `json:"generate_audio"`
	HasAudio    *bool    `json:"has_audio"`
}

// refuse returns the answer to a call that asks for something impossible, in the words of
// the service.
func refuse(message string) *Problem {
	return &Problem{Status: http.StatusUnprocessableEntity, Code: Refused, Detail: message}
}

// readCall reads the body of a call into the value, and returns it as it was sent.
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

// order returns what the call asks for. An @ in its prompt is text.
func (b call) order(c *videoapi.Catalog, u db.User) (press.Order, error) {
	m, known := c.Model(b.Model)
	switch {
	case b.MediaType != videoapi.MediaType:
		return press.Order{}, refuse(oddMediaType)
	case !videoapi.Scene(b.Scene).Valid():
		return press.Order{}, refuse(oddScene)
	case !known:
		return press.Order{}, refuse(noSuchModel(b.Model))
	case b.Options.Mode != "" && b.Options.Mode != b.Scene:
		return press.Order{}, refuse(oddMode)
	case strings.ContainsRune(b.Prompt, 0):
		return press.Order{}, refuse(invalidRequest(oddText))
	}
	pictures, err := b.Options.pictures()
	if err != nil {
		return press.Order{}, err
	}
	m = m.In(videoapi.Scene(b.Scene))
	m.Leads = false // the shape of a picture has no name here: it is used if no other is given
	given, err := b.Options.of(m)
	if err != nil {
		return press.Order{}, err
	}
	t := db.Task{
		UserID: u.ID, Request: db.Request{Scene: b.Scene, Model: b.Model, Prompt: strings.TrimSpace(b.Prompt), Provider: b.Provider,
			Pictures: pictures, Options: given.Values()}, CreatedAt: db.Now(),
	}
	return press.Order{User: u, Tasks: press.Variations(c, t, 1, secrets.NewToken()), Plain: true}, nil
}

// pictures returns the addresses in the order in which they are sent. Those that are there
// under two names have to agree.
func (o callOptions) pictures() ([]string, error) {
	first, second := "", ""
	if len(o.Pictures) > 0 {
		first = o.Pictures[0]
	}
	if len(o.Pictures) > 1 {
		second = o.Pictures[1]
	}
	switch {
	case slices.Contains(o.Pictures, ""):
		return nil, refuse(emptyPicture)
	case len(o.Pictures) == 0 && o.End != "" && o.Start == "":
		return nil, refuse(onlyEnd)
	case len(o.Pictures) > 0 && o.Start != "" && o.Start != first:
		return nil, refuse(twoStarts)
	case len(o.Pictures) > 0 && o.End != "" && o.End != second:
		return nil, refuse(twoEnds)
	case len(o.Pictures) > 0:
		return o.Pictures, nil
	case o.End != "":
		return []string{o.Start, o.End}, nil
	case o.Start != "":
		return []string{o.Start}, nil
	}
	return nil, nil
}

// of returns those options that the model takes. Others are ignored, as the service does.
func (o callOptions) of(m videoapi.Model) (option.Text, error) {
	given := option.Text{"resolution": o.Resolution, "aspect_ratio": o.AspectRatio}
	if o.Duration != nil {
		text, whole := wholeNumber(*o.Duration)
		if !whole {
			return nil, refuse(oddDuration)
		}
		given["duration"] = text
	}
	if o.Seed != nil && *o.Seed != -1 { // any seed
		text, whole := wholeNumber(*o.Seed)
		if !whole {
			return nil, refuse(oddSeed)
		}
		given["seed"] = text
	}
	camera, audio := o.CameraFixed, o.Audio
	switch {
	case camera != nil && o.FixedLens != nil && *camera != *o.FixedLens:
		return nil, refuse(twoCameras)
	case camera == nil:
		camera = o.FixedLens
	}
	if audio == nil { // API.md: "Should be kept equal to generate_audio"
		audio = o.HasAudio
	}
	for name, value := range map[string]*bool{"camera_fixed": camera, "enable_safety_checker": o.Safety, "generate_audio": audio} {
		if value != nil {
			given[name] = strconv.FormatBool(*value)
		}
	}
	m.Tidy(given) // API.md: "Auto is expressed by omitting the field or sending an empty string"
	problems := m.Check(m.Name, given)
	for _, name := range option.Names() {
		if !m.Takes(name) {
			delete(given, name)
		} else if problems[name] != "" {
			return nil, refuse(invalidField(fieldOf(name), problems[name]))
		}
	}
	return given, nil
}

// wholeNumber returns a whole number of reasonable size as text.
func wholeNumber(n float64) (text string, ok bool) {
	const most = 1 << 53
	return strconv.FormatFloat(n, 'f', -1, 64), n == math.Trunc(n) && math.Abs(n) <= most
}
