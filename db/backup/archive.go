package backup

import (
	"archive/zip"
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strings"

	"dailies/db"
	"dailies/db/media"
)

// ErrDamaged says that a file is not a backup, or not a complete one.
var ErrDamaged = errors.New("the backup is damaged")

// An Archive is a backup whose list of files has been read and compared with the
// entries of the archive. Their contents have not been checked.
type Archive struct {
	About   About
	id      string // the SHA-256 of SHA256SUMS, which identifies all contents
	entries []entry
	reached func(step string) // called after each step of the restore
	bucket  media.Backend     // where media files are restored to; nil means the data folder
}

// An entry is a file of the archive, or one that is kept beside it, and the hash that it
// must have.
type entry struct {
	name string
	size int64 // in bytes, as the archive or the folder states it
	hash string
	open func() (io.ReadCloser, error)
}

// Limits of files that are read into memory, in bytes, and of the number of
// entries.
const (
	maxAbout   = 64 << 20
	maxSums    = 256 << 20
	maxEntries = 1 << 21
)

// names matches all names that an archive of this version may contain. None of them
// leads out of the folder; besides, media files are not stored under these names.
var names = regexp.MustCompile(
	`^(README\.txt|dailies\.db|sandbox/sandbox\.db|backup\.json|SHA256SUMS|(videos|pictures)/[0-9]{1,19}(-[0-9]{1,9})?(-[a-z]{1,20})?\.[a-z0-9]{1,8})$`,
)

// maxEntry limits the stated size of a file.
const maxEntry = 1 << 50

// ReadArchive reads the list of files of a backup that is size bytes long. beside holds
// the media files of a backup in a folder; nil means that there are none. ReadArchive
// returns ErrDamaged if anything is wrong.
func ReadArchive(ctx context.Context, r io.ReaderAt, size int64, beside *media.Store) (*Archive, error) {
	a, err := readArchive(ctx, r, size, beside)
	if errors.Is(err, db.ErrUnavailable) || ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return a, nil
}

func readArchive(ctx context.Context, r io.ReaderAt, size int64, beside *media.Store) (*Archive, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, err
	}
	if len(z.File) > maxEntries {
		return nil, fmt.Errorf("it holds %d files", len(z.File))
	}
	files := make(map[string]*zip.File, len(z.File))
	for _, f := range z.File {
		switch {
		case !names.MatchString(f.Name):
			return nil, fmt.Errorf("%.100q does not belong into it", f.Name)
		case files[f.Name] != nil:
			return nil, fmt.Errorf("it holds %s twice", f.Name)
		case f.UncompressedSize64 > maxEntry:
			return nil, fmt.Errorf("%s is too large", f.Name)
		}
		files[f.Name] = f
	}
	sums, id, err := readSums(files["SHA256SUMS"])
	if err != nil {
		return nil, err
	}
	a := &Archive{id: id, reached: func(string) {}}
	for _, f := range z.File {
		if f.Name == "SHA256SUMS" {
			continue
		}
		if sums[f.Name] == "" {
			return nil, fmt.Errorf("SHA256SUMS does not name %s", f.Name)
		}
		a.entries = append(a.entries, entry{f.Name, int64(f.UncompressedSize64), sums[f.Name], f.Open})
		delete(sums, f.Name)
	}
	if err := a.readAbout(files); err != nil {
		return nil, err
	}
	missing := len(sums)
	if a.About.Version == versionBeside && beside != nil {
		if missing, err = a.addBeside(ctx, sums, beside); err != nil {
			return nil, err
		}
	}
	if missing > 0 {
		return nil, fmt.Errorf("%d files are missing", missing)
	}
	return a, nil
}

// addBeside adds the named files, which are kept beside the archive under their hashes. It
// returns how many of them are not there.
func (a *Archive) addBeside(ctx context.Context, sums map[string]string, beside *media.Store) (missing int, err error) {
	for name, hash := range sums {
		if name != besideName(hash) {
			return 0, fmt.Errorf("%.100q does not belong into it", name)
		}
		size, err := beside.Size(ctx, hash)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing++
		case err != nil:
			return 0, err
		case size > maxEntry:
			return 0, fmt.Errorf("%s is too large", name)
		default:
			a.entries = append(a.entries, entry{name, size, hash, func() (io.ReadCloser, error) { return beside.File(ctx, hash) }})
		}
	}
	return missing, nil
}

// besideName returns the name, from the folder of the archive, of a media file that is
// kept beside it.
func besideName(hash string) string { return folderBeside + media.Path(hash) }

func (a *Archive) readAbout(files map[string]*zip.File) error {
	if files[database] == nil {
		return errors.New("it holds no database")
	}
	text, err := readWhole(files["backup.json"], maxAbout)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &a.About); err != nil {
		return fmt.Errorf("backup.json: %w", err)
	}
	if a.About.Format != formatName || a.About.Version != version && a.About.Version != versionBeside {
		return fmt.Errorf("it is of the format %.40q, version %d, which this program does not know", a.About.Format, a.About.Version)
	}
	return nil
}

// readSums parses SHA256SUMS: lines of a hash, two spaces, and a name. The id is
// the hash of SHA256SUMS itself.
func readSums(f *zip.File) (sums map[string]string, id string, err error) {
	text, err := readWhole(f, maxSums)
	if err != nil {
		return nil, "", err
	}
	sum := sha256.Sum256(text)
	sums = map[string]string{}
	lines := bufio.NewScanner(strings.NewReader(string(text)))
	for lines.Scan() {
		hash, name, ok := strings.Cut(lines.Text(), "  ")
		raw, err := hex.DecodeString(hash)
		if !ok || err != nil || len(raw) != sha256.Size || hash != strings.ToLower(hash) || sums[name] != "" {
			return nil, "", errors.New("SHA256SUMS cannot be read")
		}
		sums[name] = hash
	}
	return sums, hex.EncodeToString(sum[:]), lines.Err()
}

func readWhole(f *zip.File, limit int64) ([]byte, error) {
	if f == nil {
		return nil, errors.New("it is not complete")
	}
	content, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	defer content.Close()
	text, err := io.ReadAll(io.LimitReader(content, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = errors.New("it is too large")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	return text, nil
}

// isBlob reports whether the entry belongs into the media folder.
func (e entry) isBlob() bool {
	return strings.HasPrefix(e.name, folderBeside) || strings.HasPrefix(e.name, folderOfPictures) ||
		strings.HasPrefix(e.name, folderOfVideos) && !strings.HasSuffix(e.name, ".json")
}

// size returns the total size of the entries in bytes, as the archive states it. Of
// the media files, it counts either all or, unless files is set, only the largest.
func (a *Archive) size(files bool) (bytes int64) {
	largest := int64(0)
	defer func() { bytes += largest }()
	for _, e := range a.entries {
		if !files && e.isBlob() {
			largest = max(largest, e.size)
			continue
		}
		bytes += e.size
		if bytes > 1<<60 {
			return bytes
		}
	}
	return bytes
}

// copy writes the content, but no more than the stated size. It returns ErrDamaged
// if the entry is not as it should be.
func (e entry) copy(to io.Writer) error {
	content, err := e.open()
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrDamaged, e.name, err)
	}
	defer content.Close()
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(to, sum), damaging{io.LimitReader(content, e.size+1)})
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", e.name, err)
	case n != e.size:
		return fmt.Errorf("%w: %s has not the size that it should have", ErrDamaged, e.name)
	case hex.EncodeToString(sum.Sum(nil)) != e.hash:
		return fmt.Errorf("%w: %s has changed", ErrDamaged, e.name)
	}
	return nil
}

// damaging wraps errors of reading the archive in ErrDamaged, to tell them from
// errors of writing.
type damaging struct{ io.Reader }

// Read implements io.Reader.
func (d damaging) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return n, err
}
