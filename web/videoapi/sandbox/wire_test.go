package sandbox_test

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"

	"dailies/web/videoapi"
	"dailies/web/videoapi/documenttest"
)

// post sends a body with the account's key.
func (w *world) post(path, body string) documenttest.Wire {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, base+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+w.key)
	r.Header.Set("Content-Type", "application/json")
	return w.send(r)
}

// send sends a request, whose answer must be an envelope.
func (w *world) send(r *http.Request) documenttest.Wire {
	w.t.Helper()
	resp, err := w.RoundTrip(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	a := documenttest.Wire{HTTP: resp.StatusCode}
	if err := json.NewDecoder(resp.Body).Decode(&a); err != nil {
		w.t.Fatalf("%s %s: %v", r.Method, r.URL.Path, err)
	}
	if a.Code == nil {
		w.t.Fatalf("%s %s: no code", r.Method, r.URL.Path)
	}
	return a
}

// refused checks that a call is answered with code -1, the message and no
// data, and costs nothing.
func (w *world) refused(a documenttest.Wire, message string) {
	w.t.Helper()
	if *a.Code != -1 || !strings.Contains(a.Message, message) || a.Data != nil {
		w.t.Errorf("got code %d, message %q, data %v; want -1, %q and none", *a.Code, a.Message, a.Data, message)
	}
}

// body returns the body of a create call with the scene, the model and the
// options. Empty arguments mean text to video, the model tiny, and no options.
func body(scene videoapi.Scene, model, options string) string {
	return `{"mediaType":"video","scene":"` + string(cmp.Or(scene, videoapi.TextToVideo)) +
		`","model":"` + cmp.Or(model, "tiny") + `","prompt":"A quiet sea","options":` + cmp.Or(options, "{}") + `}`
}

const (
	generate = documenttest.Generate
	query    = documenttest.Query
)
