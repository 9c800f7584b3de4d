package handlers_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/handlers/handlerstest"
	"dailies/handlers/site"
	"dailies/web/htmltest"
)

// offered returns the requests that a page's links and forms can send, such as "POST
// /tasks/tag".
func offered(a *handlerstest.Answer) (requests []string) {
	add := func(method, address string) {
		if u, err := url.Parse(address); err == nil && u.Host == "" && u.Path != "" {
			requests = append(requests, method+" "+u.Path)
		}
	}
	root := a.Root()
	for _, n := range htmltest.All(root, "a") {
		add("GET", htmltest.Attr(n, "href"))
	}
	for _, n := range htmltest.All(root, "form") {
		add(strings.ToUpper(htmltest.Attr(n, "method")), htmltest.Attr(n, "action"))
	}
	for _, n := range htmltest.All(root, "button") {
		if htmltest.Attr(n, "formmethod") == "get" {
			add("GET", htmltest.Attr(n, "formaction"))
		} else {
			add("POST", htmltest.Attr(n, "formaction"))
		}
	}
	for _, tag := range []string{"form", "button", "input", "li", "section", "div"} {
		for _, n := range htmltest.All(root, tag) {
			add("POST", htmltest.Attr(n, "hx-post"))
			add("GET", htmltest.Attr(n, "hx-get"))
			add("POST", htmltest.Attr(n, "data-poster"))
		}
	}
	return requests
}

// The viewer has made videos earlier, of which some are private and one is
// unconfirmed. No page offers a viewer a request that would be refused.
func TestPagesOfferViewersNothingThatTheyAreRefused(t *testing.T) {
	h := handlerstest.New(t)
	founder := h.Founder(t)
	vi := h.Joiner(t, founder, "vi")
	film, own := h.KeptFilm(t, 1, "of the team"), h.KeptFilm(t, 2, "their own")
	failed, unknown := h.AddTask(t, 2, db.Failed), h.AddTask(t, 2, db.Unconfirmed)
	collection := h.AddCollection(t, 1)
	for _, task := range []db.Task{film, own} {
		vi.Post("/collections/add", url.Values{"id": {fmt.Sprint(task.ID)}, "name": {collection.Name}}).Is(303)
		vi.Post("/tasks/tag", url.Values{"id": {fmt.Sprint(task.ID)}, "add": {"night"}}).Is(303)
		vi.Share(fmt.Sprintf("/tasks/%d", task.ID), "")
	}
	pages := []string{"/gallery", "/gallery?status=all&who=me", "/collections", fmt.Sprintf("/collections/%d", collection.ID), "/usage", "/settings", "/keys", "/no-such-page", "/gallery?q=nothing-like-it"}
	for _, task := range []db.Task{film, own, failed, unknown} {
		pages = append(pages, fmt.Sprintf("/tasks/%d", task.ID), fmt.Sprintf("/tasks/%d/share", task.ID), fmt.Sprintf("/gallery/menu?id=%d", task.ID), fmt.Sprintf("/gallery/takes?id=%d", task.ID))
	}
	pages = append(pages, fmt.Sprintf("/compare?id=%d&id=%d", film.ID, own.ID), fmt.Sprintf("/story/%d", film.ID), fmt.Sprintf("/story/%d/share", film.ID), fmt.Sprintf("/collections/%d/share", collection.ID))

	patterns, audience := http.NewServeMux(), map[string]site.Audience{}
	for _, row := range h.App.Routes() {
		patterns.Handle(row.Pattern, http.NotFoundHandler())
		audience[row.Pattern] = row.For
	}
	refused := func() (found []string) {
		for _, page := range pages {
			for _, request := range offered(vi.Get(page)) {
				method, path, _ := strings.Cut(request, " ")
				_, pattern := patterns.Handler(&http.Request{Method: method, URL: &url.URL{Path: path}})
				if audience[pattern] == site.ForMakers {
					found = append(found, page+" offers "+request)
				}
			}
		}
		return found
	}
	if n := len(refused()); n < 30 {
		t.Fatalf("a member is offered only %d requests: what is looked for is not found", n)
	}
	must(t, h.Store.Members.SetRole(t.Context(), 2, db.Viewer, db.Now()))
	for _, one := range refused() {
		t.Error(one)
	}
	vi.Get("/").Is(303).LeadsTo("/gallery")
	vi.Get("/create/text-to-video").Is(403).Shows("You can watch here")
	vi.Post("/tasks/star", url.Values{"id": {fmt.Sprint(film.ID)}, "on": {"true"}}).Is(303)
	vi.Get(fmt.Sprintf("/tasks/%d", film.ID)).Is(200).Shows("Download")
	vi.Get(fmt.Sprintf("/tasks/%d/share", film.ID)).Is(200).Has("[data-copy]")
}

// Whoever sends a form slowly is authorised before its end arrives.
func TestASlowFormOfSomebodyWhoBecameAViewerChangesNothing(t *testing.T) {
	h := handlerstest.New(t)
	founder := h.Founder(t)
	bo := h.Joiner(t, founder, "bo")
	film := h.KeptFilm(t, 1, "of the team")
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	for path, form := range map[string]string{
		"/collections":     "name=Trailer",
		"/tasks/tag":       fmt.Sprintf("id=%d&add=late", film.ID),
		"/collections/add": fmt.Sprintf("id=%d&name=Late", film.ID),
	} {
		must(t, h.Store.Members.SetRole(t.Context(), 2, db.Member, db.Now()))
		body, rest := io.Pipe()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL+path, body)
		must(t, err)
		r.ContentLength = int64(len(form))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for _, c := range bo.Jar.Cookies(r.URL) {
			r.AddCookie(c)
		}
		answered := make(chan int, 1)
		go func() {
			resp, err := transport.RoundTrip(r)
			if err != nil {
				answered <- 0
				return
			}
			resp.Body.Close()
			answered <- resp.StatusCode
		}()
		_, err = rest.Write([]byte(form[:5]))
		must(t, err)
		time.Sleep(100 * time.Millisecond) // until the request has been authorised
		must(t, h.Store.Members.SetRole(t.Context(), 2, db.Viewer, db.Now()))
		_, err = rest.Write([]byte(form[5:]))
		must(t, err)
		rest.Close()
		if status := <-answered; status != http.StatusNotFound {
			t.Errorf("%s: %d", path, status)
		}
	}
	if all, err := h.Store.Collections.CollectionNames(t.Context(), 10); err != nil || len(all) != 0 {
		t.Errorf("collections: %v, %v", all, err)
	}
}
