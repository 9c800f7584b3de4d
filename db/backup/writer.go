package backup

import (
	"archive/zip"
	"bytes"
	"cmp"
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

// A writer writes an archive. After an error it does nothing; close returns the
// error.
type writer struct {
	ctx   context.Context
	zip   *zip.Writer
	blobs *media.Store
	sums  strings.Builder
	names map[string]string // names in the archive by hash
	about About
	err   error
}

func newWriter(ctx context.Context, to io.Writer, blobs *media.Store) *writer {
	return &writer{ctx: ctx, zip: zip.NewWriter(to), blobs: blobs, names: map[string]string{}, about: About{Format: formatName, Version: version}}
}

// add writes one entry and records its hash.
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
		w.err = cmp.Or(w.err, err)
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

// picture adds an uploaded picture.
func (w *writer) picture(p db.Picture) error {
	w.blob(fmt.Sprintf(folderOfPictures+"%d.%s", p.ID, ending(p.Type)), p.Hash, p.Size)
	return w.err
}

// blob adds the file, unless an equal one is already in the archive, and returns
// its name there, or "" if the file is missing. Files are stored uncompressed,
// because videos do not compress.
func (w *writer) blob(name, hash string, size int64) string {
	if there := w.names[hash]; there != "" || w.err != nil {
		return there
	}
	// The file is read twice, because an entry cannot be removed from the archive
	// again.
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

// close writes the entries that depend on all others.
func (w *writer) close() error {
	w.json("backup.json", w.about)
	sums := w.sums.String()
	w.text("SHA256SUMS", sums)
	if w.err != nil {
		return w.err
	}
	return w.zip.Close()
}
