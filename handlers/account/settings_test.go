package account_test

import (
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"dailies/handlers/handlerstest"
	"dailies/web/htmltest"
)

// open returns the ID of the section that is open when the URL has no anchor.
func open(t *testing.T, a *handlerstest.Answer) string {
	t.Helper()
	root := htmltest.Parse(t, a.Text)
	rooms := htmltest.All(root, "section.room.open")
	if len(rooms) == 0 {
		t.Fatal("no section is open")
	}
	var ids []string
	for _, room := range rooms {
		ids = append(ids, htmltest.Attr(room, "id"))
	}
	id := ids[0]
	if marked := htmltest.All(root, ".roomlist a[aria-current]"); len(marked) != 1 || htmltest.Attr(marked[0], "href") != "/settings#"+id {
		t.Errorf("the list marks another section than %s", id)
	}
	return strings.Join(ids, " ")
}

func TestTheSectionOfAnAnswerIsOpen(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	if got := open(t, p.Get("/settings").Is(200)); got != "profile key-section" {
		t.Errorf("at first %s is open, not the first section and the key", got)
	}
	for path, tt := range map[string]struct {
		form url.Values
		want string
	}{
		"/settings":          {url.Values{"name": {" "}}, "profile"},
		"/settings/password": {url.Values{"current": {"wrong"}}, "profile"},
		"/settings/theme":    {url.Values{"theme": {"blue"}}, "look"},
		"/settings/key":      {url.Values{"key": {"not a key"}}, "key-section"},
	} {
		a := p.Post(path, tt.form).Is(422)
		if got := open(t, a); got != tt.want {
			t.Errorf("POST %s opens %s, want %s", path, got, tt.want)
		}
		if !htmltest.Has(htmltest.Parse(t, a.Text), "section#"+tt.want+" .error") {
			t.Errorf("POST %s: the message is not in %s", path, tt.want)
		}
	}
}

// TestEveryAnchorOfSettingsLeadsIntoASection lists the anchors to which other pages,
// and links from earlier versions, lead.
func TestEveryAnchorOfSettingsLeadsIntoASection(t *testing.T) {
	h := handlerstest.New(t)
	root := htmltest.Parse(t, h.Founder(t).Get("/settings").Is(200).Text)
	for _, id := range []string{
		"key", "key-section", "sandbox", "notices", "webhook", "webhook-section", "links", "sessions", "password", "name", "look", "theme",
	} {
		n := htmltest.First(t, root, "#"+id)
		for n != nil && htmltest.Attr(n, "class") != "room" && htmltest.Attr(n, "class") != "room open" {
			n = n.Parent
		}
		if n == nil || n.Type != html.ElementNode {
			t.Errorf("#%s is in no section", id)
		}
	}
}

func TestTheThemeIsKeptInTheBrowser(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	worn := func() string {
		t.Helper()
		return htmltest.Attr(htmltest.First(t, htmltest.Parse(t, p.Get("/settings").Is(200).Text), "html"), "data-theme")
	}
	for _, theme := range []string{"dark", "light", ""} {
		p.Post("/settings/theme", url.Values{"theme": {theme}}).Is(303).LeadsTo("/settings#look")
		if got := worn(); got != theme {
			t.Errorf("after %q the page wears %q", theme, got)
		}
	}
	p.Post("/settings/theme", url.Values{"theme": {"dark"}}).Is(303)
	p.Post("/settings/theme", url.Values{"theme": {"blue"}}).Is(422).Shows("Choose one.")
	if got := worn(); got != "dark" {
		t.Errorf("a theme that there is not leaves %q", got)
	}
}
