package config

import (
	"cmp"
	"errors"
	"flag"
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
