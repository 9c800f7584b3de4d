package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"dailies/db"
	"dailies/db/backup"
	"dailies/db/format"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/handlers/config"
	"dailies/web"
)

// unseal derives the key with which this installation seals API keys and cookies. It
// refuses a secret with which the data was not sealed: what is sealed could not be
// opened, and new values would be sealed with another key.
func (r *resources) unseal(ctx context.Context, c config.App, log *slog.Logger) error {
	secret, isNew, err := r.secret(c)
	if err != nil {
		return err
	}
	sealing, key, err := r.store.Unseal(ctx, secret)
	if errors.Is(err, secrets.ErrSecret) && c.Secret == "" {
		sealing, key, err = r.unsealNext(ctx, err)
		isNew = isNew && err != nil
	}
	forget := errors.Is(err, secrets.ErrSecret)
	switch {
	case forget && !c.ForgetSealed:
		return r.otherSecret(ctx, c, secret)
	case forget, errors.Is(err, db.ErrNotFound):
		if key, err = r.seal(ctx, secret, isNew, forget); err != nil {
			return err
		}
		if forget {
			log.Warn("-forget-sealed: what was sealed with another secret does not open any more; take the setting away now")
		}
	case err != nil:
		return err
	default:
		if key, err = r.begin(ctx, sealing, key, secret, isNew); err == nil {
			warnOfSecret(log, sealing, secret)
		}
	}
	if err == nil {
		r.vault, err = secrets.NewVault(key)
	}
	if err == nil {
		r.cookies, err = web.NewCookies(key, strings.HasPrefix(c.PublicURL, "https:"))
	}
	return err
}

// secret returns the secret of the settings, or that of the data folder. If it is new,
// it has not been written yet.
func (r *resources) secret(c config.App) (secret []byte, isNew bool, err error) {
	if c.Secret != "" {
		return []byte(c.Secret), false, nil
	}
	return r.folder.Secret()
}

// unsealNext completes a change of the secret that was interrupted just before its end.
// It returns otherwise if there was none.
func (r *resources) unsealNext(ctx context.Context, otherwise error) (secrets.Sealing, []byte, error) {
	next, err := r.folder.NextSecret()
	if err != nil || next == nil {
		return secrets.Sealing{}, nil, errors.Join(otherwise, err)
	}
	sealing, key, err := r.store.Unseal(ctx, next)
	if err == nil {
		err = r.folder.UseNextSecret()
	}
	return sealing, key, err
}

var errGuessable = errors.New("-secret can be guessed; leave it out to have a random one made, or make one with: openssl rand -base64 32")

// seal begins to seal with the secret, in a new installation or, if forget is set, in
// one that was sealed with another secret.
func (r *resources) seal(ctx context.Context, secret []byte, isNew, forget bool) (key []byte, err error) {
	if !secrets.IsMade(secret) && secrets.IsGuessable(string(secret)) {
		return nil, settings(errGuessable)
	}
	sealing, key, err := secrets.NewSealing(secret)
	if err != nil {
		return nil, err
	}
	if !forget {
		return r.begin(ctx, sealing, key, secret, isNew)
	}
	if isNew {
		err = r.folder.KeepSecret(secret)
	}
	if err == nil {
		err = r.store.ForgetSealed(ctx, sealing)
	}
	return key, err
}

// begin writes a new secret to the data folder, before anything is sealed with it, and
// then stores how the installation seals. It returns the key: another process may have
// begun at the same time, with another salt.
func (r *resources) begin(ctx context.Context, sealing secrets.Sealing, key, secret []byte, isNew bool) ([]byte, error) {
	if isNew {
		if err := r.folder.KeepSecret(secret); err != nil {
			return nil, err
		}
	}
	if known, err := r.store.Settings.Setting(ctx, secrets.SealingSetting); err == nil && known == sealing.String() {
		return key, nil // nothing is written, so that the program starts on a full disk too
	}
	kept, err := r.store.BeginSealing(ctx, sealing)
	if err != nil || kept.String() == sealing.String() {
		return key, err
	}
	if key, err = kept.Key(secret); err != nil {
		err = errors.New(
			"-database is used by a Dailies with another secret, which started at the same time; start all with the same -secret",
		)
	}
	return key, err
}

// warnOfSecret logs what is wrong with the secret of an older installation.
func warnOfSecret(log *slog.Logger, sealing secrets.Sealing, secret []byte) {
	switch {
	case secrets.IsMade(secret):
	case secrets.IsGuessable(string(secret)):
		log.Warn(
			"the secret can be guessed by somebody who gets hold of a backup or a cookie; seal everything again with " +
				"a better one: dailies reseal",
		)
	case sealing.IsPlain():
		log.Warn(
			"keys are sealed in the way of an earlier version, which makes it quick to try secrets; seal everything again: dailies reseal",
		)
	}
}

// otherSecret returns the error about a secret with which the data was not sealed.
func (r *resources) otherSecret(ctx context.Context, c config.App, secret []byte) error {
	lost := "API keys have to be entered again"
	vault, err := secrets.NewVault(secret)
	if err != nil {
		return err
	}
	values, err := r.store.SealedValues(ctx, vault)
	if err != nil {
		return err
	}
	if len(values) > 0 {
		lost = fmt.Sprintf("these do not open any more: %s", listed(values))
	}
	where := fmt.Sprintf(
		"the data in %s is sealed with another secret; put the file \"secret\" that belongs to it into that folder, "+
			"or start with its -secret",
		c.Data,
	)
	if c.Database != "" {
		where = "-database is used by a Dailies with another secret; start with its -secret, or with its file \"secret\" in the data folder"
	}
	return fmt.Errorf(
		"%s. Without it, -forget-sealed starts with this one; then %s, and everybody signs in again; no video is lost",
		where, lost,
	)
}

// listed lists the values that do not open.
func listed(values []store.Sealed) string {
	var names []string
	for _, v := range values {
		if v.Shut > 0 {
			names = append(names, v.Name(v.Shut))
		}
	}
	return format.List(names)
}

// forgets reports whether this start will forget what another secret has sealed. No
// other process may then use the database.
func (r *resources) forgets(ctx context.Context, c config.App) (bool, error) {
	if !c.ForgetSealed {
		return false, nil
	}
	secret, _, err := r.secret(c)
	if err != nil {
		return false, err
	}
	_, _, err = r.store.Unseal(ctx, secret)
	if errors.Is(err, secrets.ErrSecret) {
		return true, nil
	}
	if errors.Is(err, db.ErrNotFound) {
		err = nil
	}
	return false, err
}

// reseal seals keys again with a new secret.
func (p program) reseal(ctx context.Context, c config.Reseal) error {
	err := backup.Reseal(ctx, backup.Location{Dir: c.Data, Database: string(c.Database)}, []byte(c.Secret), []byte(c.NewSecret), p.stdout)
	if errors.Is(err, backup.ErrGuessable) {
		return settings(err)
	}
	return err
}
