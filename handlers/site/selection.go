package site

import (
	"net/http"
	"slices"
	"strconv"

	"dailies/views/input"
	"dailies/web"
)

// MaxChosen limits how many videos one form may name.
const MaxChosen = 500

// FormIDs returns the IDs of the videos that the form names.
func FormIDs(r *http.Request) ([]int64, error) {
	if _, err := FormValues(r); err != nil {
		return nil, err
	}
	return ParseIDs(r.PostForm["id"])
}

// ParseIDs parses the IDs of chosen videos, each once.
func ParseIDs(chosen []string) ([]int64, error) {
	rules := input.Rules{input.Min(1, noneChosen), input.Max(MaxChosen, tooManyChosen(MaxChosen))}
	if sentence := Broken(chosen, rules); sentence != "" {
		return nil, Unprocessable(sentence)
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

// Unprocessable returns the error (422) for a form that cannot be carried out, with the
// message for the user.
func Unprocessable(sentence string) error {
	return &web.Error{Status: http.StatusUnprocessableEntity, Message: sentence}
}

// OrNotFound returns err, or the error for a missing page if err is nil.
func OrNotFound(err error) error {
	if err == nil {
		err = web.NotFound()
	}
	return err
}

// ChosenAndOn returns the IDs of the videos that the form names, and whether its "on"
// field is true.
func ChosenAndOn(r *http.Request) ([]int64, bool, error) {
	ids, err := FormIDs(r)
	if err != nil {
		return nil, false, err
	}
	on, err := strconv.ParseBool(r.PostFormValue("on"))
	if err != nil {
		return nil, false, Unprocessable(formBroken)
	}
	return ids, on, nil
}
