package site

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// leaveSelection stores the videos selected in a form for the next page of the
// gallery, if the form has the field "selected". Videos that do not fit into the
// cookie are dropped.
func (f *Flashes) leaveSelection(w http.ResponseWriter, r *http.Request, ids []int64) error {
	if r.PostFormValue("selected") == "" {
		return nil
	}
	return f.cookies.SetFlash(w, r, "selected", packIDs(ids))
}

// TakeSelection returns the videos that leaveSelection stored, once.
func (f *Flashes) TakeSelection(w http.ResponseWriter, r *http.Request) ([]int64, error) {
	text, err := f.cookies.TakeFlash(w, r, "selected")
	return unpackIDs(text), err
}

// packIDs encodes ids in at most maxUndo bytes, sorted and as differences, because
// the IDs of one page are close together. It drops the largest IDs if they do not
// fit.
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

// unpackIDs decodes the result of packIDs. It stops at the first invalid field.
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
