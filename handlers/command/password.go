package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/folder"
	"dailies/db/signin"
	"dailies/db/store"
	"dailies/handlers/config"
)

// password prints a link with which a user can set a new password.
func (p program) password(ctx context.Context, c config.Password) error {
	s, err := openBeside(ctx, c.Data, string(c.Database))
	if err != nil {
		return err
	}
	defer s.Close()
	u, err := s.Accounts.UserByEmail(ctx, c.Email)
	if errors.Is(err, db.ErrNotFound) {
		return fmt.Errorf("no account has the e-mail address %s", c.Email)
	}
	if err != nil {
		return err
	}
	reset, token := signin.NewReset(u.ID, db.Now())
	reset.ByServer = true
	ctx = audit.Acting(ctx, audit.Actor{Name: audit.PasswordCommand})
	if err := s.Sessions.AddReset(ctx, reset); err != nil {
		return err
	}
	if c.WithoutSecond {
		err := s.SecondSteps.DropSecondStep(ctx, u.ID, 0)
		if errors.Is(err, db.ErrConflict) {
			fmt.Fprintf(p.stderr, "%s has no second step, no passkeys and no company accounts to remove.\n", u.Name)
		} else if err != nil {
			return err
		} else {
			fmt.Fprintf(
				p.stderr,
				"Removed what %s had besides a password: second step, passkeys and, unless passwords are off, company "+
					"accounts. They are signed out everywhere.\n",
				u.Name,
			)
		}
	}
	fmt.Fprintf(p.stderr, "With this link %s sets a new password. It works once, until %s.\n",
		u.Name, reset.ExpiresAt.Local().Format(time.DateTime))
	_, err = fmt.Fprintf(p.stdout, "%s/reset/%s\n", links(c.PublicURL, c.Addr), token)
	return err
}

// openBeside opens the database whether or not the app is running. Only a database of
// an older version requires that no other process uses the folder.
func openBeside(ctx context.Context, dir, database string) (*store.Store, error) {
	if database != "" {
		return store.OpenExisting(ctx, database)
	}
	if err := folder.Restored(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "dailies.db")
	s, err := store.OpenExisting(ctx, path)
	if !errors.Is(err, store.ErrOtherVersion) {
		return s, err
	}
	data, err := folder.Open(dir)
	if err != nil {
		return nil, err
	}
	defer data.Close()
	return store.Open(ctx, path)
}
