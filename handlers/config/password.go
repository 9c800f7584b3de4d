package config

import (
	"errors"
	"flag"
	"strings"
)

// Password asks for a link with which somebody sets a new password.
type Password struct{ Email, Data, Addr, PublicURL string }

// ParsePassword reads the command "password"; asked is false if it is another.
func ParsePassword(s Source) (c Password, asked bool, err error) {
	if len(s.Args) == 0 || s.Args[0] != "password" {
		return c, false, nil
	}
	c.Email, s.Args = takeFile(s.Args[1:], "data", "addr", "public-url")
	f := flag.NewFlagSet("dailies password", flag.ContinueOnError)
	f.StringVar(&c.Data, "data", "./data", "`folder` for everything that is kept")
	f.StringVar(&c.Addr, "addr", "127.0.0.1:8080", "`address` that the app serves on; the link begins with it if there is no -public-url")
	f.StringVar(&c.PublicURL, "public-url", "", "`address` at which others reach the app; the link begins with it")
	if err := parse(f, s); err != nil {
		return c, true, err
	}
	if c.Email == "" {
		return c, true, errors.New("password needs an e-mail address: dailies password EMAIL -data FOLDER")
	}
	c.PublicURL = strings.TrimRight(c.PublicURL, "/")
	for _, err := range []error{folder(c.Data), address("-addr", c.Addr), webAddress("-public-url", c.PublicURL)} {
		if err != nil {
			return c, true, err
		}
	}
	return c, true, nil
}
