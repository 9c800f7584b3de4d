package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/naming"
	"dailies/db/program"
	"dailies/db/store/video"
)

// Changes changes and deletes videos.
type Changes struct {
	*Videos
	bin  *video.Bin
	tags *video.Tags
}

// A change is the body of PATCH. Fields that are absent stay as they are.
type change struct {
	Title   *string   `json:"title"`
	Star    *bool     `json:"star"`
	Tags    *[]string `json:"tags"`
	Private *bool     `json:"private"`
}

// Save changes the title, the star and the tags of one's own videos or, with a token that
// may change things, of all that the person may see, and who sees one's own.
func (h *Changes) Save(w http.ResponseWriter, r *http.Request, c Caller) error {
	t, err := h.find(r.Context(), r, c)
	if err != nil {
		return err
	}
	var to change
	if _, err := readBody(w, r, &to); err != nil {
		return err
	}
	if err := to.check(t, c); err != nil {
		return err
	}
	if err := h.save(r.Context(), t, to, c.User); err != nil {
		return err
	}
	if t, err = h.find(r.Context(), r, c); err != nil {
		return err
	}
	return sendJSON(w, http.StatusOK, h.video(r, t))
}

// check reports what the token may not change, and values that do not do.
func (to change) check(t db.Task, c Caller) error {
	own, changes := t.UserID == c.User.ID, c.May.Includes(program.Change)
	switch {
	case !own && !changes, to.Private != nil && !changes:
		return &Problem{Status: http.StatusForbidden, Code: Forbidden, Detail: lookOnly}
	case to.Private != nil && !own:
		return &Problem{Status: http.StatusForbidden, Code: Forbidden, Field: "private", Detail: notOwn}
	case to.Title != nil && !validTitle(*to.Title):
		return wrong("title", oddTitle)
	}
	return nil
}

// validTitle reports whether a title is one line, not too long and not blank to the eye.
func validTitle(title string) bool {
	return utf8.ValidString(title) && utf8.RuneCountInString(title) <= db.MaxTitle && !strings.ContainsAny(title, "\r\n\x00") && (title == "" || !naming.LooksBlank(title))
}

func (h *Changes) save(ctx context.Context, t db.Task, to change, as db.User) error {
	ids := []int64{t.ID}
	if to.Tags != nil {
		names := gallery.TagNames(strings.Join(*to.Tags, "\n"))
		if len(names) != len(*to.Tags) || slices.ContainsFunc(*to.Tags, gallery.IsCut) {
			return wrong("tags", oddTags)
		}
		if _, err := h.tags.TagTasks(ctx, as, ids, names, without(t.Tags, names), db.Now()); errors.Is(err, db.ErrConflict) {
			return wrong("tags", oddTags)
		} else if err != nil {
			return err
		}
	}
	if to.Title != nil {
		if err := h.tasks.TitleTask(ctx, as, t.ID, *to.Title); err != nil {
			return err
		}
	}
	if to.Star != nil {
		if _, err := h.tasks.StarTasks(ctx, as, ids, *to.Star); err != nil {
			return err
		}
	}
	if to.Private != nil {
		if _, err := h.tasks.PrivateTasks(ctx, as, ids, *to.Private); err != nil {
			return err
		}
	}
	return nil
}

// without returns the names that are not among the others.
func without(names, others []string) (rest []string) {
	kept := map[string]bool{}
	for _, name := range others {
		kept[gallery.TagKey(name)] = true
	}
	for _, name := range names {
		if !kept[gallery.TagKey(name)] {
			rest = append(rest, name)
		}
	}
	return rest
}

// Delete puts the video into the bin.
func (h *Changes) Delete(w http.ResponseWriter, r *http.Request, c Caller) error {
	t, err := h.find(r.Context(), r, c)
	if err != nil {
		return err
	}
	deleted, err := h.bin.DeleteTasks(r.Context(), c.User, []int64{t.ID}, db.Now())
	if err != nil {
		return err
	}
	if len(deleted) == 0 {
		if t, err = h.find(r.Context(), r, c); err != nil { // somebody else was faster
			return err
		}
		return stays(t, c.User)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// stays says why the video cannot be deleted.
func stays(t db.Task, u db.User) *Problem {
	if t.DeletableBy(u) {
		return &Problem{Status: http.StatusConflict, Code: Busy, Detail: notOver, Wait: 10}
	}
	return &Problem{Status: http.StatusForbidden, Code: Forbidden, Detail: notOwn}
}
