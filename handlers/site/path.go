package site

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

func TaskPath(id int64) string { return "/tasks/" + strconv.FormatInt(id, 10) }

// Local is the address if it lies on this site, else the start page.
func Local(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(address, "/") || strings.HasPrefix(address, "//") || strings.ContainsAny(address, "\\\r\n\t") {
		return "/"
	}
	return address
}

// Origin is how the person reached the app, unless the one who runs it said
// how others do.
func (s *Site) Origin(r *http.Request) string {
	if s.PublicURL != "" {
		return s.PublicURL
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + r.Host
}

// CameFrom is the page of ours that the request came from, for forms that do
// not name one: a card does not know what page it is on.
func CameFrom(r *http.Request) string {
	u, err := url.Parse(r.Referer())
	if err != nil || u.Host != r.Host || u.Path == "" {
		return "/gallery"
	}
	return Local(u.RequestURI())
}
