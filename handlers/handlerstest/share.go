package handlerstest

import (
	"net/url"
	"regexp"
	"testing"

	"golang.org/x/net/html"
)

var shareLink = regexp.MustCompile(`/share/[A-Z0-9]{26}`)

// Share makes a link on the page, such as "/tasks/7", with downloads, and returns the
// link's path. More settings, such as "password", may follow with their values.
func (p *Browser) Share(page, title string, more ...string) string {
	p.T.Helper()
	form := url.Values{"title": {title}, "days": {"30"}, "download": {"on"}}
	for i := 0; i+1 < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	p.Post(page+"/share", form).Is(303).LeadsTo(page + "/share")
	links := shareLink.FindAllString(p.Get(page+"/share").Is(200).Text, -1)
	if len(links) == 0 {
		p.T.Fatalf("%s lists no link", page)
	}
	return links[0] // the newest link is listed first
}

// Files returns the URLs of the files on a shared page.
func (a *Answer) Files() []string {
	var files []string
	for _, m := range regexp.MustCompile(`(?:src|poster)="(/share/[A-Z0-9]+/media/[^"#]+)`).FindAllStringSubmatch(a.Text, -1) {
		files = append(files, html.UnescapeString(m[1]))
	}
	return files
}

// MustURL parses the URL.
func MustURL(t testing.TB, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	must(t, err)
	return u
}
