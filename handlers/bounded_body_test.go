package handlers_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"dailies/handlers/handlerstest"
	"dailies/web/costtest"
)

// bodiesWithPictures are requests of programs in which many pictures are allowed.
var bodiesWithPictures = []exampleRequest{
	{
		pattern: "POST /api/v1/quotes", path: "/api/v1/quotes",
		form: `{"scene":"reference-to-video","model":"seedance-2.0","prompt":"@anna","options":{"image_input":["http://dailies.invalid/p/{picture}"],"mode":"reference-to-video"}}`,
	},
	{
		pattern: "POST /api/v1/videos", path: "/api/v1/videos",
		form: `{"scene":"reference-to-video","model":"seedance-2.0","prompt":"@anna","options":{"image_input":["http://dailies.invalid/p/{picture}"]},"max_credits":900}`,
	},
	{
		pattern: "POST /api/v1/videos", path: "/api/v1/videos",
		form: `{"scene":"frames-to-video","model":"seedance-2.0","prompt":"a tram","options":{"image_url":"http://dailies.invalid/p/{picture}","end_image_url":"http://dailies.invalid/p/{picture}"},"max_credits":900}`,
	},
	{
		pattern: "POST /api/ai/generate", path: "/api/ai/generate",
		form: `{"mediaType":"video","scene":"reference-to-video","model":"seedance-2.0","prompt":"@anna","options":{"image_input":["http://dailies.invalid/p/{picture}"]}}`,
	},
}

// moreUploads are forms with files whose examples have none.
var moreUploads = []exampleRequest{
	{
		pattern: "POST /create/{scene}", path: "/create/text-to-video",
		form: "token=ATOKENOFTHETESTS&model=seedance-2.0&prompt=a+tram&duration=4&resolution=480p&aspect_ratio=16:9&generate_audio=true",
		file: "file.image_input.0",
	},
	{pattern: "POST /cast/new", path: "/cast/new", form: "handle=cup&name=Red+cup&kind=product", file: "file.picture.0"},
	{pattern: "POST /team/brand", path: "/team/brand", form: "name=Nordlicht&colour=%230b6157", file: "logo"},
}

// bodyGrows sends each value in the body of a program, and some more, as a long text, a list
// and an object.
func (f *failing) bodyGrows(t *testing.T, r exampleRequest) {
	t.Helper()
	example := f.ids.Replace(r.form)
	f.renew(t)
	if a := f.tell(t, r, example); a.StatusCode >= 300 || strings.HasPrefix(a.Text, `{"code":-1`) {
		t.Errorf("%s: %s is answered with %d: %.200s", r.pattern, example, a.StatusCode, a.Text)
	}
	shapes := []struct {
		name string
		most int
		of   func(n int) any
	}{
		{"a text", manyWords, func(n int) any { return longText(n) }},
		{"a prompt", fewWords, func(n int) any { return longText(n) }},
		{"a list", manyValues, func(n int) any { return handles(n) }},
		{"addresses", manyValues, func(n int) any { return addresses(n) }},
		{"an object", manyValues, func(n int) any { return object(n) }},
	}
	for _, place := range valuesIn(t, example) {
		for _, shape := range shapes {
			costtest.Linear(t, fmt.Sprintf("%s, %s as %s", r.pattern, strings.Join(place, "."), shape.name), shape.most,
				func(n int) time.Duration {
					text := changed(t, example, place, shape.of(n))
					f.renew(t)
					began := costtest.Processor()
					if a := f.tell(t, r, text); a.StatusCode == http.StatusUnauthorized ||
						a.StatusCode == http.StatusTooManyRequests || a.StatusCode >= http.StatusInternalServerError {
						t.Errorf("%s is answered with %d", r.pattern, a.StatusCode)
					}
					return costtest.Processor() - began
				})
		}
	}
}

// tell sends the body as the owner's program.
func (f *failing) tell(t *testing.T, r exampleRequest, body string) *handlerstest.Answer {
	t.Helper()
	method, _, _ := strings.Cut(r.pattern, " ")
	return f.ask(t, f.Stranger(t), method, f.ids.Replace(r.path), body)
}

// valuesIn returns where values stand in the JSON text: that of "tags":["sea"] at tags, 0. With
// them are names that the text lacks.
func valuesIn(t *testing.T, text string) (places [][]string) {
	t.Helper()
	var body any
	must(t, json.Unmarshal([]byte(text), &body))
	var walk func(at []string, value any)
	walk = func(at []string, value any) {
		if len(at) > 0 {
			places = append(places, at)
		}
		switch value := value.(type) {
		case map[string]any:
			for _, name := range append(slices.Sorted(maps.Keys(value)), "more") {
				walk(append(slices.Clone(at), name), value[name])
			}
		case []any:
			walk(append(slices.Clone(at), "0"), value[0])
		}
	}
	walk(nil, body)
	return places
}

// changed returns the JSON text with another value in the place.
func changed(t *testing.T, text string, place []string, value any) string {
	t.Helper()
	var body map[string]any
	must(t, json.Unmarshal([]byte(text), &body))
	inner, last := body, len(place)-1
	if place[last] == "0" {
		place, value, last = place[:last], []any{value}, last-1
	}
	for _, name := range place[:last] {
		inner = inner[name].(map[string]any)
	}
	inner[place[last]] = value
	b, err := json.Marshal(body)
	must(t, err)
	return string(b)
}

// queryGrows sends the fields of the query of a program.
func (f *failing) queryGrows(t *testing.T, r exampleRequest, names ...string) {
	t.Helper()
	path, query, _ := strings.Cut(f.ids.Replace(r.path), "?")
	form, err := url.ParseQuery(query)
	must(t, err)
	for _, name := range names {
		for as, values := range map[string]func(n int) []string{
			"a text": func(n int) []string { return []string{longText(n)} }, "many values": handles,
		} {
			costtest.Linear(t, fmt.Sprintf("%s, %s as %s", r.pattern, name, as), manyValues/2, func(n int) time.Duration { // headers are bounded
				sent := field(form, name, values(n)...).Encode()
				f.renew(t)
				began := costtest.Processor()
				f.ask(t, f.Stranger(t), http.MethodGet, path+"?"+sent, "")
				return costtest.Processor() - began
			})
		}
	}
}

// uploadGrows sends the upload with many fields, many files, a file with a long name, and long
// files that are no pictures.
func (f *failing) uploadGrows(t *testing.T, r exampleRequest) {
	t.Helper()
	form, err := url.ParseQuery(f.ids.Replace(r.form))
	must(t, err)
	type upload struct {
		form  url.Values
		files []handlerstest.File
	}
	one := func(name string, content []byte) upload {
		return upload{form, []handlerstest.File{{Field: r.file, Name: name, Content: content}}}
	}
	kinds := map[string]struct {
		most int
		of   func(n int) upload
	}{
		"long text in the file": {manyWords, func(n int) upload { return one("a.txt", []byte(longText(n))) }},
		"long text behind a picture": {
			manyWords, func(n int) upload { return one("a.jpg", append(slices.Clone(f.photo), longText(n)...)) },
		},
		"long text in the file's name": {manyValues / 4, func(n int) upload { return one(longText(n)+".jpg", f.photo) }},
		"many fields": {manyValues, func(n int) upload {
			u := one("a.jpg", f.photo)
			u.form = maps.Clone(form)
			for i := range n {
				u.form.Set(fmt.Sprint("x", i), fmt.Sprint("@x", i))
			}
			return u
		}},
		"many files in one field": {manyValues, func(n int) (u upload) {
			for i := range n {
				u.files = append(u.files, handlerstest.File{
					Field: r.file, Name: fmt.Sprint(i, ".jpg"), Content: fmt.Appendf(nil, "\xff\xd8\xff%d", i),
				})
			}
			u.form = form
			return u
		}},
		"many fields with files": {manyValues, func(n int) (u upload) {
			for i := range n {
				u.files = append(u.files, handlerstest.File{
					Field: fmt.Sprint("file.image_input.", i), Name: fmt.Sprint(i, ".jpg"),
					Content: fmt.Appendf(nil, "\xff\xd8\xff%d", i),
				})
			}
			u.form = form
			return u
		}},
	}
	for name := range form {
		kinds["field "+name+" as a text"] = struct {
			most int
			of   func(n int) upload
		}{manyWords, func(n int) upload {
			u := one("a.jpg", f.photo)
			u.form = field(form, name, longText(n))
			return u
		}}
		kinds["field "+name+" many times"] = struct {
			most int
			of   func(n int) upload
		}{manyValues, func(n int) upload {
			u := one("a.jpg", f.photo)
			u.form = field(form, name, handles(n)...)
			return u
		}}
	}
	send := func(u upload, sound bool) time.Duration {
		p := f.browser(t, cmp.Or(r.who, "owner"))
		f.renew(t)
		began := costtest.Processor()
		a := p.Upload(f.ids.Replace(r.path), u.form, u.files, "HX-Request-Type", "partial")
		if sound && a.StatusCode >= 400 || a.StatusCode == http.StatusTooManyRequests || a.StatusCode >= 500 {
			t.Errorf("%s is answered with %d", r.pattern, a.StatusCode)
		}
		return costtest.Processor() - began
	}
	send(one("a.jpg", f.photo), true)
	for name, kind := range kinds {
		costtest.Linear(t, r.pattern+", "+name, kind.most, func(n int) time.Duration { return send(kind.of(n), false) })
	}
}

// cookieNames are those that the program reads; an empty one stands for names that all differ.
var cookieNames = []string{"dailies-guest", "dailies-room", "dailies", "dailies-known", "__Host-dailies", "theme", "zone", "size", ""}

// cookiesGrow sends cookies of the names that the program reads, all different, before those
// of the user.
func (f *failing) cookiesGrow(t *testing.T, r exampleRequest) {
	t.Helper()
	const most = 20_000 // a request's headers have a megabyte
	form, err := url.ParseQuery(f.ids.Replace(r.form))
	must(t, err)
	for _, name := range cookieNames {
		costtest.Linear(t, r.pattern+", cookies named "+cmp.Or(name, "differently"), most, func(n int) time.Duration {
			cookies := make([]string, n)
			for i := range cookies {
				cookies[i] = fmt.Sprintf("%s=MTcw%d", cmp.Or(name, fmt.Sprint("x", i)), i)
			}
			for _, c := range f.jars[cmp.Or(r.who, "owner")] {
				cookies = append(cookies, c.Name+"="+c.Value)
			}
			method, _, _ := strings.Cut(r.pattern, " ")
			p := f.Stranger(t)
			f.renew(t)
			began := costtest.Processor()
			if method == http.MethodPost {
				p.Post(f.ids.Replace(r.path), form, "Cookie", strings.Join(cookies, "; "))
			} else {
				p.Get(f.ids.Replace(r.path), "Cookie", strings.Join(cookies, "; "))
			}
			return costtest.Processor() - began
		})
	}
}

// addresses returns addresses of pictures that are all different.
func addresses(n int) (values []string) {
	for i := range n {
		values = append(values, fmt.Sprintf("https://x.invalid/p/%d", i))
	}
	return values
}

// object returns texts by names, all different.
func object(n int) map[string]any {
	values := map[string]any{}
	for i := range n {
		values[fmt.Sprint("x", i)] = fmt.Sprint("@x", i)
	}
	return values
}
