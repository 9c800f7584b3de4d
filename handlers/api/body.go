package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
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
	"dailies/handlers/site"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web/videoapi"
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
		field := strings.TrimPrefix(strings.TrimPrefix(kind.Field, "terms."), "request.") // which are embedded
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

// A body asks for videos: the service's own fields with those of ours beside them.
type body struct {
	request
	terms
}

// A request has the fields of a create call (API.md, "Generation request fields").
type request struct {
	MediaType string  `json:"mediaType"`
	Provider  string  `json:"provider"`
	Scene     string  `json:"scene"`
	Model     string  `json:"model"`
	Prompt    string  `json:"prompt"`
	Options   options `json:"options"`
}

// terms are the fields of ours in a request for videos.
type terms struct {
	Count   *int     `json:"count"`
	Title   string   `json:"title"`
	Max     *float64 `json:"max_credits"` // for the whole request
	Unknown bool     `json:"accept_unknown_price"`
}

// options are those of API.md. Values that only repeat others are accepted and not used.
type options struct {
	Mode        string   `json:"mode"`
	Duration    *float64 `json:"duration"`
	AspectRatio *string  `json:"aspect_ratio"`
	Resolution  *string  `json:"resolution"`
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

// typed returns what is asked for, and the problems of its options with the model, by their
// names. Without a model, the options are not checked.
func (b request) typed(m *videoapi.Model) (of db.Request, problems map[string]string) {
	of = db.Request{
		Scene: b.Scene, Model: b.Model, Prompt: strings.TrimSpace(b.Prompt), Provider: b.Provider, Pictures: b.Options.pictures(),
	}
	var odd option.Text
	if of.Options, odd = b.Options.typed(); m == nil {
		return of, nil
	}
	problems = map[string]string{}
	maps.Copy(problems, m.CheckValues(m.Name, of.Options))
	maps.Copy(problems, m.Check(m.Name, odd))
	return of, problems
}

// modelOf returns the model, as it is for programs.
func modelOf(c *videoapi.Catalog, id, scene string) (m videoapi.Model, known bool) {
	m, known = c.Model(id)
	m = m.In(videoapi.Scene(scene))
	m.Leads = false // the shape of a picture has no name here: it is used if no other is given
	return m, known
}

// typed returns the values, and numbers that are no value of their option, as text.
func (o options) typed() (v option.Values, odd option.Text) {
	odd = option.Text{}
	if n := o.Duration; n != nil {
		if v.Duration = int(*n); float64(v.Duration) != *n || v.Duration <= 0 {
			v.Duration, odd["duration"] = 0, plainNumber(*n)
		}
	}
	if n := o.Seed; n != nil {
		if seed := int64(*n); float64(seed) == *n && seed >= 0 {
			v.Seed = &seed
		} else {
			odd["seed"] = plainNumber(*n)
		}
	}
	if o.AspectRatio != nil {
		v.AspectRatio = *o.AspectRatio
	}
	if o.Resolution != nil {
		v.Resolution = *o.Resolution
	}
	v.CameraFixed, v.SafetyChecker, v.Audio = cmp.Or(o.CameraFixed, o.FixedLens), o.Safety, o.Audio
	return v, odd
}

func plainNumber(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// pictures returns the addresses in the order in which they are sent.
func (o options) pictures() []string {
	if len(o.Pictures) > 0 || o.Start == "" && o.End == "" {
		return slices.Clone(o.Pictures)
	}
	if o.End == "" {
		return []string{o.Start}
	}
	return []string{o.Start, o.End}
}

// check reports what is wrong with the fields that the pages do not have.
func (b terms) check(spends bool) error {
	most := input.Rules{input.Valid("omitnil,min=0,max=1000000,thousandths", oddMaximum)}
	if spends {
		most = append(most, input.Required(noMaximum))
	}
	return cmp.Or(
		check("count", b.Count, input.Valid(fmt.Sprintf("omitnil,min=1,max=%d", site.MostVariations), oddCount)),
		check("title", b.Title, titleRule),
		check("max_credits", b.Max, most...),
	)
}

// titleRule is the rule of a title: one line, not too long and not blank to the eye.
var titleRule = input.Valid(fmt.Sprintf("max=%d,excludesall=\r\n\x00,visible", db.MaxTitle), oddTitle)

// check returns the problem of a field whose value breaks one of the rules.
func check(field string, value any, rules ...input.Rule) error {
	if sentence := site.Broken(value, rules); sentence != "" {
		return wrong(field, sentence)
	}
	return nil
}

// count returns how many videos are asked for.
func (b terms) count() int {
	if b.Count == nil {
		return 1
	}
	return *b.Count
}

// order returns the order for the person. Options that the model does not know are wrong,
// rather than left out.
func (b body) order(c *videoapi.Catalog, u db.User) (press.Order, error) {
	switch {
	case !videoapi.Scene(b.Scene).Valid():
		return press.Order{}, wrong("scene", oddField("scene"))
	case b.MediaType != "" && b.MediaType != "video":
		return press.Order{}, wrong("mediaType", oddField("mediaType"))
	case b.Options.Mode != "" && b.Options.Mode != b.Scene:
		return press.Order{}, wrong("options.mode", otherMode)
	}
	var model *videoapi.Model
	if m, known := modelOf(c, b.Model, b.Scene); known {
		model = &m
	}
	asked, problems := b.typed(model)
	for _, name := range option.Names() {
		if problems[name] != "" {
			return press.Order{}, wrong(fieldOf(name), problems[name])
		}
	}
	return orderOf(c, u, asked, b.count()), nil
}

// orderOf returns the person's order for so many videos.
func orderOf(c *videoapi.Catalog, u db.User, asked db.Request, count int) press.Order {
	t := db.Task{UserID: u.ID, Request: asked, CreatedAt: db.Now()}
	return press.Order{User: u, Tasks: press.Variations(c, t, count, secrets.NewToken())}
}

// allows reports whether the request allows the price. A quote may be unknown.
func (b terms) allows(p part.Price, quoting bool) error {
	switch total := p.Total(); {
	case total.Known && b.Max != nil && total.Amount > *b.Max:
		return &Problem{Status: http.StatusUnprocessableEntity, Code: PriceChanged, Field: "max_credits", Detail: tooDear(total.String())}
	case total.Known || quoting:
	case !b.Unknown:
		return &Problem{Status: http.StatusUnprocessableEntity, Code: PriceUnknown, Field: "accept_unknown_price", Detail: priceUnknown}
	case b.Max != nil && *b.Max == 0: // nothing would count against the cap
		return &Problem{Status: http.StatusUnprocessableEntity, Code: PriceUnknown, Field: "max_credits", Detail: nothingToHold}
	case p.Budget.NeedsApproval:
		return &Problem{Status: http.StatusUnprocessableEntity, Code: PriceUnknown, Detail: priceNeedsApproval}
	}
	return nil
}
