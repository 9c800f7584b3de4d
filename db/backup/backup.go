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
	"dailies/db/format"
	"dailies/db/media"
	"dailies/db/signin"
	"dailies/db/store"
	"dailies/db/team"
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

var (
	// ErrIncomplete says that a backup was made without some files, because they
	// were missing or damaged in the data folder.
	ErrIncomplete = errors.New("the backup is made, but the data folder lacks files; see dailies check")

	// ErrTrouble says that a check found a problem.
	ErrTrouble = errors.New("something is wrong with the data folder")
)

func (a About) report(out io.Writer, file string, from *media.Store) error {
	_, err := fmt.Fprintf(out, `%s holds %s: %s, %s.

API keys are in it sealed only. What opens them is not in it: keep a copy of the
file "secret" of the data folder somewhere else, or what -secret says. Without
it, what is restored starts only with -forget-sealed, and everybody enters their key again.
`, file, format.Plural(a.Videos, "%s video", "%s videos"), format.Plural(a.Files, "%s file", "%s files"), format.Bytes(a.Bytes))
	if err != nil || len(a.Missing) == 0 {
		return err
	}
	for _, hash := range a.Missing {
		fmt.Fprintf(out, "missing or damaged: %s\n", from.Where(media.Path(hash)))
	}
	return ErrIncomplete
}

// restored reports what was restored and what to do next.
func (a About) restored(out io.Writer, dir string, done journal) error {
	_, err := fmt.Fprintf(out, `%s is restored as it was on %s: %s, %s, %s.

API keys open only with the old secret: put the file "secret" of the old data
folder into %s before the first start, or start with the same -secret. Without it,
start with -forget-sealed: then everybody enters their key again, and nobody can be asked for one-time codes: whoever
has them is let in by an admin, on that person's page, or with
dailies password EMAIL -without-second-factor.

%s`, dir, a.MadeAt.Local().Format("2 January 2006, 15:04"), format.Plural(a.Videos, "%s video", "%s videos"),
		format.Plural(a.Files, "%s file", "%s files"), format.Bytes(a.Bytes), dir,
		closed(done.Closed))
	if err == nil {
		_, err = io.WriteString(out, unsure(done.Unsure))
	}
	if len(a.Missing) > 0 && err == nil {
		_, err = fmt.Fprintf(out, "\nMissing already when the backup was made: %s. dailies check names them.\n",
			format.Plural(len(a.Missing), "%s file", "%s files"))
	}
	return err
}

// closed describes which access was closed, and what an admin should check because
// later changes of it are lost.
func closed(c signin.Closed) string {
	text := fmt.Sprintf(`What was taken back since then must not be open again. Closed: %s,
%s, %s, %s, %s, %s,
%s, with the addresses of files that programs got with them.
Everybody signs in again, with the password of that time; make new links for
what is still to be shared, and new recovery codes in Settings.
`, format.Plural(c.Sessions, "%s session", "%s sessions"), format.Plural(c.Invites, "%s unused join link", "%s unused join links"),
		format.Plural(c.Resets, "%s password link", "%s password links"),
		format.Plural(c.Shares, "%s share link", "%s share links"), format.Plural(c.Recovery, "%s recovery code", "%s recovery codes"),
		format.Plural(c.Identities, "%s connected account", "%s connected accounts"),
		format.Plural(c.Tokens, "%s token of programs", "%s tokens of programs"))
	if c.Webhooks > 0 {
		text += fmt.Sprintf("Nothing is sent to %s until an admin confirms it on %s.\n%s that waited may have arrived since, and will not be sent.\n",
			format.Plural(c.Webhooks, "%s webhook", "%s webhooks"), team.ServicePage.Where(),
			format.Plural(c.Deliveries, "%s delivery", "%s deliveries"))
	}
	if len(c.Services) > 0 {
		text += fmt.Sprintf(
			"Nothing is sent to %s, and no video there is asked about, until\nan admin confirms it on %s, or -api-url names it.\n",
			format.List(c.Services), team.ServicePage.Where(),
		)
	}
	if c.Passkeys > 0 {
		text += fmt.Sprintf("%s: each signs in alone again once it was used after the password.\n",
			format.Plural(c.Passkeys, "%s passkey", "%s passkeys"))
	}
	return text + fmt.Sprintf(`
Look at these before people come back, because what was changed since then is as
it was before:
- %s: %s, those of people who have left since included. Admins: %s.
- %s and %s: the rules, roles, keys and limits of that time.
- Whoever has changed a password, or has lost a phone or a passkey, since then
  changes it, or deletes it, again; so do those who have removed a webhook, a key,
  or an uploaded picture. Programs need new tokens.
`, team.PeoplePage.Where(), format.Plural(c.Open, "%s open account", "%s open accounts"), format.List(c.Admins),
		team.SecurityPage.Where(), team.SpendingPage.Where())
}

// unsure describes the videos that may have been sent since.
func unsure(videos int) string {
	if videos == 0 {
		return ""
	}
	return fmt.Sprintf(`
%s waited to be sent at that time and may have been sent since. None is
sent again by itself: each asks its maker.
`, format.Plural(videos, "%s video", "%s videos"))
}
