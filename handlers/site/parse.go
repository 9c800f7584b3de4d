package site

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"dailies/web"
)

// MaxForm bounds the body of a request: far above any honest form.
const MaxForm = 1 << 20

// FormValues are the fields of the request's body, whatever their encoding. A
// body with mistakes in it gives what can be read; one that is too large is an
// error.
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

// ParseID reads a number of the address; 0 if it is none.
func ParseID(text string) int64 {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 0 {
		return 0
	}
	return id
}

// ID is the number in the address.
func ID(r *http.Request) (int64, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil || id <= 0 {
		return 0, web.NotFound()
	}
	return id, nil
}
