package api

import (
	_ "embed" // for the document
	"net/http"
)

// document describes the API in OpenAPI 3.1. It is written by hand; the tests check every
// request and every answer of theirs against it.
//
//go:embed openapi.json
var document []byte

// Document answers with the description of the API. It needs no token, because the
// programs that read it have none, and it says nothing about the team.
func Document(w http.ResponseWriter, r *http.Request) error {
	return sendTaggedBytes(w, r, document)
}
