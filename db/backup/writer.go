package backup

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"dailies/db"
	"dailies/db/media"
)

// A writer writes an archive. Its first error stays, and close returns it.
type writer struct {
	ctx   context.Context
	zip   *zip.Writer
	blobs *media.Store
	sums  strings.Builder
	names map[string]string // by hash, of the files that are in it
	about About
	err   error
}

func newWriter(ctx context.Context, to io.Writer, blobs *media.Store) *writer {
	return &writer{ctx: ctx, zip: zip.NewWriter(to), blobs: blobs, names: map[string]string{}, about: About{Format: formatName, Version: version}}
}

// add writes one entry and notes its hash.
func (w *writer) add(name string, method uint16, from io.Reader) {
	if w.err != nil {
		return
	}
	if w.err = w.ctx.Err(); w.err != nil {
		return
	}
	entry, err := w.zip.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: w.about.MadeAt})
	sum := sha256.New()
	if err == nil {
		_, err = io.Copy(io.MultiWriter(entry, sum), from)
	}
	if err != nil {
		w.err = fmt.Errorf("%s: %w", name, err)
	}
	fmt.Fprintf(&w.sums, "%s  %s\n", hex.EncodeToString(sum.Sum(nil)), name)
}

func (w *writer) text(name, content string) { w.add(name, zip.Deflate, strings.NewReader(content)) }

func (w *writer) json(name string, content any) {
	text, err := json.MarshalIndent(content, "", "  ")
	if w.err == nil {
		w.err = err
	}
	w.add(name, zip.Deflate, bytes.NewReader(append(text, '\n')))
}

func (w *writer) file(name, path string) {
	file, err := os.Open(path)
	if err != nil {
		w.err = err
		return
	}
	defer file.Close()
	w.add(name, zip.Deflate, file)
}

// video adds the files of a finished task, and how it was made.
func (w *writer) video(t db.Task) error {
	w.about.Videos++
	var files []db.MadeFile
	for _, m := range t.Media {
		f := db.MadeFile{Kind: m.Kind, Type: m.Type, Bytes: m.Size, SHA256: m.Hash}
		f.Name = strings.TrimPrefix(w.blob(folderOfVideos+fileName(m), m.Hash, m.Size), folderOfVideos)
		files = append(files, f)
	}
	w.json(fmt.Sprintf(folderOfVideos+"%d.json", t.ID), db.WholeMakingOf(t, files))
	return w.err
}

// picture adds a picture that somebody uploaded.
func (w *writer) picture(p db.Picture) error {
	w.blob(fmt.Sprintf(folderOfPictures+"%d.%s", p.ID, ending(p.Type)), p.Hash, p.Size)
	return w.err
}

// blob adds the file, unless it is in the archive already because something
// else is the same, and returns its name there; empty if it was missing. Videos
// do not compress; they are stored as they are.
func (w *writer) blob(name, hash string, size int64) string {
	if there := w.names[hash]; there != "" || w.err != nil {
		return there
	}
	// Read twice, because what is in the archive cannot be taken out again.
	if err := w.blobs.Verify(w.ctx, hash, size); err != nil {
		if w.err = w.ctx.Err(); errors.Is(err, db.ErrUnavailable) {
			w.err = err
		} else if w.err == nil {
			w.about.Missing = append(w.about.Missing, hash)
		}
		return ""
	}
	file, err := w.blobs.File(w.ctx, hash)
	if err != nil {
		w.err = err
		return ""
	}
	defer file.Close()
	w.names[hash] = name
	w.about.Files++
	w.about.Bytes += size
	w.add(name, zip.Store, file)
	return name
}

// close writes what can only be known in the end.
func (w *writer) close() error {
	w.json("backup.json", w.about)
	sums := w.sums.String()
	w.text("SHA256SUMS", sums)
	if w.err != nil {
		return w.err
	}
	return w.zip.Close()
}
