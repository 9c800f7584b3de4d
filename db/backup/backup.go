// Package backup writes a data folder into one file while the program is running,
// restores a data folder from such a file, and checks a data folder.
//
// The file is an ordinary ZIP archive, so that the videos can be extracted without
// this program:
//
//	README.txt           what the archive is
//	dailies.db           the database, as it was at one moment
//	sandbox/sandbox.db   the sandbox's database, if there is one
//	videos/7.webm        a video, under its number
//	videos/7.json        how it was made
//	videos/7-cover.jpg   its cover, and 7-thumb.jpg, the cover's thumbnail
//	pictures/3.png       a picture that somebody uploaded
//	backup.json          see About
//	SHA256SUMS           hashes of all these files, for sha256sum -c
//
// The secret that decrypts API keys is never in it.
package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/folder"
	"dailies/db/media"
	"dailies/db/store"
)

// Names in the data folder; the two databases have the same names in an archive.
const (
	database = "dailies.db"
	sandbox  = "sandbox/sandbox.db"
	blobs    = "media"
	answers  = "answers" // see package aside
)

// Folders in an archive. Their files belong into the media folder, except the .json
// files.
const (
	folderOfVideos   = "videos/"
	folderOfPictures = "pictures/"
	folderBeside     = blobs + "/" // of the files that are kept beside an archive
)

// About describes the contents of an archive.
type About struct {
	Format  string    `json:"format"` // the constant formatName
	Version int       `json:"version"`
	MadeAt  time.Time `json:"made_at"`
	Videos  int       `json:"videos"` // finished tasks
	Files   int       `json:"files"`
	Bytes   int64     `json:"bytes"`         // of the files
	New     int       `json:"new,omitempty"` // files that were copied for this backup, if it is in a folder
	// Missing lists the hashes of files that were missing or damaged when the
	// archive was made.
	Missing []string `json:"missing,omitempty"`
}

const (
	formatName = "dailies backup"
	version    = 1

	// versionBeside is the version of archives whose media files are kept beside them.
	versionBeside = 2
)

// A Location says where an installation of Dailies keeps its data.
type Location struct {
	Dir    string        // the data folder
	Bucket media.Backend // storage of media; nil means the data folder

	Database string // the address of a server; empty means the file in the data folder
}

// database returns the path or address of the database, or an error if there is
// none.
func (h Location) database() (string, error) {
	if h.Database != "" {
		return h.Database, nil
	}
	path := filepath.Join(h.Dir, database)
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%s is no data folder: %w", h.Dir, err)
	}
	return path, nil
}

// media returns the media store for reading.
func (h Location) media() *media.Store {
	if h.Bucket != nil {
		return media.In(h.Bucket)
	}
	return media.At(filepath.Join(h.Dir, blobs))
}

// Write writes a backup of the house to a new file, and a report of its contents to
// out. The program may be running meanwhile. A media file that is missing or
// damaged is left out; then the backup is written nevertheless, and the error is
// ErrIncomplete.
func Write(ctx context.Context, h Location, file string, out io.Writer) error {
	if err := folder.Restored(h.Dir); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	about, err := writeFile(ctx, h, file, nil, out)
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	return about.report(out, file, h.media())
}

// writeFile writes a backup to a new file. beside is as for write.
func writeFile(ctx context.Context, h Location, file string, beside *media.Store, out io.Writer) (about About, err error) {
	if _, err := os.Lstat(file); err == nil {
		return about, fmt.Errorf("%s is there already; a backup overwrites nothing", file)
	}
	name, err := h.database()
	if err != nil {
		return about, err
	}
	if err := recordExport(ctx, name, "a backup"); err != nil {
		fmt.Fprintf(out, "The audit does not tell of this backup: %v.\n", err)
	}
	work, done, err := makeWork(file)
	if err != nil {
		return about, err
	}
	defer done()
	if about, err = write(ctx, h, work, beside); err != nil {
		return about, err
	}
	if err := place(filepath.Join(work, "archive"), file); err != nil {
		return about, err
	}
	if err := recordMade(ctx, name); err != nil {
		fmt.Fprintf(out, "The metrics do not tell of this backup: %v.\n", err)
	}
	return about, nil
}

// recordMade records in the database when the backup was made, for the metrics.
func recordMade(ctx context.Context, name string) error {
	s, err := store.OpenExisting(ctx, name)
	if err != nil {
		return err
	}
	return errors.Join(s.Settings.BackupMade(ctx, s.Now()), s.Close())
}

// recordExport records in the database's audit that everything is copied out of it.
// The copy has that entry too.
func recordExport(ctx context.Context, name, what string) error {
	s, err := store.OpenExisting(ctx, name)
	if err != nil {
		return err
	}
	return errors.Join(s.Audit.Record(ctx, audit.Entry{Action: audit.Exported, What: what}), s.Close())
}

// write creates the archive in the folder work. If beside is not nil, the media files that
// are not there yet are copied there, instead of into the archive.
func write(ctx context.Context, h Location, work string, beside *media.Store) (About, error) {
	name, err := h.database()
	if err == nil {
		err = store.Copy(ctx, name, filepath.Join(work, database))
	}
	if err != nil {
		return About{}, err
	}
	_, err = os.Stat(filepath.Join(h.Dir, sandbox))
	played := err == nil
	if played {
		if err := os.Mkdir(filepath.Join(work, "sandbox"), 0o700); err != nil {
			return About{}, err
		}
		if err := store.Copy(ctx, filepath.Join(h.Dir, sandbox), filepath.Join(work, sandbox)); err != nil {
			return About{}, err
		}
	}
	s, err := store.OpenToRead(ctx, filepath.Join(work, database))
	if err != nil {
		return About{}, err
	}
	defer s.Close()
	archive, err := os.OpenFile(filepath.Join(work, "archive"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return About{}, err
	}
	defer archive.Close()
	w := newWriter(ctx, archive, h.media(), beside)
	w.about.MadeAt = db.Now()
	w.text("README.txt", w.readme())
	w.file(database, filepath.Join(work, database))
	if played {
		w.file(sandbox, filepath.Join(work, sandbox))
	}
	if err := s.Tasks.EachMade(ctx, w.video); err != nil {
		return About{}, err
	}
	if err := s.Pictures.EachPicture(ctx, w.picture); err != nil {
		return About{}, err
	}
	if err := w.close(); err != nil {
		return About{}, err
	}
	return w.about, archive.Sync()
}

// place gives the finished archive its name, without overwriting anything.
func place(archive, file string) error {
	if err := os.Link(archive, file); err != nil {
		// Some file systems do not support hard links.
		if _, err := os.Lstat(file); err == nil {
			return fmt.Errorf("%s is there already; a backup overwrites nothing", file)
		}
		if err := os.Rename(archive, file); err != nil {
			return err
		}
	}
	return folder.Sync(filepath.Dir(file))
}
