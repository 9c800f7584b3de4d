package site

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/media/splice"
	"dailies/db/review"
	"dailies/views/part"
)

// Films knows the moments of videos from the index of their files.
type Films struct {
	log   *slog.Logger
	media *media.Store
}

// A Film is a video whose moments are known.
type Film struct {
	Length int64 // milliseconds
	review.Film
	frame func(ms int64) int
}

// unread is how much longer than requested a video may be whose index cannot be read, in
// milliseconds.
const unread = 1000

// Of reads the index of the video's file. If that is not possible, the moments are those of
// the length that was requested, and frames are not known.
func (f *Films) Of(ctx context.Context, t db.Task) Film {
	film := Film{Length: int64(t.Options.Duration)*1000 + unread, frame: func(int64) int { return -1 }}
	film.Title, film.Rate = t.Heading(), review.RateOf(0, 0)
	m, here := t.Video()
	if here {
		film.File = m.Title(t.Heading())
		if err := f.read(ctx, m, &film); err != nil {
			f.log.Debug("the index of a video cannot be read", "task", t.ID, "err", err)
		}
	}
	if film.Frames == 0 {
		film.Frames = max(1, film.Rate.FrameAt(film.Length))
	}
	return film
}

func (f *Films) read(ctx context.Context, m db.Media, film *Film) error {
	file, err := f.media.Whole(ctx, m.Hash, m.Size)
	if err != nil {
		return err
	}
	defer file.Close()
	index, err := splice.Inspect(file, m.Size)
	if index == nil || index.Frames() == 0 {
		return err
	}
	film.Length = index.Length().Milliseconds() + 1 // the last moment of a player is rounded up
	film.Width, film.Height = index.Width, index.Height
	film.frame = func(ms int64) int { return index.FrameAt(time.Duration(ms) * time.Millisecond) }
	film.pace(index)
	return nil
}

// pace sets the rate of the film. If its frames are not shown at that rate, each has a time.
func (film *Film) pace(index *splice.Index) {
	n := index.Frames()
	first := index.Time(0)
	length := index.Time(n) - first
	film.Frames, film.Rate = int64(n), review.RateOf(n, length)
	if usual := index.UsualLength(); index.Varies() && usual > 0 {
		film.Rate = review.RateOf(1, usual)
	}
	if !index.Varies() && film.Rate.Fits(n-1, index.Time(n-1)-first) {
		return
	}
	film.Frames = max(1, film.Rate.FrameAt(length.Milliseconds()))
	for i := range n {
		film.Times = append(film.Times, index.Time(i)-first)
	}
}

// ReadNote reads the note in the request's form, which must have been parsed, about a moment
// of the video. It returns the form as it was filled in, with a sentence if it is not valid.
func (f *Films) ReadNote(r *http.Request, t db.Task, form part.NoteForm) (review.Note, part.NoteForm) {
	ReadForm(r, &form.Body, &form.At, &form.Until)
	form.Mark, form.ReplyTo, form.Internal = r.PostForm.Get("mark"), ParseID(r.PostForm.Get("parent")), r.PostForm.Get("internal") != ""
	n := review.Note{TaskID: t.ID, ParentID: form.ReplyTo, Internal: form.Internal, Body: form.Body.Value, CreatedAt: db.Now()}
	if form.Body.Error != "" || n.IsReply() {
		return n, form
	}
	n.Position, form.Body.Error = f.position(r.Context(), t, form)
	if form.Body.Error != "" {
		return n, form
	}
	mark, err := review.ParseMark(form.Mark)
	if err != nil {
		form.Body.Error, form.Mark = part.NoteMark, ""
	}
	n.Mark = mark
	return n, form
}

// position reads the moment or the span that the form names, and finds its frame.
func (f *Films) position(ctx context.Context, t db.Task, form part.NoteForm) (p review.Position, sentence string) {
	if sentence := cmp.Or(form.At.Error, form.Until.Error); sentence != "" {
		return p, sentence
	}
	at, _ := review.ParseTime(form.At.Value)
	until, _ := review.ParseTime(form.Until.Value)
	film := f.Of(ctx, t)
	if max(at, until) > film.Length {
		return p, part.BeyondEnd(film.Length)
	}
	return review.Position{At: at, Until: until, Frame: film.frame(at)}, ""
}
