package sandbox

import (
	"context"
	"fmt"
	"hash/fnv"
	"image"
	"os"
	"time"

	"dailies/web/videoapi"
	"dailies/web/videoapi/sandbox/film"
)

// renderTimeout bounds how long the rendering of one task delays the others.
const renderTimeout = 15 * time.Minute

// render makes the job's video and cover.
func (w *worker) render(ctx context.Context, j job) (err error) {
	ctx, cancel := context.WithTimeout(ctx, renderTimeout)
	defer cancel()
	// The pictures are untrusted, and decoders have had bugs.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	pictures, err := w.pictures.get(ctx, j.spec.Pictures)
	if err != nil {
		return err
	}
	f := j.film(pictures)
	f.Width, f.Height = shrunk(f.Width, w.shrink), shrunk(f.Height, w.shrink)
	f.Duration = min(f.Duration, w.longest)
	if err := w.files.keep(j.cover, func(out *os.File) error { return f.Cover(out) }); err != nil {
		return fmt.Errorf("cover: %w", err)
	}
	return w.files.keep(j.video, func(out *os.File) error {
		return f.Render(ctx, out, func(share float64) {
			if err := w.jobs.progress(ctx, j, share); err != nil && ctx.Err() == nil {
				w.log.Warn("sandbox: progress", "err", err)
			}
		})
	})
}

// film returns the film that the job describes.
func (j job) film(pictures []image.Image) film.Film {
	f := film.Film{
		Scene:    filmScene(j.spec.Scene, len(pictures)),
		Prompt:   j.spec.Prompt,
		Model:    j.spec.Model,
		Pictures: pictures,
		Duration: time.Duration(j.spec.Seconds) * time.Second,
		Seed:     j.spec.Seed,
	}
	if f.Seed == anySeed { // derive a seed that is the same after a restart
		h := fnv.New32a()
		_, _ = h.Write([]byte(j.id)) // never fails
		f.Seed = int64(h.Sum32())
	}
	if f.Width, f.Height = film.Size(j.spec.Resolution, j.spec.Ratio); j.spec.Ratio == "" && len(pictures) > 0 {
		f.Width, f.Height = film.SizeLike(j.spec.Resolution, pictures[0].Bounds())
	}
	return f
}

// leastSide is the shortest side, in pixels, on which text can be set.
const leastSide = 96

// shrunk divides the side of a film. The result is even and at least leastSide.
func shrunk(side, by int) int { return max(leastSide, side/by/2*2) }

// filmScene returns the film's scene for the number of pictures. Image to video
// with an end image becomes a film that goes from one picture to the other.
func filmScene(s videoapi.Scene, pictures int) string {
	switch {
	case pictures == 0:
		return film.TextToVideo
	case s == videoapi.ReferenceToVideo, pictures > 2:
		return film.ReferenceToVideo
	case pictures == 2:
		return film.FramesToVideo
	}
	return film.ImageToVideo
}
