package folder

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// shortestSecret is the minimum length of a secret, in bytes.
const shortestSecret = 16

// Secret returns the secret with which keys and cookies are sealed, which only the
// owner can read. If there is none, it returns a new one, and isNew: the caller has to
// call KeepSecret before it seals anything. An empty file, which a full disk or a power
// cut may have left, counts as none, unless there is a database whose keys it may have
// sealed.
func (f *Folder) Secret() (secret []byte, isNew bool, err error) {
	path := f.Path("secret")
	secret, err = os.ReadFile(path)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !missing:
		return nil, false, fmt.Errorf("secret: %w", err)
	case !blank(secret) && len(secret) >= shortestSecret:
		return secret, false, nil
	case !missing && f.hasDatabase():
		return nil, false, fmt.Errorf("%s is empty or cut short: put your copy of it in its place; "+
			"without a copy, remove the file, and the next start says what is lost", path)
	case missing || blank(secret):
		return NewSecret(), true, nil
	}
	return nil, false, fmt.Errorf("%s is too short: it takes %d letters or more; remove the file to have one made", path, shortestSecret)
}

// NewSecret returns a new random secret, as a line of text.
func NewSecret() []byte { return []byte(rand.Text() + rand.Text() + "\n") }

// KeepSecret writes the secret to the folder.
func (f *Folder) KeepSecret(secret []byte) error {
	if err := Write(f.Path("secret"), secret); err != nil {
		return fmt.Errorf("secret: %w", err)
	}
	return nil
}

// nextSecret is the name of the file with a new secret, while everything is sealed with
// it. Until it takes the place of the old one, either may be the one in use.
const nextSecret = "secret.next"

// NextSecret returns the new secret whose use was interrupted, or nil if there is none.
func (f *Folder) NextSecret() ([]byte, error) {
	secret, err := os.ReadFile(f.Path(nextSecret))
	if errors.Is(err, fs.ErrNotExist) || blank(secret) {
		return nil, nil
	}
	return secret, err
}

// KeepNextSecret writes the new secret beside the old one.
func (f *Folder) KeepNextSecret(secret []byte) error {
	if err := Write(f.Path(nextSecret), secret); err != nil {
		return fmt.Errorf("secret: %w", err)
	}
	return nil
}

// UseNextSecret puts the new secret in the place of the old one, which is kept beside
// it, because backups of before need it.
func (f *Folder) UseNextSecret() error {
	old, err := os.ReadFile(f.Path("secret"))
	if err == nil && !blank(old) {
		err = Write(f.Path("secret.old-"+time.Now().UTC().Format("20060102T150405Z")), old)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("secret: %w", err)
	}
	if err := os.Rename(f.Path(nextSecret), f.Path("secret")); err != nil {
		return fmt.Errorf("secret: %w", err)
	}
	return Sync(f.dir)
}

// blank reports whether the secret has no content. A power cut may replace content
// by zeros.
func blank(secret []byte) bool { return len(bytes.Trim(secret, "\x00\r\n\t ")) == 0 }

// hasDatabase reports whether anything was ever written to the folder's database.
func (f *Folder) hasDatabase() bool {
	for _, name := range []string{"dailies.db", "dailies.db-wal"} {
		// A file that cannot be examined may exist.
		if info, err := os.Stat(f.Path(name)); err == nil && info.Size() > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	return false
}
