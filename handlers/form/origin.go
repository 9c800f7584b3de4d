package form

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"dailies/db"
	"dailies/db/cast"
	"dailies/db/option"
	"dailies/db/review"
	"dailies/handlers/picture"
	"dailies/handlers/site"
	"dailies/web/videoapi"
)

// Parent returns the task with the ID if the viewer may reuse it, and otherwise nil.
func (h *Making) Parent(r *http.Request, id int64) (*db.Task, error) {
	if id == 0 {
		return nil, nil
	}
	t, err := h.tasks.Task(r.Context(), id)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	case !t.VisibleTo(site.Me(r).ID) || !t.DeletedAt.IsZero() && !t.Private:
		// A private video that was deleted meanwhile is kept as the parent, so that
		// the new video stays private.
		return nil, nil
	}
	return &t, nil
}

// Taken returns a form with what use takes over from the task.
func (h *Making) Taken(ctx context.Context, t db.Task, use db.Reuse) (f Form, err error) {
	t, changed, err := h.Press.AsTyped(ctx, t)
	if err != nil {
		return f, err
	}
	t.Prompt = strings.TrimSpace(site.PlainText(t.Prompt))
	switch use {
	case db.Reseeded:
		t.Options.Seed = nil
	case db.Prompted:
		t = db.Task{Request: db.Request{Scene: t.Scene, Prompt: t.Prompt}}
	case db.Pictured:
		t = db.Task{Request: db.Request{Scene: t.Scene, Pictures: t.Pictures}}
	case db.Finalized:
		if full, ok := h.catalog.Final(t.Model, videoapi.Scene(t.Scene)); ok {
			t.Model = full.ID
		}
	case db.Continued: // the picture is in the URL, and decides the shape
		t.Options.Seed, t.Pictures = nil, nil
		t.Options.AspectRatio, t.Options.Shape = "", option.ChosenShape
	}
	f = FormOf(t, h.catalog)
	f.Casting.Then = changed && use != db.Continued && use != db.Pictured
	return f, nil
}

// Without takes the pictures of the cast member out of the form that was taken from the task: the
// service refused them.
func (h *Making) Without(ctx context.Context, t db.Task, memberID int64, f *Form) error {
	if memberID == 0 {
		return nil
	}
	others, removed, err := h.Press.Without(ctx, t, memberID)
	if err != nil {
		return err
	}
	f.Pictures = slices.DeleteFunc(f.Pictures, func(p string) bool { return slices.Contains(removed, p) })
	if slices.Contains(removed, f.EndPicture) {
		f.EndPicture = ""
	}
	if f.scene() == videoapi.ReferenceToVideo {
		f.Casting.Choose, f.Casting.Chosen = true, []cast.Choice{}
		for _, text := range FirstValues(others) {
			if c, ok := cast.ParseChoice(text); ok {
				f.Casting.Chosen = append(f.Casting.Chosen, c)
			}
		}
	}
	return nil
}

// SettleParent loads the task that the form reuses. It clears From and Use if the
// viewer may not see that task or if it lacks what Use needs.
func (h *Making) SettleParent(r *http.Request, f *Form) error {
	if f.Parent != nil || f.Use == db.NoReuse {
		return nil
	}
	t, err := h.Parent(r, f.From)
	if err != nil {
		return err
	}
	if t == nil || !canReuse(*t, f.Use) {
		f.From, f.Use, f.NoteIDs = 0, db.NoReuse, nil
		return nil
	}
	as, _, err := h.Press.AsTyped(r.Context(), *t)
	if err != nil {
		return err
	}
	if f.Parent, f.Use = t, h.reuse(as, *f); f.Use == db.Answered {
		return h.settleNotes(r, f)
	}
	return nil
}

// settleNotes loads the notes that the form answers, and counts the takes.
func (h *Making) settleNotes(r *http.Request, f *Form) error {
	takes, err := h.takes.Of(r.Context(), site.Me(r).ID, f.Parent.Stack)
	if err != nil {
		return err
	}
	f.Take = max(1, len(takes)) + 1
	if len(f.NoteIDs) == 0 {
		return nil
	}
	all, err := h.notes.Of(r.Context(), f.Parent.ID)
	for _, n := range all {
		if !n.IsReply() && !n.IsWordless() && slices.Contains(f.NoteIDs, n.ID) {
			f.Notes = append(f.Notes, n)
		}
	}
	return err
}

// canReuse reports whether the task has what use takes over.
func canReuse(t db.Task, use db.Reuse) bool {
	switch use {
	case db.Prompted:
		return t.Prompt != ""
	case db.Pictured:
		return len(t.Pictures) > 0
	case db.Continued:
		return t.State == db.Success
	}
	return true
}

// reuse returns how the form relates to the task that it reuses. It is the final
// version of a draft only if it uses the full model that belongs to the draft's
// model, whichever button opened the form.
func (h *Making) reuse(t db.Task, f Form) db.Reuse {
	full, ok := h.catalog.Final(t.Model, f.scene())
	final := ok && t.State == db.Success && full.ID == f.Model
	switch {
	case f.Use == db.Finalized && !final:
		return db.Copied
	case f.Use == db.Copied && final && t.Prompt == f.Prompt && slices.Equal(t.Pictures, picture.WithoutGaps(f.AllPictures())):
		return db.Finalized
	}
	return f.Use
}

// InsertNote puts the words of the note into the form's prompt, if the form answers it.
func (h *Making) InsertNote(r *http.Request, f *Form, id int64) error {
	if id == 0 {
		return nil
	}
	if err := h.SettleParent(r, f); err != nil {
		return err
	}
	at := slices.IndexFunc(f.Notes, func(n review.Note) bool { return n.ID == id })
	if at >= 0 && !strings.Contains(f.Prompt, f.Notes[at].Body) {
		f.Prompt = strings.TrimSpace(f.Prompt + "\n" + f.Notes[at].Body)
	}
	return nil
}
