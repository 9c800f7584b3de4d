package config

import (
	"errors"
	"flag"
	"net/url"
	"strings"
)

// Database is the address of the database on a server; empty means the file in the
// data folder. It may hold a password.
type Database string

func (d *Database) flag(f *flag.FlagSet) { d.named(f, "database") }

func (d *Database) named(f *flag.FlagSet, name string) {
	f.Var(d, name, "`address` of a Postgres database instead of a file in the data folder, such as postgres://dailies@db.example.com/dailies; with a password in it, prefer DAILIES_DATABASE or DAILIES_DATABASE_FILE")
}

// String implements flag.Value. It shows no password.
func (d *Database) String() string { return "" }

// Set implements flag.Value. An error of a flag would show the password; check does
// not.
func (d *Database) Set(text string) error {
	*d = Database(text)
	return nil
}

func (d *Database) check(name string) error {
	u, err := url.Parse(string(*d))
	scheme, _, _ := strings.Cut(string(*d), "://")
	if *d != "" && (err != nil || scheme != "postgres" && scheme != "postgresql" || strings.Trim(u.Path, "/") == "") {
		return errors.New(name + " cannot be used; it takes an address such as postgres://dailies@db.example.com/dailies")
	}
	return nil
}
