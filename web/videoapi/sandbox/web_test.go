package sandbox_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"strings"
	"testing/iotest"
)

// A web is a transport that stands for the network from which the sandbox fetches
// pictures.
type web struct {
	late chan struct{} // /late.png is answered once this is closed
}

func (w *web) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Request: r}
	if r.URL.Path == "/late.png" {
		select {
		case <-w.late:
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	switch r.URL.Path {
	case "/wide.png", "/late.png":
		answer.Body = io.NopCloser(bytes.NewReader(drawing(64, 36)))
	case "/tall.png":
		answer.Body = io.NopCloser(bytes.NewReader(drawing(36, 64)))
	case "/page.html":
		answer.Body = io.NopCloser(strings.NewReader("<!doctype html>"))
	case "/huge.png":
		answer.Body = io.NopCloser(io.LimitReader(zeros{}, 21<<20))
	case "/vast.png": // a header of 10,000 by 10,000 pixels
		vast := drawing(1, 1)
		binary.BigEndian.PutUint32(vast[16:], 10_000)
		binary.BigEndian.PutUint32(vast[20:], 10_000)
		binary.BigEndian.PutUint32(vast[29:], crc32.ChecksumIEEE(vast[12:29]))
		answer.Body = io.NopCloser(bytes.NewReader(vast))
	case "/cut.png":
		answer.Body = io.NopCloser(io.MultiReader(bytes.NewReader(drawing(64, 36)[:200]), iotest.ErrReader(io.ErrUnexpectedEOF)))
	case "/unreachable.png":
		return nil, io.ErrUnexpectedEOF
	default:
		answer.StatusCode, answer.Body = http.StatusNotFound, http.NoBody
	}
	return answer, nil
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func drawing(w, h int) []byte {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		img.Set(i%w, i/w, color.RGBA{uint8(i), uint8(i / w * 4), 120, 255})
	}
	var b bytes.Buffer
	_ = png.Encode(&b, img) // writing to a buffer cannot fail
	return b.Bytes()
}
