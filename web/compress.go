package web

import (
	"fmt"
	"net/http"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
)

// quick is the level of parts of a page. They are asked for every other second,
// and come out a twentieth larger for half of the work.
const quick = 3

// Compress compresses text; videos and pictures, which are asked for in
// ranges, pass as they are. It speaks gzip alone: pages in zstd are larger.
func Compress() (Middleware, error) {
	whole, err := compressor(gzip.DefaultCompression)
	if err != nil {
		return nil, err
	}
	part, err := compressor(quick)
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

func compressor(level int) (func(http.Handler) http.HandlerFunc, error) {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(512), gzhttp.EnableZstd(false), gzhttp.CompressionLevel(level),
		gzhttp.ExceptContentTypes([]string{"video/webm", "video/mp4", "video/quicktime", "image/jpeg", "image/png", "image/webp", "image/gif", "application/zip"}))
	if err != nil {
		return nil, fmt.Errorf("compression: %w", err)
	}
	return wrap, nil
}

// AsIs keeps Compress from the answer, which is as small as it should be.
func AsIs(w http.ResponseWriter) { w.Header().Set(gzhttp.HeaderNoCompression, "1") }
