package web

import (
	"fmt"
	"net/http"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
)

// Browsers poll fragments of pages every other second. At fragmentLevel these become
// a little larger for much less CPU time. Fragments below fragmentMinSize bytes, which
// fit into a few packets anyway, are not compressed.
const (
	fragmentLevel   = 3
	fragmentMinSize = 4 << 10
)

// Compress compresses text responses. It leaves videos and pictures alone, which do
// not get smaller and are requested in ranges. It offers only gzip, because pages
// compressed with zstd are larger.
func Compress() (Middleware, error) {
	whole, err := compressor(gzip.DefaultCompression, 512)
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
		gzhttp.ExceptContentTypes([]string{"video/webm", "video/mp4", "video/quicktime", "image/jpeg", "image/png", "image/webp", "image/gif", "application/zip"}))
	if err != nil {
		return nil, fmt.Errorf("compression: %w", err)
	}
	return wrap, nil
}

// AsIs tells Compress to leave this response uncompressed.
func AsIs(w http.ResponseWriter) { w.Header().Set(gzhttp.HeaderNoCompression, "1") }
