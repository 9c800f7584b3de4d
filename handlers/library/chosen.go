package library

import (
	"net/http"
	"slices"
	"strconv"

	"dailies/handlers/site"
	"dailies/web"
)

// maxChosen limits how many videos one form may name.
const maxChosen = 500

// formIDs returns the IDs of the videos that the form names.
func formIDs(r *http.Request) ([]int64, error) {
	if _, err := site.FormValues(r); err != nil {
		return nil, err
	}
	return parseIDs(r.PostForm["id"])
}

// parseIDs parses the IDs of chosen videos, each once.
func parseIDs(chosen []string) ([]int64, error) {
	switch {
	case len(chosen) == 0:
		return nil, unprocessable(noneChosen)
	case len(chosen) > maxChosen:
		return nil, unprocessable(tooManyChosen(maxChosen))
	}
	var ids []int64
	for _, text := range chosen {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil || id <= 0 {
			return nil, web.NotFound()
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// unprocessable returns the error (422) for a form that cannot be carried out, with the
// message for the user.
func unprocessable(sentence string) error {
	return &web.Error{Status: http.StatusUnprocessableEntity, Message: sentence}
}

// orNotFound returns err, or the error for a missing page if err is nil.
func orNotFound(err error) error {
	if err == nil {
		err = web.NotFound()
	}
	return err
}

// chosenAndOn returns the IDs of the videos that the form names, and whether its "on"
// field is true.
func chosenAndOn(r *http.Request) ([]int64, bool, error) {
	ids, err := formIDs(r)
	if err != nil {
		return nil, false, err
	}
	on, err := strconv.ParseBool(r.PostFormValue("on"))
	if err != nil {
		return nil, false, unprocessable(formBroken)
	}
	return ids, on, nil
}
