// Package static serves the files that pages need: style sheets, scripts, icons and the
// vendored htmx, all embedded in the program.
package static

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed *.css *.js *.svg vendor/htmx/htmx.min.js
var embedded embed.FS

// prefix begins the URL paths of the files.
const prefix = "/static/"

// A file is an embedded file with the data for its response headers.
type file struct {
	content    []byte
	hash       string // the start of its SHA-256, in hex
	mime       string
	compressed *compressed
}

// files returns the embedded files and the bundles by name. Scripts import others by URLs
// that browsers may cache for ever.
var files = sync.OnceValue(func() map[string]file {
	all := map[string]file{}
	var add func(name string) file
	add = func(name string) file {
		if done, ok := all[name]; ok {
			return done
		}
		var content []byte
		if parts := partsOf(name); len(parts) > 1 {
			content = []byte(bundled(parts, func(part string) string { return string(source(part)) }))
		} else {
			content = source(name)
		}
		if path.Ext(name) == ".js" {
			content = imported.ReplaceAllFunc(content, func(match []byte) []byte {
				other := bundleOf(string(imported.FindSubmatch(match)[1]))
				return []byte(`"` + address(other, add(other)) + `"`)
			})
		}
		all[name] = fileOf(name, content)
		return all[name]
	}
	err := fs.WalkDir(embedded, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			add(name)
		}
		return err
	})
	for _, b := range bundles {
		add(b.name)
	}
	if err != nil {
		panic("static: embedded files: " + err.Error()) // a test would notice
	}
	return all
})

// source returns the embedded file as far as browsers need it.
func source(name string) []byte {
	content, err := embedded.ReadFile(name)
	if err != nil {
		panic("static: " + err.Error()) // a test would notice
	}
	return minify(name, content)
}

func fileOf(name string, content []byte) file {
	sum := sha256.Sum256(content)
	return file{content, hex.EncodeToString(sum[:8]), mimeOf(name), newCompressed(content)}
}

func address(name string, f file) string { return prefix + name + "?v=" + f.hash }

// mimeOf returns the MIME type of a file. It does not use package mime, whose types
// depend on the system.
func mimeOf(name string) string {
	switch path.Ext(name) {
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return "application/octet-stream"
}

// URL returns the URL path of the file with the name, such as "app.css", and a hash of
// its content, so that browsers may cache it for ever. It panics if there is no such
// file, because names are literals in templates.
func URL(name string) string {
	f, ok := files()[name]
	if !ok {
		panic("static: no file " + name)
	}
	return address(name, f)
}

// Handler serves the files under "/static/". A URL with the hash of the current content
// may be cached for a year; any other must be revalidated. Files are sent in the smallest
// encoding that the client accepts, and compressed only once.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, ok := files()[strings.TrimPrefix(r.URL.Path, prefix)]
		if !ok {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Type", f.mime)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-cache")
		if r.URL.Query().Get("v") == f.hash {
			h.Set("Cache-Control", "public, max-age=31536000, immutable")
		}
		h.Add("Vary", "Accept-Encoding")
		content, encoding, tag := f.compressed.best(r)
		if encoding != "" {
			h.Set("Content-Encoding", encoding)
			h.Set("Content-Length", strconv.Itoa(len(content)))
		}
		h.Set("ETag", `"`+f.hash+tag+`"`) // each encoding needs an ETag of its own
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	})
}
