package site

import (
	"net/http"

	"dailies/web"
)

// A Room serves the pages that belong together.
type Room interface{ Routes() []Route }

// A Route is a row of a room's table: the requests that it answers, who may send them, and
// examples of them. The mux and all tests that send requests to every route read it.
//
// An example says in what its address differs from the pattern: the values of the wildcards, with
// "/" between them, and the query. Names in braces stand for what a test has made.
type Route struct {
	Pattern string // as http.ServeMux reads it
	Guard   func(web.Handler) web.Handler
	Handler web.Handler
	For     Audience
	// Sender is who sends the examples: "nobody", "ada" (a member), "vi" (a viewer), "half" (between
	// password and code). If it is empty, it is an admin, or nobody if the audience has no session.
	Sender   string
	Examples []Example // none stands for that of the pattern as it is
	// Statuses say what an empty request gets. None stands for one to the pattern as it is: a page is
	// there, a form leads to another page or, if its example has fields, is incomplete without them, and
	// a program needs a token.
	Statuses []Status
}

// An Audience is who may send a request. It stands beside the guard, so that a test fails if the
// guard lets others through.
type Audience string

// The audiences.
const (
	ForAnybody      Audience = "anybody"
	ForLink         Audience = "anybody who has a link"
	ForGuests       Audience = "anybody who has a link and, if it has a password, has given that"
	ForSignedOut    Audience = "anybody without a session" // others are led to a page
	ForViewers      Audience = "everybody who is signed in"
	ForMakers       Audience = "everybody who may make videos"
	ForAdmins       Audience = "admins" // for others there is no such page
	ForAdminsOpenly Audience = "admins; others are told so"
	ForLookTokens   Audience = "programs that may look"
	ForMakeTokens   Audience = "programs that may make videos"
	ForChangeTokens Audience = "programs that may change things"
)

// NeedsToken reports whether only programs may send the request.
func (a Audience) NeedsToken() bool {
	return a == ForLookTokens || a == ForMakeTokens || a == ForChangeTokens
}

// An Example is a request that succeeds.
type Example struct {
	At   string
	Body string // a form, or the JSON of a program
	File string // the field of a picture that is sent with the form; empty for none
}

// A Status is what a request with nothing in its body gets from its audience.
type Status struct {
	At    string
	Code  int
	Owned bool // it is about what others than an admin do not see: they get a 404
}

// On returns the row of the requests that fit the pattern. The guard lets those through who
// may send them.
func On(pattern string, guard func(web.Handler) web.Handler, h web.Handler, may Audience) Route {
	return Route{Pattern: pattern, Guard: guard, Handler: h, For: may}
}

// At adds examples with nothing in their body.
func (r Route) At(ats ...string) Route {
	for _, at := range ats {
		r = r.Sends(at, "")
	}
	return r
}

// Sends adds an example with a form, or with the JSON of a program.
func (r Route) Sends(at, body string) Route { return r.Uploads(at, body, "") }

// Uploads adds an example with a form and a picture in the field.
func (r Route) Uploads(at, form, field string) Route {
	r.Examples = append(r.Examples, Example{at, form, field})
	return r
}

// By says who sends the examples.
func (r Route) By(who string) Route {
	r.Sender = who
	return r
}

// Gets adds the status that empty requests get.
func (r Route) Gets(status int, ats ...string) Route {
	for _, at := range ats {
		r.Statuses = append(r.Statuses, Status{at, status, false})
	}
	return r
}

// OwnerGets is like Gets for requests about what others do not see.
func (r Route) OwnerGets(status int, ats ...string) Route {
	for _, at := range ats {
		r.Statuses = append(r.Statuses, Status{at, status, true})
	}
	return r
}

// RedirectTo returns the handler of the path of an earlier page, which leads to the one that
// has taken its place.
func RedirectTo(path string) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error { return web.SeeOther(w, r, path) }
}
