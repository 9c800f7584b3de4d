package config

import (
	"cmp"
	"errors"
	"flag"
)

// Password holds the settings of the command "password", which prints a link for
// setting a new password.
type Password struct {
	Email, Data, Addr, PublicURL string
	Database                     Database
	WithoutSecond                bool // also remove the second step
}

// ParsePassword reads the settings of the command "password".
func ParsePassword(s Source) (c Password, err error) {
	c.Email, s.Args = takeFile(s.Args, "data", "database", "addr", "public-url", "env")
	if err := parse(flagSet("dailies password", c.flags), &s); err != nil {
		return c, err
	}
	if c.Email == "" {
		return c, errors.New("password needs an e-mail address: dailies password EMAIL -data FOLDER")
	}
	return c, cmp.Or(folder(c.Data), address("-addr", c.Addr), publicAddress("-public-url", &c.PublicURL), c.Database.check("-database"))
}

func (c *Password) flags(f *flag.FlagSet) {
	f.StringVar(&c.Data, "data", "./data", "`folder` for everything that is kept")
	c.Database.flag(f)
	f.StringVar(&c.Addr, "addr", "127.0.0.1:8080", "`address` that the app serves on; the link begins with it if there is no -public-url")
	f.StringVar(&c.PublicURL, "public-url", "", "`address` at which others reach the app; the link begins with it")
	f.BoolVar(&c.WithoutSecond, "without-second-factor", false, "remove the second step and passkeys of that person, who has lost them")
}
