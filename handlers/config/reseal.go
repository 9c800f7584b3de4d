package config

import (
	"cmp"
	"flag"
)

// Reseal holds the settings of the command "reseal", which seals keys again with a new
// secret.
type Reseal struct {
	Data              string
	Database          Database
	Secret, NewSecret string // empty means the file in the data folder
}

// ParseReseal reads the settings of the command "reseal".
func ParseReseal(s Source) (c Reseal, err error) {
	if err := parse(flagSet("dailies reseal", c.flags), &s); err != nil {
		return c, err
	}
	return c, cmp.Or(c.Database.check("-database"), folder(c.Data), checkLength("-new-secret", c.NewSecret, shortestSecret))
}

func (c *Reseal) flags(f *flag.FlagSet) {
	f.StringVar(&c.Data, "data", "./data", "`folder` for everything that is kept")
	c.Database.flag(f)
	f.StringVar(&c.Secret, "secret", "", "`secret` that the data is sealed with; empty means the file in the data folder")
	f.StringVar(&c.NewSecret, "new-secret", "", "`secret` to seal with from now on; empty means a random one, which becomes the file in the data folder")
}
