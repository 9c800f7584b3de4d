package film_test

import (
	"context"
	"image"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"dailies/web/videoapi/sandbox/film"
)

// BenchmarkRender720p5s renders a film of the most common size: words alone, and
// words over a detailed picture.
func BenchmarkRender720p5s(b *testing.B) {
	words := film.Film{Scene: film.TextToVideo, Prompt: "A paper boat crosses the sea at first light", Model: "seedance-2.0"}
	picture := words
	picture.Scene, picture.Pictures = film.ImageToVideo, []image.Image{detailed(1280, 960)}
	b.Run("words", func(b *testing.B) { benchmark(b, words) })
	b.Run("picture", func(b *testing.B) { benchmark(b, picture) })
}

func benchmark(b *testing.B, f film.Film) {
	f.Duration, f.Workers = 5*time.Second, 2
	f.Width, f.Height = film.Size("720p", "16:9")
	out, err := os.Create(filepath.Join(b.TempDir(), "film.webm"))
	if err != nil {
		b.Fatal(err)
	}
	defer out.Close()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := out.Seek(0, 0); err != nil {
			b.Fatal(err)
		}
		if err := f.Render(context.Background(), out, nil); err != nil {
			b.Fatal(err)
		}
	}
	size, err := out.Seek(0, 2)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)*f.Duration.Seconds()*film.FrameRate/b.Elapsed().Seconds(), "frames/s")
	b.ReportMetric(float64(size)/f.Duration.Seconds(), "bytes/videosecond")
}

// detailed returns a picture with a texture like that of photographs.
func detailed(w, h int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(1, 2))
	for range w * h / 300 {
		x, y, size, tone := r.IntN(w), r.IntN(h), 4+r.IntN(60), r.Uint32()
		for yy := y; yy < min(h, y+size); yy++ {
			row := img.Pix[yy*img.Stride:][:img.Stride]
			for i := x * 4; i < min(w, x+size/2)*4; i += 4 {
				n := byte(i*yy*7>>3) & 7
				row[i], row[i+1], row[i+2], row[i+3] = byte(tone)/2+n, byte(tone>>8)/2+n, byte(tone>>16)/2+n, 255
			}
		}
	}
	return img
}
