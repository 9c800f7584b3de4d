package config

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
)

// A UserVerb is the second word of "dailies user".
type UserVerb string

// What "dailies user" can do.
const (
	ListUsers      UserVerb = "list"
	AddUser        UserVerb = "add"
	SetUserRole    UserVerb = "role"
	SetUserLimit   UserVerb = "limit"
	DeactivateUser UserVerb = "deactivate"
	ActivateUser   UserVerb = "activate"
	EndTokens      UserVerb = "end-tokens"
)

// User holds the settings of the command "user", which lists and changes accounts.
type User struct {
	Verb     UserVerb
	Who      string // e-mail address or ID of the account
	JSON     bool
	Data     string
	Database Database

	Addr, PublicURL   string // AddUser: where the link leads
	Name, Role, Limit string // AddUser; Role also for SetUserRole, Limit for SetUserLimit
	HandTo, Private   string // DeactivateUser
	EndLinks          bool   // DeactivateUser
	Secret            string // DeactivateUser: opens the links that are handed over
}

// userForms shows how each verb is used.
var userForms = map[UserVerb]string{
	ListUsers:      "dailies user list",
	AddUser:        "dailies user add EMAIL -name NAME",
	SetUserRole:    "dailies user role EMAIL ROLE",
	SetUserLimit:   "dailies user limit EMAIL CREDITS",
	DeactivateUser: "dailies user deactivate EMAIL",
	ActivateUser:   "dailies user activate EMAIL",
	EndTokens:      "dailies user end-tokens EMAIL",
}

// ParseUser reads the settings of the command "user".
func ParseUser(s Source) (c User, err error) {
	first := ""
	if len(s.Args) > 0 {
		first = s.Args[0]
	}
	if userForms[UserVerb(first)] != "" {
		c.Verb, s.Args = UserVerb(first), s.Args[1:]
	} else if !slices.Contains([]string{"-h", "-help", "--help"}, first) {
		return c, errors.New("user needs to know what to do: " +
			"dailies user list, add, role, limit, deactivate, activate or end-tokens; -h explains them")
	}
	f := flagSet(strings.TrimSpace(fmt.Sprintf("dailies user %s", c.Verb)), c.flags)
	var args []string
	args, s.Args = takeArguments(f, s.Args)
	if err := parse(f, &s); err != nil {
		return c, err
	}
	if err := c.take(args); err != nil {
		return c, err
	}
	return c, c.check()
}

// take reads the arguments that are not flags.
func (c *User) take(args []string) error {
	want := 1
	switch c.Verb {
	case ListUsers:
		want = 0
	case SetUserRole, SetUserLimit:
		want = 2
	}
	if len(args) > want {
		return fmt.Errorf("%q is one argument too many: %s", args[want], userForms[c.Verb])
	}
	if len(args) < want {
		return fmt.Errorf("user %s needs more than that: %s", c.Verb, userForms[c.Verb])
	}
	if want > 0 {
		c.Who = strings.TrimSpace(args[0])
	}
	switch c.Verb {
	case SetUserRole:
		c.Role = args[1]
	case SetUserLimit:
		c.Limit = args[1]
	}
	return nil
}

func (c *User) check() error {
	errs := []error{folder(c.Data), c.Database.check("-database")}
	switch c.Verb {
	case AddUser:
		errs = append(errs, address("-addr", c.Addr), publicAddress("-public-url", &c.PublicURL))
		if c.Name == "" {
			errs = append(errs, fmt.Errorf("-name has to say what others call the person: %s", userForms[c.Verb]))
		}
	case DeactivateUser:
		errs = append(errs, checkLength("-secret", c.Secret, shortestSecret))
		if !slices.Contains([]string{"", "hand", "bin"}, c.Private) {
			errs = append(errs, fmt.Errorf("-private %q cannot be used; it takes hand or bin", c.Private))
		}
		if c.Private == "hand" && c.HandTo == "" {
			errs = append(errs, errors.New("-private hand needs -hand-to, the colleague who gets the private videos"))
		}
	}
	return cmp.Or(errs...)
}

func (c *User) flags(f *flag.FlagSet) {
	f.StringVar(&c.Data, "data", "./data", "`folder` for everything that is kept")
	c.Database.named(f, "database")
	f.BoolVar(&c.JSON, "json", false, "print JSON")
	switch c.Verb {
	case AddUser:
		f.StringVar(&c.Addr, "addr", "127.0.0.1:8080",
			"`address` that the app serves on; the link begins with it if there is no -public-url")
		f.StringVar(&c.PublicURL, "public-url", "", "`address` at which others reach the app; the link begins with it")
		f.StringVar(&c.Name, "name", "", "`name` by which others call the person")
		f.StringVar(&c.Role, "role", "member", "`role` of the person: admin, member or viewer")
		f.StringVar(&c.Limit, "limit", "default",
			"`credits` that the person may spend in a month: a number, none, or default for the team's limit")
	case DeactivateUser:
		f.StringVar(&c.HandTo, "hand-to", "", "`person`, by e-mail address or ID, who gets the videos, recipes, collections and links; "+
			"empty leaves them under the name of who leaves")
		f.StringVar(&c.Private, "private", "",
			"`hand` gives private videos to that colleague, too, bin puts them into the bin; without -hand-to, private videos need bin")
		f.BoolVar(&c.EndLinks, "end-links", false, "turn off the links that the person has shared")
		f.StringVar(&c.Secret, "secret", "",
			"`secret` that the data is sealed with, for links that are handed over; empty means the file in the data folder")
	}
}
