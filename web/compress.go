package web

import (
	"fmt"
	"net/http"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
)

// Parts of a page are asked for every other second. At the level quick they come
// out a twentieth larger for half of the work; those below slight bytes, which a
// few packets carry anyhow, are not compressed at all.
const (
	quick  = 3
	slight = 4 << 10
)

// Compress compresses text; videos and pictures, which are asked for in
// ranges, pass as they are. It speaks gzip alone: pages in zstd are larger.
func Compress() (Middleware, error) {
	whole, err := compressor(gzip.DefaultCompression, 512)
	if err != nil {
		return nil, err
	}
	part, err := compressor(quick, slight)
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

// compressor wraps handlers whose answers of at least so many bytes are
// compressed.
func compressor(level, least int) (func(http.Handler) http.HandlerFunc, error) {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(least), gzhttp.EnableZstd(false), gzhttp.CompressionLevel(level),
		gzhttp.ExceptContentTypes([]string{"video/webm", "video/mp4", "video/quicktime", "image/jpeg", "image/png", "image/webp", "image/gif", "application/zip"}))
	if err != nil {
		return nil, fmt.Errorf("compression: %w", err)
	}
	return wrap, nil
}

// AsIs keeps Compress from the answer, which is as small as it should be.
func AsIs(w http.ResponseWriter) { w.Header().Set(gzhttp.HeaderNoCompression, "1") }
