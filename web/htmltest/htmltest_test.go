package htmltest_test

import (
	"slices"
	"testing"

	"dailies/web/htmltest"
)

const page = `<!DOCTYPE html><html><body>
<form id="make" class="stack wide"><input name="model" value="a" checked><input name="model" value="b"><p class="hint">Say <b>what</b> happens.</p></form>
<form action="/tasks?id=1&amp;on=[x]"><p>Another</p><script>ignored()</script><noscript><i>seen</i></noscript></form>
</body></html>`

func TestSelectorsFindWhatTheySay(t *testing.T) {
	root := htmltest.Parse(t, page)
	for selector, want := range map[string]int{
		"form":                                2,
		"*":                                   13,
		"#make":                               1,
		"form.stack":                          1,
		".wide.stack":                         1,
		".wid":                                0,
		"form input":                          2,
		"p input":                             0,
		"form#make input[name=model]":         2,
		"[name=model][checked]":               1,
		"[checked=true]":                      0,
		"[data-x='']":                         0,
		`input[value="b"]`:                    1,
		"body form p b":                       1,
		"b p":                                 0,
		`form[action="/tasks?id=1&on=[x]"] p`: 1,
		"noscript i":                          1,
	} {
		if got := len(htmltest.All(root, selector)); got != want {
			t.Errorf("%s matches %d elements, want %d", selector, got, want)
		}
		if htmltest.Has(root, selector) != (want > 0) {
			t.Errorf("%s: Has differs from All", selector)
		}
	}
}

func TestASelectorStopsAtItsRoot(t *testing.T) {
	form := htmltest.First(t, htmltest.Parse(t, page), "#make")
	if htmltest.Has(form, "form input") {
		t.Error("the root is found below itself")
	}
}

func TestTextIsWhatAPersonReads(t *testing.T) {
	root := htmltest.Parse(t, page)
	if got := htmltest.Texts(root, "p"); !slices.Equal(got, []string{"Say what happens.", "Another"}) {
		t.Errorf("got %q", got)
	}
	second := htmltest.All(root, "form")[1]
	if got := htmltest.Text(second); got != "Another seen" {
		t.Errorf("got %q", got)
	}
	if !htmltest.Inside(htmltest.First(t, root, "b"), "form") || htmltest.HasAttr(second, "id") || htmltest.Attr(second, "action") != "/tasks?id=1&on=[x]" {
		t.Error("an element is not as it stands on the page")
	}
}
