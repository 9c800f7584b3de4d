package part

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/web/videoapi"
)

// GoPath is the path of the command palette.
const GoPath = "/go"

// TaskPath returns the path of the video's page.
func TaskPath(id int64) string { return "/tasks/" + strconv.FormatInt(id, 10) }

// NextTakePath returns the path of the form for the next take of the video.
func NextTakePath(id int64) string { return TaskPath(id) + "/next-take" }

// SupportPath returns the path of the technical details on the video's page.
func SupportPath(id int64) string { return TaskPath(id) + "#answers" }

// MediaPath returns the path of the file.
func MediaPath(m db.Media) string { return "/media/" + strconv.FormatInt(m.ID, 10) }

// CollectionPath returns the path of the collection's page.
func CollectionPath(id int64) string { return "/collections/" + strconv.FormatInt(id, 10) }

// ScenePath returns the path of the form for the scene.
func ScenePath(s videoapi.Scene) string { return "/create/" + url.PathEscape(string(s)) }

// RecipePath returns the path of the recipe's page or, as in RecipePath(r, "/edit"), of
// a page below it.
func RecipePath(r ordering.Recipe, more ...string) string {
	return "/recipes/" + strconv.FormatInt(r.ID, 10) + strings.Join(more, "")
}

// WebAddress reports whether the text is an http or https URL, which may become a link.
func WebAddress(s string) bool {
	u, err := url.Parse(strings.TrimSpace(s))
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}

// ComparePath returns the path of the page that shows the videos side by side.
func ComparePath(ids []int64) string {
	query := url.Values{}
	for _, id := range ids {
		query.Add("id", strconv.FormatInt(id, 10))
	}
	return "/compare?" + query.Encode()
}

// Current returns the aria-current attribute for a link to the current page, and nil
// for other links.
func Current(here bool) templ.Attributes {
	if here {
		return templ.Attributes{"aria-current": "page"}
	}
	return nil
}

// below reports whether the path equals one of the others or lies below one of them.
func below(path string, others []string) bool {
	return slices.ContainsFunc(others, func(o string) bool { return path == o || o != "/" && strings.HasPrefix(path, o+"/") })
}
