package sandbox

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"regexp"
	"strings"
	"time"

	"dailies/db/folder"
)

// A fileStore keeps the rendered files in one folder. Their names cannot be
// guessed, and their content never changes.
type fileStore struct {
	root   *os.Root
	expire time.Duration // how long a file can be downloaded; zero means for ever
}

// filePath is the path under which files are served.
const filePath = "/files/"

// partial is the suffix of a file that is still being written.
const partial = ".part"

// fileNames matches the names of finished files.
var fileNames = regexp.MustCompile(`^[a-z2-7]{26}\.(webm|jpg)$`)

// newFile returns a name for a new file with the extension.
func newFile(ext string) string { return strings.ToLower(rand.Text()) + ext }

// openFiles opens or makes the folder, and removes incomplete files.
func openFiles(dir string, expire time.Duration) (*fileStore, error) {
	if err := folder.Make(dir); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	incomplete, err := fs.Glob(root.FS(), "*"+partial)
	for _, name := range incomplete {
		err = errors.Join(err, root.Remove(name))
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &fileStore{root, expire}, nil
}

func (s *fileStore) close() error { return s.root.Close() }

// keep writes a file completely or not at all.
func (s *fileStore) keep(name string, write func(*os.File) error) (err error) {
	f, err := s.root.OpenFile(name+partial, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.root.Remove(name+partial))
		}
	}()
	if err := errors.Join(write(f), f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := s.root.Rename(name+partial, name); err != nil {
		return err
	}
	return folder.Sync(s.root.Name())
}

// serve answers GET and HEAD /files/{name}, with Range.
func (s *fileStore) serve(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("name")
	if !fileNames.MatchString(name) {
		return errNoSuchPath
	}
	f, err := s.root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return errNoSuchPath
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if s.expire > 0 && time.Since(info.ModTime()) > s.expire {
		return expired(w)
	}
	h := w.Header()
	h.Set("Content-Type", map[string]string{".webm": "video/webm", ".jpg": "image/jpeg"}[path.Ext(name)])
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", s.caching(info.ModTime()))
	h.Set("ETag", `"`+name+`"`)
	http.ServeContent(w, r, "", info.ModTime(), f)
	return nil
}

// caching returns a Cache-Control header that lets no cache keep a file beyond
// its expiry.
func (s *fileStore) caching(made time.Time) string {
	life := 24 * time.Hour
	if s.expire > 0 {
		life = min(life, s.expire-time.Since(made))
	}
	return fmt.Sprintf("private, max-age=%d, immutable", int(life.Seconds()))
}

// expired sends the answer of an object store to a link that has expired.
func expired(w http.ResponseWriter) error {
	w.Header().Set("Content-Type", "application/xml")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusForbidden)
	_, _ = io.WriteString(w,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>\n")
	return nil
}
