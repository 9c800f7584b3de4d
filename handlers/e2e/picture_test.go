package e2e

import (
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// newPictures starts a server with pictures /name.png and /name.jpg, each name in a
// different colour. Any other path is a 404.
func newPictures(t *testing.T) (base string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, ".png"):
			w.Header().Set("Content-Type", "image/png")
			_ = png.Encode(w, drawn(r.URL.Path))
		case strings.HasSuffix(r.URL.Path, ".jpg"):
			w.Header().Set("Content-Type", "image/jpeg")
			_ = jpeg.Encode(w, drawn(r.URL.Path), nil)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// drawn returns a picture with a gradient, which shows how it is cropped.
func drawn(name string) image.Image {
	const width, height = 320, 180
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			picture.Set(x, y, color.RGBA{R: uint8(x * 255 / width), G: uint8(y * 255 / height), B: name[1] * 7, A: 255})
		}
	}
	return picture
}
