package config

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"net"
	"slices"
	"strings"
)

// Upkeep holds the settings of a command on a data folder and its media.
type Upkeep struct {
	Command Command
	Data    string
	File    string // the backup; empty for a check, and with Into
	Into    string // the folder in which a backup is added; empty for one file
	Keep    int    // how many backups stay in that folder; 0 for all
	Media   Media

	Database Database
}

// A Command is the first word after the program's name.
type Command string

const (
	Check   Command = "check"
	Backup  Command = "backup"
	Restore Command = "restore"
)

// ParseUpkeep reads the settings of a command about the data folder.
func ParseUpkeep(command Command, s Source) (Upkeep, error) {
	c := Upkeep{Command: command}
	if c.Command != Check {
		c.File, s.Args = takeFile(s.Args, "data", "database", "media", "env", "into", "keep")
	}
	if err := parse(flagSet(fmt.Sprintf("dailies %s", c.Command), c.flags), &s); err != nil {
		return c, err
	}
	if err := c.Media.read(s); err != nil {
		return c, err
	}
	switch {
	case c.Keep < 0:
		return c, fmt.Errorf("-keep %d cannot be used; it takes 0 or more", c.Keep)
	case c.Into == "" && c.Keep > 0:
		return c, errors.New("-keep needs -into: it is about the backups in a folder")
	case c.Into != "" && c.File != "":
		return c, errors.New("a backup is written to a file or, with -into, to a folder; this names both")
	case c.Into == "" && c.File == "" && c.Command != Check:
		return c, fmt.Errorf("%s needs the name of a file: dailies %s FILE -data FOLDER", c.Command, c.Command)
	}
	return c, cmp.Or(c.Database.check("-database"), folder(c.Data))
}

func (c *Upkeep) flags(f *flag.FlagSet) {
	f.StringVar(&c.Data, "data", "./data", "`folder` for everything that is kept")
	c.Database.named(f, "database")
	c.Media.named(f, "media")
	if c.Command == Backup {
		f.StringVar(&c.Into, "into", "",
			"`folder` to which the backup is added, with only those videos and pictures that are not there yet")
		f.IntVar(&c.Keep, "keep", 0, "how `many` backups stay in that folder, the newest; 0 for all")
	}
}

// takeFile splits a command's file name, or other argument, from its flags. It may
// come before or after the flags; values names the flags that take a value.
func takeFile(args []string, values ...string) (file string, flags []string) {
	n := len(args)
	switch {
	case n > 0 && !strings.HasPrefix(args[0], "-"):
		return args[0], args[1:]
	case n > 1 && !strings.HasPrefix(args[n-1], "-") && !isFlag(args[n-2], values):
		return args[n-1], args[:n-1]
	}
	return "", args
}

// isFlag reports whether arg is one of the named flags, without a value.
func isFlag(arg string, names []string) bool {
	return strings.HasPrefix(arg, "-") && slices.Contains(names, strings.TrimLeft(arg, "-"))
}

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
	c.Database.named(f, "database")
	f.StringVar(&c.Secret, "secret", "", "`secret` that the data is sealed with; empty means the file in the data folder")
	f.StringVar(&c.NewSecret, "new-secret", "",
		"`secret` to seal with from now on; empty means a random one, which becomes the file in the data folder")
}

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
	c.Database.named(f, "database")
	f.StringVar(&c.Addr, "addr", "127.0.0.1:8080", "`address` that the app serves on; the link begins with it if there is no -public-url")
	f.StringVar(&c.PublicURL, "public-url", "", "`address` at which others reach the app; the link begins with it")
	f.BoolVar(&c.WithoutSecond, "without-second-factor", false, "remove the second step and passkeys of that person, who has lost them")
}

// Healthcheck holds the address of the running program that the command "healthcheck"
// asks.
type Healthcheck struct{ Addr string }

// ParseHealthcheck reads the settings of the command "healthcheck".
func ParseHealthcheck(s Source) (c Healthcheck, err error) {
	if err := parse(flagSet("dailies healthcheck", c.flags), &s); err != nil {
		return c, err
	}
	if err := address("-addr", c.Addr); err != nil {
		return c, err
	}
	if _, port, _ := net.SplitHostPort(c.Addr); port == "0" {
		return c, fmt.Errorf("-addr %q names no port that can be asked", c.Addr)
	}
	return c, nil
}

func (c *Healthcheck) flags(f *flag.FlagSet) {
	f.StringVar(&c.Addr, "addr", "127.0.0.1:8080", "`address` that the program serves on")
}
