package site

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// TaskPath returns the path of a video's page.
func TaskPath(id int64) string { return "/tasks/" + strconv.FormatInt(id, 10) }

// Local returns the address if it is a path of this site, and otherwise "/".
func Local(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(address, "/") ||
		strings.HasPrefix(address, "//") || strings.ContainsAny(address, "\\\r\n\t") {
		return "/"
	}
	return address
}

// Origin returns the scheme and host of the app: those of -public-url, or else of the
// request.
func (s *Network) Origin(r *http.Request) string {
	if s.publicURL != "" {
		return s.publicURL
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + r.Host
}

// CameFrom returns the page of this site that the request came from, for forms
// without a field "next", such as those of a card.
func CameFrom(r *http.Request) string {
	u, err := url.Parse(r.Referer())
	if err != nil || u.Host != r.Host || u.Path == "" {
		return "/gallery"
	}
	return Local(u.RequestURI())
}

func CollectionPath(id int64) string { return "/collections/" + strconv.FormatInt(id, 10) }
