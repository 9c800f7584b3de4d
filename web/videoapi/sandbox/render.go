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

// renderTimeout bounds one task's time at the only render place.
const renderTimeout = 15 * time.Minute

// render makes the job's video and cover.
func (s *Sandbox) render(ctx context.Context, j job) (err error) {
	ctx, cancel := context.WithTimeout(ctx, renderTimeout)
	defer cancel()
	// Pictures are strangers' bytes, and decoders have had bugs.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	pictures, err := s.fetchPictures(ctx, j.spec.Pictures)
	if err != nil {
		return err
	}
	f := j.film(pictures)
	f.Workers = s.workers
	f.Width, f.Height = shrunk(f.Width, s.shrink), shrunk(f.Height, s.shrink)
	f.Duration = min(f.Duration, s.longest)
	err = s.files.keep(j.cover, func(out *os.File) error {
		cover, err := f.Cover()
		if err != nil {
			return err
		}
		_, err = out.Write(cover)
		return err
	})
	if err != nil {
		return fmt.Errorf("cover: %w", err)
	}
	return s.files.keep(j.video, func(out *os.File) error {
		return f.Render(ctx, out, func(share float64) {
			if err := s.progressJob(ctx, j, share); err != nil && ctx.Err() == nil {
				s.log.Warn("sandbox: progress", "err", err)
			}
		})
	})
}

// film returns what the job is to render.
func (j job) film(pictures []image.Image) film.Film {
	f := film.Film{
		Scene:    filmScene(j.spec.Scene, len(pictures)),
		Prompt:   j.spec.Prompt,
		Model:    j.spec.Model,
		Pictures: pictures,
		Duration: time.Duration(j.spec.Seconds) * time.Second,
		Seed:     j.spec.Seed,
	}
	if f.Seed == anySeed {
		f.Seed = seedOf(j.id)
	}
	if f.Width, f.Height = film.Size(j.spec.Resolution, j.spec.Ratio); j.spec.Ratio == "" && len(pictures) > 0 {
		f.Width, f.Height = film.SizeLike(j.spec.Resolution, pictures[0].Bounds())
	}
	return f
}

// leastSide is the shortest side on which type can be set.
const leastSide = 96

// shrunk returns a side divided, but even and not too short.
func shrunk(side, by int) int { return max(leastSide, side/by/2*2) }

// filmScene returns the scene that can show that many pictures: image to video
// with an end image is a way from one picture to another.
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

// seedOf returns a seed of the job's own, the same after a restart.
func seedOf(id string) int64 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // never fails
	return int64(h.Sum32())
}
