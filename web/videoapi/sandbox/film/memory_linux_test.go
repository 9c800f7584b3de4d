package film_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"dailies/web/picture"
	"dailies/web/videoapi/sandbox/film"
)

// pictureFile is the environment variable that names the picture for the film of
// a child process. If it is empty, the film has words only.
const pictureFile = "DAILIES_FILM_PICTURE"

// TestRenderInAProcessOfItsOwn does nothing unless BenchmarkMemory1080p starts it
// in a child process.
func TestRenderInAProcessOfItsOwn(t *testing.T) {
	name, ok := os.LookupEnv(pictureFile)
	if !ok {
		t.Skip("only as a child of BenchmarkMemory1080p")
	}
	f := film.Film{Scene: film.TextToVideo, Prompt: "A paper boat crosses the sea at first light", Duration: 15 * time.Second, Workers: 2}
	f.Width, f.Height = film.Size("1080p", "16:9")
	if name != "" {
		in, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		picture, err := picture.Draw(in, 1920, 400<<20)
		if err != nil {
			t.Fatal(err)
		}
		f.Scene, f.Pictures = film.ImageToVideo, []image.Image{picture}
	}
	out, err := os.Create(filepath.Join(t.TempDir(), "film.webm"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := f.Render(context.Background(), out, nil); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkMemory1080p reports the peak memory of a child process that renders 15
// seconds at 1080p.
func BenchmarkMemory1080p(b *testing.B) {
	for name, encode := range map[string]func(io.Writer) error{
		"words":     nil,
		"jpeg 12MP": func(w io.Writer) error { return jpeg.Encode(w, large(4000, 3000), nil) },
		"jpeg 49MP": func(w io.Writer) error { return jpeg.Encode(w, large(8192, 6000), nil) },
		"png 49MP":  func(w io.Writer) error { return png.Encode(w, large(8192, 6000)) },
	} {
		b.Run(name, func(b *testing.B) {
			file := ""
			if encode != nil {
				var picture bytes.Buffer
				if err := encode(&picture); err != nil {
					b.Fatal(err)
				}
				file = filepath.Join(b.TempDir(), "picture")
				if err := os.WriteFile(file, picture.Bytes(), 0o600); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
				child := exec.CommandContext(b.Context(), os.Args[0], "-test.run=^TestRenderInAProcessOfItsOwn$")
				child.Env = append(os.Environ(), pictureFile+"="+file)
				if text, err := child.CombinedOutput(); err != nil {
					b.Fatalf("%v: %s", err, text)
				}
				usage, ok := child.ProcessState.SysUsage().(*syscall.Rusage)
				if !ok {
					b.Skip("this system does not say")
				}
				b.ReportMetric(float64(usage.Maxrss)/1024, "peakMB") // kilobytes on Linux
			}
		})
	}
}

// A gradient is a picture whose pixels are computed when they are read, so that
// it needs no memory.
type gradient image.Rectangle

func large(w, h int) gradient { return gradient(image.Rect(0, 0, w, h)) }

func (p gradient) ColorModel() color.Model { return color.NRGBAModel }
func (p gradient) Bounds() image.Rectangle { return image.Rectangle(p) }
func (p gradient) At(x, y int) color.Color {
	return color.NRGBA{byte(x >> 4), byte(y >> 4), byte(x * y >> 12), 255}
}
