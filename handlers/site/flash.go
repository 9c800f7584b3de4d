package site

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"dailies/views/part"
	"dailies/web"
)

// Flashes keeps what a request leaves for the next page in cookies: a message, the
// selected videos, and those for which a change can be undone.
type Flashes struct{ cookies *web.Cookies }

// Say leaves a message.
func (f *Flashes) Say(w http.ResponseWriter, r *http.Request, message string) error {
	const longest = 600 // fits into a cookie in any script
	return f.cookies.SetFlash(w, r, "flash", Clip(message, longest))
}

// fill moves what earlier requests have left for the page into its frame.
func (f *Flashes) fill(w http.ResponseWriter, r *http.Request, frame *part.Frame) (err error) {
	if frame.Flash, err = f.cookies.TakeFlash(w, r, "flash"); err != nil {
		return err
	}
	if frame.Sent, err = f.cookies.TakeFlash(w, r, "sent"); err != nil {
		return err
	}
	frame.Undo, err = f.takeUndo(w, r)
	return err
}

// maxUndo limits the bytes of IDs in the cookie.
const maxUndo = 1200

// collectionUndo is the prefix of a deleted collection's ID in the cookie.
const collectionUndo = "collection "

// LeaveUndo makes the next page offer to restore the deleted videos. If a cookie
// cannot hold so many IDs, the page offers a link to the bin instead.
func (f *Flashes) LeaveUndo(w http.ResponseWriter, r *http.Request, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = strconv.FormatInt(id, 10)
	}
	undo := strings.Join(texts, " ")
	if len(undo) > maxUndo {
		undo = "bin"
	}
	return f.cookies.SetFlash(w, r, "undo", undo)
}

// LeaveCollectionUndo makes the next page offer to restore the deleted collection.
func (f *Flashes) LeaveCollectionUndo(w http.ResponseWriter, r *http.Request, id int64) error {
	return f.cookies.SetFlash(w, r, "undo", collectionUndo+strconv.FormatInt(id, 10))
}

// changeUndo is the prefix of a form that undoes a change, in the cookie.
const changeUndo = "change "

// LeaveChange makes the next page offer to undo a change, by sending the values to the
// path.
func (f *Flashes) LeaveChange(w http.ResponseWriter, r *http.Request, path string, values url.Values) error {
	return f.cookies.SetFlash(w, r, "undo", changeUndo+path+"?"+values.Encode())
}

// takeUndo returns what the page may offer to undo, once.
func (f *Flashes) takeUndo(w http.ResponseWriter, r *http.Request) (*part.Undo, error) {
	undo, err := f.cookies.TakeFlash(w, r, "undo")
	if err != nil || undo == "" {
		return nil, err
	}
	if id, is := strings.CutPrefix(undo, collectionUndo); is {
		return &part.Undo{Collection: id}, nil
	}
	if form, is := strings.CutPrefix(undo, changeUndo); is {
		path, query, _ := strings.Cut(form, "?")
		values, err := url.ParseQuery(query)
		return &part.Undo{Path: path, Values: values}, err
	}
	ids := strings.Fields(undo)
	if undo == "bin" {
		ids = nil
	}
	return &part.Undo{IDs: ids, Next: r.URL.RequestURI()}, nil
}

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
