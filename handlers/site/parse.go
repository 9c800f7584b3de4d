package site

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"dailies/web"
)

// MaxForm bounds, in bytes, the body of a request that holds no files.
const MaxForm = 1 << 20

// FormValues returns the fields of the request's body, whatever their
// encoding. From a malformed body it returns what can be read; a body that is
// too large is an error.
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

// ParseID reads an ID, and returns 0 if the text is none.
func ParseID(text string) int64 {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 0 {
		return 0
	}
	return id
}

// ID returns the ID in the path. If there is none, the page does not exist.
func ID(r *http.Request) (int64, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil || id <= 0 {
		return 0, web.NotFound()
	}
	return id, nil
}
