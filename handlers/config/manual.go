package config

import (
	"flag"
	"fmt"
	"io"
	"strings"
)

// A form is one way to call the program.
type form struct {
	args  string // after "dailies"
	what  string // it does, in a few words
	flags func(*flag.FlagSet)
}

// forms returns all ways to call the program, in the order in which help lists them.
func forms() []form {
	of := func(c Command) func(*flag.FlagSet) { return (&Upkeep{Command: c}).flags }
	user := func(v UserVerb) func(*flag.FlagSet) { return (&User{Verb: v}).flags }
	return []form{
		{"[settings]", "the app", new(App).flags},
		{"sandbox [settings]", "the sandbox alone", new(Sandbox).flags},
		{"check", "looks whether all data is whole: the database, and every file", of(Check)},
		{"backup FILE", "puts the data folder into one file", of(Backup)},
		{"backup -into FOLDER", "adds a backup to a folder, with only those videos that are not there yet", of(Backup)},
		{"restore FILE", "makes a data folder of such a file, or of the newest backup in a folder", of(Restore)},
		{"move", "moves everything to another database or bucket, or back", new(Move).flags},
		{"config check", "says every setting, and whether the app could start with them here", new(Inspection).flags},
		{"reseal", "seals keys again with a new secret", new(Reseal).flags},
		{"password EMAIL", "prints a link with which somebody sets a new password", new(Password).flags},
		{"user list", "lists the accounts", user(ListUsers)},
		{"user add EMAIL", "adds an account, and prints a link with which its owner sets a password", user(AddUser)},
		{"user role EMAIL ROLE", "makes somebody an admin, a member or a viewer", user(SetUserRole)},
		{"user limit EMAIL CREDITS",
			"sets what somebody may spend in a month: a number, none, or default for the team's limit", user(SetUserLimit)},
		{"user deactivate EMAIL", "deactivates an account, and hands over what its owner has", user(DeactivateUser)},
		{"user activate EMAIL", "opens a deactivated account again", user(ActivateUser)},
		{"user end-tokens EMAIL", "ends the tokens of somebody's programs", user(EndTokens)},
		{"healthcheck", "asks the running program whether it is alive", new(Healthcheck).flags},
		{"man", "prints the manual page, for man -l -", nil},
		{"version", "prints the version, the commit and the version of Go", nil},
	}
}

// usage returns the beginning of the help about the command with the name.
func usage(name string) string {
	var text strings.Builder
	text.WriteString("Usage:\n")
	for _, f := range forms() {
		fmt.Fprintf(&text, "  dailies %-21s  %s\n", f.args, f.what)
	}
	fmt.Fprintf(&text, `
Settings of %s; each that does not belong to one run alone can
also be given in the environment, -public-url as DAILIES_PUBLIC_URL:

`, name)
	return text.String()
}

// Manual writes the manual page, in the format of man(7).
func Manual(to io.Writer) error {
	var page strings.Builder
	page.WriteString(`.TH DAILIES 1 "" "" "Dailies"
.SH NAME
dailies \- web app for making AI videos as a team
.SH SYNOPSIS
`)
	for i, f := range forms() {
		if i > 0 {
			page.WriteString(".br\n")
		}
		fmt.Fprintf(&page, ".B dailies\n%s\n", roff(f.args))
	}
	page.WriteString(`.SH DESCRIPTION
People describe a video in the browser, press one button and watch the result.
A shared gallery keeps everything that the team makes.
Without a command, dailies serves the app until it is stopped.
.SH COMMANDS
`)
	for _, f := range forms()[1:] {
		fmt.Fprintf(&page, ".TP\n.B %s\n%s.\n", roff(f.args), roff(f.what))
	}
	page.WriteString(`.SH SETTINGS
Each setting of the app can also be given in the environment:
.B \-public\-url
as
.BR DAILIES_PUBLIC_URL .
A flag counts more than the environment, and the environment more than the file of
.BR \-env .
`)
	known := map[string]bool{}
	for _, f := range forms() {
		f.describe(&page, known)
	}
	page.WriteString(`.SH FILES
.TP
.I /etc/dailies/dailies.env
settings of the installed service, which commands read too
.TP
.I /var/lib/dailies
its data folder
.TP
.I /usr/share/doc/dailies/OPERATING.md
how to operate the service
.SH EXIT STATUS
0; 1 after a failure; 2 if the settings cannot be used.
`)
	_, err := io.WriteString(to, page.String())
	return err
}

// describe writes a list of those flags that no form before has. known has the flags of
// these.
func (f form) describe(page *strings.Builder, known map[string]bool) {
	if f.flags == nil {
		return
	}
	set := flagSet("", f.flags)
	begun := len(known) == 0 // the settings of the app have their heading
	set.VisitAll(func(one *flag.Flag) {
		value, usage := flag.UnquoteUsage(one)
		line := one.Name + "\x00" + usage
		if known[line] {
			return
		}
		known[line] = true
		if !begun {
			begun = true
			fmt.Fprintf(page, ".SS Further flags of dailies %s\n", roff(f.args))
		}
		fmt.Fprintf(page, ".TP\n.B \\-%s", roff(one.Name))
		if value != "" {
			fmt.Fprintf(page, " \\fI%s\\fR", roff(value))
		}
		fmt.Fprintf(page, "\n%s", roff(usage))
		if one.DefValue != "" && one.DefValue != "false" {
			fmt.Fprintf(page, " (usually %s)", roff(one.DefValue))
		}
		page.WriteString(".\n")
	})
	if len(known) > 0 && f.args == "[settings]" {
		_, help := flag.UnquoteUsage(&flag.Flag{Usage: envHelp})
		fmt.Fprintf(page, ".TP\n.B \\-env \\fIfile\\fR\n%s.\n", roff(help))
	}
}

// roff returns the text as it appears in a line of a manual page that does not begin with
// it, or begins with a letter.
func roff(text string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
}
