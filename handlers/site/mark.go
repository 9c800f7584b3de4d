package site

import (
	"context"
	"errors"
	"slices"

	"dailies/db"
	"dailies/db/media/splice"
)

// Marks returns the task with the marks that its videos carry. Those of videos that were
// stored before marks were recorded are read from the files, and recorded. If that fails,
// they stay unknown until the next time.
func (s *StoredFiles) Marks(ctx context.Context, t db.Task) db.Task {
	unread := func(m db.Media) bool { return m.Kind == db.Video && m.Marks == "" && m.LostAt.IsZero() }
	if !slices.ContainsFunc(t.Media, unread) {
		return t
	}
	t.Media = slices.Clone(t.Media)
	reading, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	for i := range t.Media {
		m := &t.Media[i]
		if !unread(*m) {
			continue
		}
		err := s.readMarks(reading, m)
		if err == nil {
			err = s.files.SetMarks(ctx, *m)
		}
		if err != nil && !errors.Is(err, db.ErrUnavailable) && reading.Err() == nil {
			s.log.Error("cannot record the marks of a video", "media", m.ID, "err", err)
		}
	}
	return t
}

func (s *StoredFiles) readMarks(ctx context.Context, m *db.Media) error {
	file, err := s.media.Whole(ctx, m.Hash, m.Size)
	if err != nil {
		return err
	}
	defer file.Close()
	found, err := splice.ReadMarks(file, m.Size)
	if err == nil {
		m.Marks = db.MarksOf(found.Label, found.Credentials)
	}
	return err
}
