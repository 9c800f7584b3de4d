package config

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
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
	c.Database.flag(f)
	c.Media.flags(f)
	if c.Command == Backup {
		f.StringVar(&c.Into, "into", "", "`folder` to which the backup is added, with only those videos and pictures that are not there yet")
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
