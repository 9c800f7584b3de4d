package handlers_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dailies/web/costtest"
	"dailies/web/scopetest"
)

// The larger of two sizes of a field.
const (
	manyWords  = 16_000
	fewWords   = 3_000 // in a text that is not longer than a prompt
	manyValues = 4_000
)

// TestWorkGrowsNoFasterThanItsText sends each field of each example of a request as a long
// text and as many values, all different, and each at half of that. Each value in a program's
// JSON is sent as a list and as an object too, uploads get as many parts, and pages as many
// cookies as fit into a request. The longer one may take three times as long as its half, which
// is measured in the same run as CPU time, so that the machine does not matter. Passwords and
// pictures are left out: each costs what it should. DAILIES_ROUTE limits the test to routes
// whose pattern contains the text.
func TestWorkGrowsNoFasterThanItsText(t *testing.T) {
	scopetest.Whole(t)
	if scopetest.Race {
		t.Skip("the detector is part of the work: .ci/run runs this without it")
	}
	synctest.Test(t, func(t *testing.T) {
		f := newFailing(t)
		seen := map[string]bool{}
		for _, r := range f.examples() {
			_, query, _ := strings.Cut(r.path, "?")
			if r.file != "" || strings.HasPrefix(r.path, "/api/") || !strings.Contains(r.pattern, os.Getenv("DAILIES_ROUTE")) {
				continue
			}
			form, err := url.ParseQuery(f.ids.Replace(cmp.Or(r.form, query)))
			must(t, err)
			for _, name := range slices.Sorted(maps.Keys(form)) {
				if key := r.pattern + " " + name; !seen[key] && name != "password" && name != "code" {
					seen[key] = true
					f.formGrows(t, r, name+" as a text", func(n int) url.Values { return field(form, name, longText(n)) }, manyWords)
					f.formGrows(t, r, name+" as a prompt", func(n int) url.Values { return field(form, name, longText(n)) }, fewWords)
					f.formGrows(t, r, name+" many times", func(n int) url.Values { return field(form, name, handles(n)...) }, manyValues)
				}
			}
		}
		for _, r := range slices.Concat(f.examples(), bodiesWithPictures, moreUploads) {
			if !strings.Contains(r.pattern, os.Getenv("DAILIES_ROUTE")) {
				continue
			}
			switch _, query, _ := strings.Cut(r.path, "?"); {
			case strings.HasPrefix(r.form, "{\""):
				f.bodyGrows(t, r)
			case strings.HasPrefix(r.path, "/api/") && query != "":
				f.queryGrows(t, r, "q", "tag", "model", "who", "cursor", "limit", "more")
			case r.file != "":
				f.uploadGrows(t, r)
			case r.pattern == "GET /share/{token}" || r.pattern == "POST /share/{token}/notes" || r.pattern == "GET /gallery":
				f.cookiesGrow(t, r)
			}
		}
	})
}

func field(form url.Values, name string, values ...string) url.Values {
	form = maps.Clone(form)
	form[name] = values
	return form
}

// handles returns values that are all different.
func handles(n int) (values []string) {
	for i := range n {
		values = append(values, fmt.Sprintf("@x%d", i))
	}
	return values
}

// longText returns lines with words, handles and cells that are all different.
func longText(n int) string {
	return strings.ReplaceAll(strings.Join(handles(n), ", "), "00, ", "00\n")
}

// formGrows sends the request with forms of n values and of half of them.
func (f *failing) formGrows(t *testing.T, r exampleRequest, what string, form func(n int) url.Values, n int) {
	t.Helper()
	if strings.HasPrefix(r.pattern, "GET ") {
		n /= 10 // headers are bounded
	}
	costtest.Linear(t, r.pattern+", "+what, n, func(n int) time.Duration { return f.cost(t, r, form(n)) })
}

// renew sets the database back to what it was at first. On the test's clock it waits until a
// program may spend again.
func (f *failing) renew(t *testing.T) {
	t.Helper()
	time.Sleep(250 * time.Millisecond)
	if f.state.changed(t) {
		f.state.restore(t)
	}
	f.state.refresh(t)
}

// cost returns the CPU time of the request, sent to the database as it was at first.
func (f *failing) cost(t *testing.T, r exampleRequest, form url.Values) time.Duration {
	t.Helper()
	f.renew(t)
	p := f.browser(t, cmp.Or(r.who, "owner"))
	path, _, _ := strings.Cut(f.ids.Replace(r.path), "?")
	began := costtest.Processor()
	if strings.HasPrefix(r.pattern, http.MethodPost) {
		p.Post(path, form, "HX-Request-Type", "partial")
	} else {
		p.Get(path+"?"+form.Encode(), "HX-Request-Type", "partial")
	}
	return costtest.Processor() - began
}
