package site

import (
	"net/http"
	"strconv"
	"strings"

	"dailies/views/part"
)

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

// takeUndo returns what the page may offer to undo, once.
func (f *Flashes) takeUndo(w http.ResponseWriter, r *http.Request) (*part.Undo, error) {
	undo, err := f.cookies.TakeFlash(w, r, "undo")
	if err != nil || undo == "" {
		return nil, err
	}
	if id, is := strings.CutPrefix(undo, collectionUndo); is {
		return &part.Undo{Collection: id}, nil
	}
	ids := strings.Fields(undo)
	if undo == "bin" {
		ids = nil
	}
	return &part.Undo{IDs: ids, Next: r.URL.RequestURI()}, nil
}
