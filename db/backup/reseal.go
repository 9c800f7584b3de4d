package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"dailies/db"
	"dailies/db/folder"
	"dailies/db/secrets"
	"dailies/db/store"
)

// Reseal opens everything in the house that is sealed with the secret, and seals it
// with the next one. Without a secret, the file in the data folder is meant; without a
// next one, a new file takes its place, and the old one is kept beside it. No program
// may serve the house meanwhile. Everything happens in one transaction, so an
// interrupted call can be repeated: either all is sealed with the next secret or
// nothing is.
func Reseal(ctx context.Context, h Location, secret, next []byte, out io.Writer) error {
	if err := reseal(ctx, h, secret, next, out); err != nil {
		return fmt.Errorf("reseal: %w", err)
	}
	return nil
}

// ErrGuessable says that a secret can be guessed.
var ErrGuessable = errors.New(
	"the new secret can be guessed; leave it out to have a random one made, or make one with: openssl rand -base64 32",
)

func reseal(ctx context.Context, h Location, secret, next []byte, out io.Writer) error {
	if len(next) > 0 && secrets.IsGuessable(string(next)) {
		return ErrGuessable
	}
	s, release, err := acquire(ctx, h)
	if err != nil {
		return err
	}
	defer release()
	files := folder.At(h.Dir)
	moving, err := s.Settings.Setting(ctx, store.MovingSetting)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	if moving != "" {
		return errors.New("the database is being moved, or was; finish that first, or go on here after: dailies move -abort")
	}
	key, err := currentKey(ctx, s, files, secret)
	if err != nil {
		return err
	}
	file := len(next) == 0
	if file {
		next = folder.NewSecret()
		if err := files.KeepNextSecret(next); err != nil {
			return err
		}
	}
	done, err := sealAnew(ctx, s, key, next)
	if err != nil {
		return err
	}
	for _, n := range done {
		fmt.Fprintf(out, "Sealed again: %s.\n", n.Name(n.Opened))
		if n.Shut > 0 {
			fmt.Fprintf(out, "Left as it was, because neither secret opens it: %s.\n", n.Name(n.Shut))
		}
	}
	if !file {
		_, err = fmt.Fprintln(out, resealedTyped)
		return err
	}
	if err := files.UseNextSecret(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, resealedFile, filepath.Join(h.Dir, "secret"))
	return err
}

const (
	resealedTyped = `
Start every process with the new -secret. Everybody signs in again. Backups of before
still need the old secret: keep it apart from them.`
	resealedFile = `
The new secret is the file %s. Start Dailies without -secret, or give
every process a copy of that file. Everybody signs in again. Backups of before still
need the old secret: the file, if there was one, is kept beside the new one.
`
)

// currentKey returns the key that the house is sealed with. If an earlier run was
// interrupted just before its end, it brings that to its end.
func currentKey(ctx context.Context, s *store.Store, files *folder.Folder, secret []byte) ([]byte, error) {
	if len(secret) == 0 {
		found, isNew, err := files.Secret()
		if err != nil {
			return nil, err
		}
		if !isNew {
			secret = found
		}
	}
	next, err := files.NextSecret()
	if err != nil {
		return nil, err
	}
	key, err := unseal(ctx, s, secret)
	if errors.Is(err, secrets.ErrSecret) {
		if key, err = unseal(ctx, s, next); err == nil {
			err = files.UseNextSecret()
		}
	}
	switch {
	case errors.Is(err, secrets.ErrSecret):
		return nil, fmt.Errorf(
			"the data is sealed with %w; give the one it is sealed with, as the file \"secret\" in -data or as -secret",
			secrets.ErrSecret,
		)
	case errors.Is(err, db.ErrNotFound):
		return nil, errors.New("nothing is sealed yet: start Dailies with the secret of your choice")
	}
	return key, err
}

// unseal returns the key that the secret gives. An empty one gives none.
func unseal(ctx context.Context, s *store.Store, secret []byte) ([]byte, error) {
	if len(secret) == 0 {
		return nil, secrets.ErrSecret
	}
	_, key, err := s.Unseal(ctx, secret)
	return key, err
}

func sealAnew(ctx context.Context, s *store.Store, key, next []byte) ([]store.Sealed, error) {
	from, err := secrets.NewVault(key)
	if err != nil {
		return nil, err
	}
	sealing, key, err := secrets.NewSealing(next)
	if err != nil {
		return nil, err
	}
	to, err := secrets.NewVault(key)
	if err != nil {
		return nil, err
	}
	return s.Reseal(ctx, from, to, sealing)
}
