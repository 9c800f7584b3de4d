package film_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"dailies/web/videoapi/sandbox/film"
)

func TestRenderWritesAFile(t *testing.T) {
	f := film.Film{Scene: film.TextToVideo, Prompt: "A quiet sea", Duration: 2 * time.Second, Width: 64, Height: 48}
	out, err := os.Create(filepath.Join(t.TempDir(), "a.webm"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := f.Render(context.Background(), out, nil); err != nil {
		t.Fatal(err)
	}
}
