package command

import (
	"context"
	"fmt"
	"log/slog"

	"dailies/db/media"
	"dailies/db/media/bucket"
	"dailies/handlers/config"
)

// openBucket opens the bucket for media. It returns nil if the settings name none.
func openBucket(ctx context.Context, c config.Media, log *slog.Logger) (media.Backend, error) {
	if c.Bucket == (bucket.Address{}) {
		return nil, nil
	}
	b, err := bucket.Open(ctx, c.Bucket, c.AccessKey, c.SecretKey, log)
	if err == nil {
		return b, nil
	}
	err = fmt.Errorf("-media %w", err)
	if bucket.IsSetting(err) {
		err = settings(err)
	}
	return nil, err
}

// openMedia opens the media store: the folder "media", or the bucket with the folder
// "cache" as its cache. The cache also holds copies of linked pictures.
func (r *resources) openMedia(ctx context.Context, c config.Media, log *slog.Logger) error {
	b, err := openBucket(ctx, c, log)
	switch {
	case err != nil:
	case b == nil:
		r.media, err = media.Open(r.folder.Path("media"))
	default:
		if r.media, err = media.New(b, r.folder.Path("cache")); err == nil && r.store.IsShared() {
			r.media.IsRemoving = r.store.Files.IsRemoving
		}
	}
	if err == nil {
		r.copies, err = media.OpenCopies(r.folder.Path("cache/linked"), media.CopiesBytes)
	}
	return err
}
