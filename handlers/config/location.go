package config

import (
	"cmp"
	"errors"
	"flag"
	"fmt"

	"dailies/db/media/bucket"
	"dailies/db/store/postgres"
)

// Location says where an installation of Dailies stores its data.
type Location struct {
	Data     string // the data folder; may be empty
	Database Database
	Media    Media
}

// Move says from where to where the data is moved.
type Move struct {
	From, To Location
	Abort    bool
}

// ParseMove reads the settings of the command "move".
func ParseMove(s Source) (c Move, err error) {
	if err := parse(flagSet("dailies move", c.flags), &s); err != nil {
		return c, err
	}
	if err := cmp.Or(c.From.Media.read(s), c.To.Media.read(s)); err != nil {
		return c, err
	}
	if err := errors.Join(c.From.Database.check("-from-database"), c.To.Database.check("-to-database")); err != nil {
		return c, err
	}
	switch {
	case c.From.Data == "" && c.From.Database == "":
		return c, errors.New("move needs -from-data or -from-database")
	case !c.Abort && c.To.Data == "" && c.To.Database == "" && !c.To.Media.isSet():
		return c, errors.New("move needs -to-data, -to-database or -to-media")
	case c.From.Data == "" && !c.From.Media.isSet() && (c.To.Data != "" || c.To.Media.isSet()):
		return c, errors.New("move needs -from-data or -from-media to know where the videos are")
	case c.From.Data != "" && c.From.Data == c.To.Data:
		return c, errors.New("-from-data and -to-data are the same folder")
	}
	return c, nil
}

func (c *Move) flags(f *flag.FlagSet) {
	f.StringVar(&c.From.Data, "from-data", "", "`folder` to move from; also where the secret and the sandbox are")
	c.From.Database.named(f, "from-database")
	c.From.Media.named(f, "from-media")
	f.StringVar(&c.To.Data, "to-data", "", "`folder` to move to")
	c.To.Database.named(f, "to-database")
	c.To.Media.named(f, "to-media")
	f.BoolVar(&c.Abort, "abort", false, "let Dailies be started again on what -from-data and -from-database name")
}

// Media says where media are stored.
type Media struct {
	Bucket               bucket.Address // the zero value means the data folder
	AccessKey, SecretKey string

	name string // of the flag, with a dash
	text string
}

// The environment variables with the credentials of a bucket. They are not flags,
// because other users of the machine can read those.
const (
	accessKey = "DAILIES_S3_ACCESS_KEY"
	secretKey = "DAILIES_S3_SECRET_KEY"
)

func (m *Media) named(f *flag.FlagSet, name string) {
	m.name = "-" + name
	f.StringVar(&m.text, name, "", fmt.Sprintf("`bucket` for videos and pictures, "+
		"such as s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-central-1; "+
		"redirect=1 lets browsers download from it; the environment has the credentials in %[1]s and %[2]s, "+
		"or names files with %[1]s_FILE and %[2]s_FILE; empty means the data folder", accessKey, secretKey))
}

// isSet reports whether a bucket is set.
func (m *Media) isSet() bool { return m.Bucket != (bucket.Address{}) }

// read parses the flag's value, and reads the credentials if a bucket is set.
func (m *Media) read(s Source) (err error) {
	name, text := m.name, m.text
	m.name, m.text = "", ""
	if m.Bucket, err = bucket.Parse(text); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if !m.isSet() {
		return nil
	}
	if m.AccessKey, err = s.secret(accessKey); err != nil {
		return err
	}
	if m.SecretKey, err = s.secret(secretKey); err != nil {
		return err
	}
	if m.AccessKey == "" || m.SecretKey == "" {
		return fmt.Errorf("%s needs %s and %s in the environment", name, accessKey, secretKey)
	}
	return nil
}

// Database is the URL of the database on a server, or two URLs (see
// postgres.Addresses); empty means the file in the data folder. It may contain a
// password.
type Database string

func (d *Database) named(f *flag.FlagSet, name string) {
	f.Var(d, name, "`address` of a Postgres database instead of a file in the data folder, "+
		"such as postgres://dailies@db.example.com/dailies; "+
		"with a password in it, prefer DAILIES_DATABASE or DAILIES_DATABASE_FILE; "+
		"where it leads through a transaction pooler, a second, direct address "+
		"behind a space lets processes hear of each other at once")
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
