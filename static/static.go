// Package static serves the files that pages need: the style sheet, the
// script, the icon and the vendored htmx, all embedded in the program.
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

// prefix is where the handler lives.
const prefix = "/static/"

// A file is one embedded file with what its answer says about it.
type file struct {
	content []byte
	hash    string // the start of its SHA-256, in hex
	mime    string
	packed  *packed
}

// files reads the embedded files by name, once.
var files = sync.OnceValue(func() map[string]file {
	all := map[string]file{}
	err := fs.WalkDir(embedded, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := embedded.ReadFile(name)
		if err != nil {
			return err
		}
		all[name] = fileOf(name, withoutComments(name, content))
		return nil
	})
	for name, f := range all { // scripts import the helpers by an address that may be kept for good
		if imports := bytes.ReplaceAll(f.content, []byte(`"./`+helpers+`"`), []byte(`"`+address(helpers, all[helpers])+`"`)); !bytes.Equal(imports, f.content) {
			all[name] = fileOf(name, imports)
		}
	}
	if err != nil {
		panic("static: embedded files: " + err.Error()) // a test reads them
	}
	return all
})

// helpers names the module that the scripts import.
const helpers = "dom.js"

func fileOf(name string, content []byte) file {
	sum := sha256.Sum256(content)
	return file{content, hex.EncodeToString(sum[:8]), mimeOf(name), pack(content)}
}

func address(name string, f file) string { return prefix + name + "?v=" + f.hash }

// mimeOf returns the type of a file. It is spelled out because the system's own table differs from machine to
// machine.
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

// URL returns the address of the file, such as "app.css", with a hash of its
// content, so that browsers may keep it for good. It panics on a name that is
// not embedded: names are written in templates, not typed by people.
func URL(name string) string {
	f, ok := files()[name]
	if !ok {
		panic("static: no file " + name)
	}
	return address(name, f)
}

// Handler serves the files under "/static/". An address whose hash fits the
// content may be cached for a year; any other is asked about again. They go out
// compressed as small as the client takes them, and are compressed only once.
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
		content, encoding := f.packed.best(r)
		tag := f.hash
		if encoding != "" {
			tag += "-" + encoding // other bytes need another tag
			h.Set("Content-Encoding", encoding)
			h.Set("Content-Length", strconv.Itoa(len(content)))
		}
		h.Set("ETag", `"`+tag+`"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	})
}
