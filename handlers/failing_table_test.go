package handlers_test

import (
	"dailies/handlers"
	"dailies/handlers/handlerstest"
)

// A tolerated says in what the answer to an example may differ from the usual one if a call of
// the database fails meanwhile.
type tolerated struct {
	or     string // another place where the answer may lead
	loses  string // tables in which a write may be lost
	varies bool   // the page may lack something
	once   bool   // sent a second time, it may be refused
}

// tolerations has them by the names of the examples, each with its reason.
var tolerations = map[string]tolerated{
	// The sandbox key can be made later.
	"POST /setup?token=open-sesame":                                             {or: "/login", loses: "keys audit"},
	"POST /join/{join} name=Bo&email=bo@example.com&password=a+long+enough+one": {or: "/login", loses: "keys audit"},
	// The refusal is logged in any case.
	"POST /login email=kim@example.com&password=wrong": {loses: "audit"},
	"POST /login/passkey":                              {loses: "audit"},

	"POST /login/code code={code}": {once: true},     // a code works once
	"GET /tasks/{film}":            {loses: "media"}, // the marks of the file are read again by the next request
	// The name of a picture, which is looked at over its address instead.
	"POST /pictures?scene=image-to-video file.image_input.0": {varies: true},
	"GET /cast/{member}/edit":                                {varies: true},
	// Whether another process is answering is known after five seconds.
	`POST /api/v1/videos {"scene":"text-to-video","model":"seedance-2.0","prompt":"a …`: {
		loses: "program_requests", once: true,
	},
	`POST /api/v1/recipes/{recipe}/videos {"blanks":{"product":"cup","place":"oak"},"max_credits":30}`: {
		loses: "program_requests", once: true,
	},
	`POST /api/ai/generate {"mediaType":"video","scene":"text-to-video","model":"seedan…`: {loses: "program_requests", once: true},
}

// examplesOf returns the examples of all routes.
func examplesOf(app *handlers.App) (all []exampleRequest) {
	for _, row := range app.Routes() {
		for _, e := range handlerstest.Examples(row) {
			r := exampleRequest{
				pattern: row.Pattern, path: handlerstest.Path(row, e.At), form: e.Body, file: e.File,
				who: handlerstest.Sender(row),
			}
			r.tolerated = tolerations[r.name()]
			if row.For.NeedsToken() {
				r.loses += " programs" // the last use of a token is recorded with the next request
			}
			all = append(all, r)
		}
	}
	return all
}

func (f *failing) examples() []exampleRequest { return examplesOf(f.App) }
