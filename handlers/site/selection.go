package site

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// LeaveSelection keeps the videos that a form selected for the next page of
// the gallery, as far as a cookie holds them, where the form asks for that with
// its field "selected".
func (s *Site) LeaveSelection(w http.ResponseWriter, r *http.Request, ids []int64) error {
	if r.PostFormValue("selected") == "" {
		return nil
	}
	return s.Cookies.Leave(w, r, "selected", packIDs(ids))
}

// TakeSelection returns the videos that LeaveSelection has kept, once.
func (s *Site) TakeSelection(w http.ResponseWriter, r *http.Request) ([]int64, error) {
	text, err := s.Cookies.Take(w, r, "selected")
	return unpackIDs(text), err
}

// packIDs writes ids into at most maxUndo bytes, in order and as differences,
// because the ids of one page are close together.
func packIDs(ids []int64) string {
	var text strings.Builder
	before := int64(0)
	for _, id := range slices.Sorted(slices.Values(ids)) {
		next := strconv.FormatInt(id-before, 36) + " "
		if text.Len()+len(next) > maxUndo {
			break
		}
		text.WriteString(next)
		before = id
	}
	return text.String()
}

// unpackIDs reads what packIDs has written; what it cannot read ends the list.
func unpackIDs(text string) (ids []int64) {
	id := int64(0)
	for _, field := range strings.Fields(text) {
		more, err := strconv.ParseInt(field, 36, 64)
		if err != nil {
			break
		}
		id += more
		ids = append(ids, id)
	}
	return ids
}
