package signin_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"dailies/handlers/handlerstest"
)

// typedIn matches what forms hold.
var typedIn = regexp.MustCompile(`value="[^"]*"|(?s)<textarea[^>]*>.*?</textarea>`)

func TestWhatIsRefusedIsNotShownAsState(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	h.Joiner(t, owner, "ada")
	long := strings.Repeat("Zq", 200)
	for path, form := range map[string]url.Values{
		"/limit":           {"self": {"NaN"}},
		"/settings":        {"name": {long}},
		"/team/limits":     {"default": {"NaN"}, "team": {"NaN"}},
		"/members/2/limit": {"limit": {"own"}, "credits": {"NaN"}},
		"/team/brand":      {"name": {long}, "colour": {"NaN"}},
	} {
		page := owner.Post(path, form).Is(422).Text
		for _, junk := range []string{"NaN", long} {
			if strings.Contains(typedIn.ReplaceAllString(page, ""), junk) {
				t.Errorf("%s shows %.10q outside the form", path, junk)
			}
			if form.Get("self") == junk && !strings.Contains(page, `value="`+junk+`"`) {
				t.Errorf("%s does not keep %.10q", path, junk)
			}
		}
	}
}
