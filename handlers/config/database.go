package config

import (
	"flag"
	"fmt"

	"dailies/db/store/postgres"
)

// Database is the URL of the database on a server, or two URLs (see
// postgres.Addresses); empty means the file in the data folder. It may contain a
// password.
type Database string

func (d *Database) flag(f *flag.FlagSet) { d.named(f, "database") }

func (d *Database) named(f *flag.FlagSet, name string) {
	f.Var(d, name, "`address` of a Postgres database instead of a file in the data folder, such as postgres://dailies@db.example.com/dailies; with a password in it, prefer DAILIES_DATABASE or DAILIES_DATABASE_FILE; where it leads through a transaction pooler, a second, direct address behind a space lets processes hear of each other at once")
}

// String implements flag.Value. It returns "", because the value may contain a
// password.
func (d *Database) String() string { return "" }

// Set implements flag.Value. It does not check the value, because the flag package's
// error would show the password; check does.
func (d *Database) Set(text string) error {
	*d = Database(text)
	return nil
}

func (d *Database) check(name string) error {
	if *d == "" {
		return nil
	}
	if _, _, err := postgres.Addresses(string(*d)); err != nil {
		return fmt.Errorf("%s cannot be used; %w", name, err)
	}
	return nil
}
