package web

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"

	"dailies/web/accept"
)

// Responses below pageMinSize bytes fit into a packet anyway.
const pageMinSize = 512

// Browsers poll fragments of pages every other second. At fragmentLevel these become
// a little larger for much less CPU time. Fragments below fragmentMinSize bytes, which
// fit into a few packets anyway, are not compressed.
const (
	fragmentLevel   = 3
	fragmentMinSize = 4 << 10
)

// Compress compresses text responses. It leaves videos and pictures alone, which do
// not get smaller and are requested in ranges. It offers only gzip, because pages
// compressed with zstd are larger. Whole pages for clients that accept brotli arrive
// compressed already; see squeeze.
func Compress() (Middleware, error) {
	whole, err := compressor(gzip.DefaultCompression, pageMinSize)
	if err != nil {
		return nil, err
	}
	part, err := compressor(fragmentLevel, fragmentMinSize)
	if err != nil {
		return nil, err
	}
	return func(next http.Handler) http.Handler {
		whole, part := whole(next), part(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("HX-Request-Type") == "partial" {
				part.ServeHTTP(w, r)
				return
			}
			whole.ServeHTTP(w, r)
		})
	}, nil
}

// compressor returns a function that wraps handlers so that their responses are
// compressed if they have at least least bytes.
func compressor(level, least int) (func(http.Handler) http.HandlerFunc, error) {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(least), gzhttp.EnableZstd(false), gzhttp.CompressionLevel(level),
		gzhttp.ExceptContentTypes([]string{"video/webm", "video/mp4", "video/quicktime", "video/x-matroska",
			"video/mp2t", "image/jpeg", "image/png", "image/webp", "image/gif", "application/zip"}))
	if err != nil {
		return nil, fmt.Errorf("compression: %w", err)
	}
	return wrap, nil
}

// AsIs tells Compress to leave this response uncompressed.
func AsIs(w http.ResponseWriter) { w.Header().Set(gzhttp.HeaderNoCompression, "1") }

// squeezers holds writers that compress pages with brotli. The level is the first at which
// pages become clearly smaller than with gzip; higher ones take longer for little. The
// window of 256 KB has room for every page, and a longer one would cost memory.
var squeezers = sync.Pool{New: func() any {
	return brotli.NewWriterOptions(nil, brotli.WriterOptions{Quality: 5, LGWin: 18})
}}

// squeeze returns the page compressed with brotli, and says so in the header of the
// response, if the client prefers that.
func squeeze(h http.Header, r *http.Request, html []byte) []byte {
	if len(html) < pageMinSize || slices.Index(accept.Encodings(r.Header.Values("Accept-Encoding")), "br") != 0 {
		return html
	}
	w, _ := squeezers.Get().(*brotli.Writer)
	defer squeezers.Put(w)
	var small bytes.Buffer
	w.Reset(&small)
	_, _ = w.Write(html) // writing to a buffer never fails
	_ = w.Close()
	h.Set("Content-Encoding", "br")
	return small.Bytes()
}
