package folder

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// shortestSecret is the minimum length of a secret, in bytes.
const shortestSecret = 16

// Secret returns the secret with which keys and cookies are sealed. It is created
// at the first start, readable only by the owner. An empty secret, which a full
// disk or a power cut may have left, is replaced unless there is a database whose
// keys it may have sealed.
func (f *Folder) Secret() ([]byte, error) {
	path := f.Path("secret")
	secret, err := os.ReadFile(path)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return nil, fmt.Errorf("secret: %w", err)
	}
	if !blank(secret) && len(secret) >= shortestSecret {
		return secret, nil
	}
	if !missing && f.hasDatabase() {
		return nil, fmt.Errorf("%s is empty or cut short: put your copy of it in its place; "+
			"without a copy, remove the file: then everybody signs in again and enters their API key again, and nothing else is lost", path)
	}
	if missing || blank(secret) {
		secret = []byte(rand.Text() + rand.Text() + "\n")
		if err := Write(path, secret); err != nil {
			return nil, fmt.Errorf("secret: %w", err)
		}
		return secret, nil
	}
	return nil, fmt.Errorf("%s is too short: it takes %d letters or more; remove the file to have one made", path, shortestSecret)
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
