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
	"io/fs"
	"os"
	"strings"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/ordering"
	"dailies/db/team"
)

// A writer writes an archive. After an error it does nothing; close returns the
// error.
type writer struct {
	ctx   context.Context
	zip   *zip.Writer
	blobs *media.Store
	// beside takes the media files, if it is not nil.
	beside *media.Store
	sums   strings.Builder
	names  map[string]string // names in the archive by hash
	about  About
	err    error
}

func newWriter(ctx context.Context, to io.Writer, blobs, beside *media.Store) *writer {
	w := &writer{ctx: ctx, zip: zip.NewWriter(to), blobs: blobs, beside: beside, names: map[string]string{},
		about: About{Format: formatName, Version: version}}
	if beside != nil {
		w.about.Version = versionBeside
	}
	return w
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
	w.sum(hex.EncodeToString(sum.Sum(nil)), name)
}

func (w *writer) sum(hash, name string) { fmt.Fprintf(&w.sums, "%s  %s\n", hash, name) }

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
func (w *writer) picture(p ordering.Picture) error {
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
	if w.beside != nil {
		return w.blobBeside(hash, size)
	}
	// The file is read twice, because an entry cannot be removed from the archive
	// again.
	if err := w.blobs.Verify(w.ctx, hash, size); err != nil {
		w.miss(hash, err)
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

// miss records that the file is missing or damaged. It is an error of the backup only if
// the storage does not answer, because then nothing is known.
func (w *writer) miss(hash string, err error) {
	if w.err = w.ctx.Err(); errors.Is(err, db.ErrUnavailable) {
		w.err = err
	} else if w.err == nil {
		w.about.Missing = append(w.about.Missing, hash)
	}
}

// blobBeside is like blob for a file that is kept beside the archive. A file that is there
// from an earlier backup is not read again, and so can also stand in for one that has
// been lost since.
func (w *writer) blobBeside(hash string, size int64) string {
	has, err := w.beside.HasWhole(w.ctx, hash, size)
	if err == nil && !has {
		err = w.copyBeside(hash, size)
		var lost *lostError
		if errors.As(err, &lost) {
			w.miss(hash, lost.error)
			return ""
		}
		w.about.New++
	}
	if err != nil {
		w.err = err
		return ""
	}
	name := besideName(hash)
	w.names[hash] = name
	w.about.Files++
	w.about.Bytes += size
	w.sum(hash, name)
	return name
}

// A lostError says that a file is missing or damaged in the data folder.
type lostError struct{ error }

// copyBeside copies the file, and checks it on the way.
func (w *writer) copyBeside(hash string, size int64) error {
	if err := w.blobs.Verify(w.ctx, hash, size); err != nil {
		return &lostError{err}
	}
	file, err := w.blobs.File(w.ctx, hash)
	if err != nil {
		return &lostError{err}
	}
	defer file.Close()
	// A file of another size, such as after a damage of the disk, is replaced.
	if err := w.beside.Remove(w.ctx, hash); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	got, _, err := w.beside.Put(w.ctx, file, size, media.Length(size))
	if err == nil && got != hash {
		err = fmt.Errorf("%s changed while it was copied", w.blobs.Where(media.Path(hash)))
	}
	return err
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

// fileName returns the file's name: the video's ID, a suffix for this file of it,
// and the extension.
func fileName(m db.Media) string {
	name := fmt.Sprint(m.TaskID)
	if m.Position > 0 {
		name += fmt.Sprintf("-%d", m.Position+1)
	}
	if m.Kind != db.Video {
		name += "-" + string(m.Kind)
	}
	return name + "." + ending(m.Type)
}

// ending returns the file extension for the MIME type.
func ending(kind string) string {
	for _, known := range []struct{ kind, ending string }{
		{"video/webm", "webm"}, {"video/mp4", "mp4"}, {"video/quicktime", "mov"}, {"video/x-matroska", "mkv"}, {"video/mp2t", "ts"},
		{"image/jpeg", "jpg"}, {"image/png", "png"}, {"image/webp", "webp"}, {"image/gif", "gif"},
	} {
		if kind == known.kind {
			return known.ending
		}
	}
	return "bin"
}

// readme returns a text for somebody who finds the file but does not have the program.
func (w *writer) readme() string {
	text := readme
	if w.beside != nil {
		text = readmeBeside
	}
	return strings.ReplaceAll(text, "{service}", team.ServicePage.Where())
}

var readmeBeside = strings.TrimLeft(`
This is a backup of a Dailies.

    dailies restore FILE -data FOLDER

makes a data folder of it, and needs the folder media beside this file. In videos/, a
.json file says how each video was made, and under which name it lies in media/.
"sha256sum -c SHA256SUMS", in the folder of this file and with everything that is in it
extracted there, checks all files.

After a restore nothing is sent to a video service until an admin confirms it on
{service}, or -api-url names it; practice mode works at once.

The secret that opens the API keys is not in here. Put the file "secret" of the
old data folder into the new one, or let everybody enter their key again.
`, "\n")

var readme = strings.TrimLeft(`
This is a backup of a Dailies.

    dailies restore FILE -data FOLDER

makes a data folder of it. The videos lie in videos/, each beside a .json file
that says how it was made; pictures that people uploaded lie in pictures/.
"sha256sum -c SHA256SUMS" checks all files.

After a restore nothing is sent to a video service until an admin confirms it on
{service}, or -api-url names it; practice mode works at once.

The secret that opens the API keys is not in here. Put the file "secret" of the
old data folder into the new one, or let everybody enter their key again.
`, "\n")
