package api

import (
	"bytes"
	_ "embed" // for the document
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"dailies/db/program"
	accountview "dailies/views/account"
)

// ShowGuide shows people the document, with examples.
func (a *API) ShowGuide(w http.ResponseWriter, r *http.Request) error {
	sections, err := sections()
	if err != nil {
		return err
	}
	origin := a.network.Origin(r)
	return a.pages.Draw(w, r, http.StatusOK, "API", accountview.ShowAPI(origin, sections))
}

// sections returns the operations of the document by their tags, in its order.
var sections = sync.OnceValues(func() (all []accountview.Section, err error) {
	var d struct {
		Security []security      `json:"security"`
		Tags     []tag           `json:"tags"`
		Paths    json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(document, &d); err != nil {
		return nil, err
	}
	byTag := map[string]int{}
	for i, t := range d.Tags {
		byTag[t.Name] = i
		all = append(all, accountview.Section{Name: t.Name, About: t.Description})
	}
	err = eachOperation(d.Paths, func(address string, o operation) {
		if o.Security == nil {
			o.Security = d.Security
		}
		in := &all[byTag[o.Tags[0]]]
		in.Operations = append(in.Operations, accountview.Operation{Address: address, Does: o.Summary, Needs: o.needs()})
	})
	return all, err
})

// eachOperation calls the function with each operation of the paths in their order, which
// a map would lose.
func eachOperation(paths []byte, do func(address string, o operation)) error {
	d := json.NewDecoder(bytes.NewReader(paths))
	if _, err := d.Token(); err != nil { // the opening brace
		return err
	}
	for d.More() {
		path, err := d.Token()
		if err != nil {
			return err
		}
		var item map[string]json.RawMessage
		if err := d.Decode(&item); err != nil {
			return err
		}
		for _, method := range []string{"get", "post", "patch", "delete"} {
			var o operation
			if item[method] == nil {
				continue
			}
			if err := json.Unmarshal(item[method], &o); err != nil {
				return err
			}
			do(fmt.Sprintf("%s %s", strings.ToUpper(method), path), o)
		}
	}
	return nil
}

// A tag names a section of the document.
type tag struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// An operation describes a method of a path in the document.
type operation struct {
	Summary  string     `json:"summary"`
	Tags     []string   `json:"tags"`
	Security []security `json:"security"`
}

// A security is the permissions of the token that a request needs.
type security struct {
	Token []program.Permission `json:"token"`
}

// needs returns the permission that the operation needs; it is empty if it needs none.
func (o operation) needs() program.Permission {
	for _, s := range o.Security {
		for _, p := range s.Token {
			return p
		}
	}
	return ""
}

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
