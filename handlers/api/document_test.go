package api_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"github.com/pb33f/libopenapi-validator/config"
	v3 "github.com/pb33f/libopenapi/datamodel/high/v3"
)

// A described is the document of the API, with what checks requests and answers against it.
type described struct {
	model     *v3.Document
	validator validator.Validator
}

var readDocument = sync.OnceValues(func() (d described, err error) {
	text, err := os.ReadFile("openapi.json")
	if err != nil {
		return d, err
	}
	document, err := libopenapi.NewDocument(text)
	if err != nil {
		return d, err
	}
	built, err := document.BuildV3Model()
	if err != nil {
		return d, err
	}
	// The guard checks the token, and the tests send wrong ones.
	v, errs := validator.NewValidator(document, config.WithFormatAssertions(), config.WithoutSecurityValidation())
	if len(errs) > 0 {
		return d, errs[0]
	}
	return described{&built.Model, v}, nil
})

// checkDocumented fails the test unless the document describes the answer and, if the
// request was accepted, the request.
func checkDocumented(t testing.TB, r *http.Request, sent string, got *http.Response, body []byte) {
	t.Helper()
	d, err := readDocument()
	must(t, err)
	if !strings.HasPrefix(r.URL.Path, "/api/") || got.StatusCode == http.StatusNotFound && !strings.Contains(r.URL.Path, "/videos/") {
		return // an address that does not exist
	}
	request := r.Clone(t.Context())
	request.Body = io.NopCloser(strings.NewReader(sent))
	if got.StatusCode < 400 && !bytes.HasPrefix(body, []byte(`{"code":-1`)) {
		if ok, errs := d.validator.ValidateHttpRequest(request); !ok {
			t.Errorf("the document does not allow %s %s %.300s: %v", r.Method, r.URL, sent, errs[0])
		}
	}
	answer := &http.Response{StatusCode: got.StatusCode, Header: got.Header, Body: io.NopCloser(bytes.NewReader(body))}
	if strings.HasPrefix(got.Header.Get("Content-Type"), "video/") {
		return // a file
	}
	if ok, errs := d.validator.ValidateHttpResponse(request, answer); !ok {
		t.Errorf("the document does not allow the answer to %s %s, %d %.600s: %v", r.Method, r.URL, got.StatusCode, body, errs[0])
	}
}

// The document describes the routes that exist, and no others.
func TestTheDocumentListsEveryAddress(t *testing.T) {
	d, err := readDocument()
	must(t, err)
	if ok, errs := d.validator.ValidateDocument(); !ok {
		t.Fatalf("it is no OpenAPI document: %v", errs)
	}
	table, err := os.ReadFile("../routes.go")
	must(t, err)
	var routes, documented []string
	for _, found := range regexp.MustCompile(`mux\.Handle\("([A-Z]+ /api/(?:v1|ai)/[^"]+)"`).FindAllStringSubmatch(string(table), -1) {
		routes = append(routes, found[1])
	}
	for path, item := range d.model.Paths.PathItems.FromOldest() {
		for method := range item.GetOperations().FromOldest() {
			documented = append(documented, fmt.Sprintf("%s %s", strings.ToUpper(method), path))
		}
	}
	slices.Sort(routes)
	slices.Sort(documented)
	if !slices.Equal(routes, documented) {
		t.Errorf("the routes are\n%s\nand the document has\n%s", strings.Join(routes, "\n"), strings.Join(documented, "\n"))
	}
}

// Anybody may read it, and it is sent once.
func TestTheDocumentIsSent(t *testing.T) {
	h, _ := started(t)
	stranger := &client{t, h, ""}
	got := stranger.get("/api/v1/openapi.json").is(200)
	if got.value()["openapi"] != "3.1.0" || got.header.Get("Content-Type") != "application/json" {
		t.Errorf("%v %.200s", got.header, got.body)
	}
	stranger.get("/api/v1/openapi.json", "If-None-Match: "+got.header.Get("ETag")).is(304)
}

// The codes of the document are those that the API sends.
func TestTheDocumentNamesEveryCode(t *testing.T) {
	source, err := os.ReadFile("problem.go")
	must(t, err)
	var codes []string
	for _, found := range regexp.MustCompile(`Code = "(\w+)"`).FindAllStringSubmatch(string(source), -1) {
		codes = append(codes, found[1])
	}
	d, err := readDocument()
	must(t, err)
	var documented []string
	for _, value := range d.model.Components.Schemas.GetOrZero("Code").Schema().Enum {
		documented = append(documented, value.Value)
	}
	if len(codes) == 0 || !slices.Equal(codes, documented) {
		t.Errorf("the codes are %q, and the document has %q", codes, documented)
	}
}
