package watch

import (
	"context"
	"errors"
	"fmt"
	"io"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/media/splice"
)

// numberLength is how many hex digits of a file's hash are in the number that the team gives
// a video.
const numberLength = 16

// label returns the change that adds the team's label to a video while it is saved, or nil
// if the team has none. A file that cannot be labelled stays as it came. The number in the
// label depends only on the task and the file: whenever saving begins again, it stores the
// same bytes.
func (b *booking) label(ctx context.Context, m *db.Media) (media.Change, error) {
	if m.Kind != db.Video {
		return nil, nil
	}
	labels, err := b.Store.Settings.Labels(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnknown, err)
	}
	if labels.Producer == "" {
		return nil, nil
	}
	return func(file io.ReaderAt, size int64, hash string) (io.WriterTo, error) {
		b.labels.Lock()
		defer b.labels.Unlock()
		with, err := splice.Label(file, size, labels.Label(fmt.Sprintf("%d-%s", b.task, hash[:numberLength])))
		if errors.Is(err, splice.ErrNoLabel) {
			b.Log.Info("a video is saved without the team's label", "task", b.task, "why", err)
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		m.Marks = db.LabelMark
		return with, nil
	}, nil
}
