package api

import (
	_ "embed" // for the document
	"encoding/json"
	"fmt"
	"net/http"
)

// document describes the API in OpenAPI 3.1. It is written by hand; the tests check every
// request and every answer of theirs against it.
//
//go:embed openapi.json
var document []byte

// documentedQueries returns the names of the query parameters of each route with GET, as the
// document has them.
func documentedQueries() map[string][]string {
	var d struct {
		Paths map[string]struct {
			Get *struct {
				Parameters []struct{ Name, In string }
			}
		}
	}
	if err := json.Unmarshal(document, &d); err != nil {
		panic(fmt.Sprintf("openapi.json: %v", err)) // it is part of the program
	}
	queries := map[string][]string{}
	for path, item := range d.Paths {
		if item.Get == nil {
			continue
		}
		names := []string{}
		for _, p := range item.Get.Parameters {
			if p.In == "query" {
				names = append(names, p.Name)
			}
		}
		queries[fmt.Sprintf("GET %s", path)] = names
	}
	return queries
}

// Document answers with the description of the API. It needs no token, because the
// programs that read it have none, and it says nothing about the team.
func Document(w http.ResponseWriter, r *http.Request) error {
	return sendTaggedBytes(w, r, document)
}
