package handlerstest

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

var (
	inputs = regexp.MustCompile(`<input[^>]*>`)
	named  = regexp.MustCompile(` name="([^"]*)"`)
	valued = regexp.MustCompile(` value="([^"]*)"`)
)

// RowsOf returns the form that the page of a batch sends when its button with the value
// do is pressed.
func RowsOf(t *testing.T, a *Answer, do string) url.Values {
	t.Helper()
	v := url.Values{"do": {do}}
	for _, input := range inputs.FindAllString(a.Text, -1) {
		name, value := named.FindStringSubmatch(input), valued.FindStringSubmatch(input)
		if name == nil || strings.Contains(input, `type="checkbox"`) && !strings.Contains(input, " checked") {
			continue
		}
		text := ""
		if value != nil {
			text = html.UnescapeString(value[1])
		}
		v.Add(html.UnescapeString(name[1]), text)
	}
	if v.Get("rows") == "" {
		t.Fatalf("%s shows no rows\n%.2000s", a.What, a.Text)
	}
	return v
}
