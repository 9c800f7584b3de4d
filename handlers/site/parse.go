package site

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"dailies/web"
)

// MaxForm limits the body, in bytes, of a request without files.
const MaxForm = 1 << 20

// FormValues returns the fields of the request's body, URL-encoded or multipart. From a
// malformed body it returns what can be read; a body that is too large is an error.
func FormValues(r *http.Request) (url.Values, error) {
	var tooLarge *http.MaxBytesError
	err := r.ParseForm()
	if err == nil {
		err = r.ParseMultipartForm(MaxForm)
	}
	if errors.As(err, &tooLarge) {
		return nil, err
	}
	return r.Form, nil
}

// ParseID parses an ID, and returns 0 if the text is not one.
func ParseID(text string) int64 {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 0 {
		return 0
	}
	return id
}

// ID returns the ID in the path, or a 404 error if it is invalid.
func ID(r *http.Request) (int64, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil || id <= 0 {
		return 0, web.NotFound()
	}
	return id, nil
}

// ByID returns a handler that calls h with the ID in the path, and answers 404 if that
// is invalid.
func ByID(h func(http.ResponseWriter, *http.Request, int64) error) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		id, err := ID(r)
		if err != nil {
			return err
		}
		return h(w, r, id)
	}
}
