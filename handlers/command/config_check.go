package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"text/tabwriter"

	"dailies/handlers/config"
	"dailies/web/videoapi"
)

// errConfig says that "dailies config check" has found something wrong. What it is has
// been printed.
var errConfig = errors.New("config check: not everything is as it should be")

// configCheck says what the settings are, and whether the app could start with them on
// this machine. It changes nothing.
func (p program) configCheck(ctx context.Context) error {
	switch {
	case len(p.Args) > 0 && p.Args[0] == "check":
		p.Args = p.Args[1:]
	case len(p.Args) == 0 || !slices.Contains([]string{"-h", "-help", "--help"}, p.Args[0]):
		return settings(errors.New("config needs to know what to do: dailies config check"))
	}
	p.Note = nil // the report has the notes
	i, err := config.InspectApp(p.Source)
	if err != nil {
		return settings(err)
	}
	report := settingsReport(i)
	if i.Usable() {
		_, err := videoapi.OpenCatalog(i.App.Catalog)
		if err == nil {
			report.Checks = checkMachine(ctx, i.App)
		} else {
			report.refuse("catalog", err)
		}
	}
	report.OK = i.Usable()
	for _, c := range append(report.Checks, report.Settings...) {
		report.OK = report.OK && c.OK
	}
	if i.JSON {
		err = p.printJSON(report)
	} else {
		err = report.print(p.stdout)
	}
	switch {
	case err != nil || report.OK:
		return err
	case !report.usable():
		return settings(errConfig)
	}
	return errConfig
}

// A configReport is what "dailies config check" prints with -json. Fields are only ever
// added.
type configReport struct {
	OK       bool      `json:"ok"`
	Settings []finding `json:"settings"`
	Notes    []string  `json:"notes"`  // sentences about what may be a mistake
	Checks   []finding `json:"checks"` // of this machine; empty if a setting cannot be used
}

// A finding is one setting, or one check of the machine.
type finding struct {
	Name     string  `json:"name"`
	OK       bool    `json:"ok"`
	Variable string  `json:"variable,omitempty"` // of a setting
	Value    *string `json:"value,omitempty"`    // of a setting
	From     string  `json:"from,omitempty"`     // where the value of a setting comes from
	Says     string  `json:"says,omitempty"`     // a sentence
}

func settingsReport(i config.Inspection) configReport {
	report := configReport{Notes: append([]string{}, i.Notes...), Checks: []finding{}}
	for _, s := range i.Settings {
		report.Settings = append(report.Settings, finding{Name: s.Name, OK: s.Problem == "", Variable: s.Variable, Value: &s.Value, From: s.From, Says: s.Problem})
	}
	return report
}

// refuse marks the setting as one that cannot be used.
func (r *configReport) refuse(name string, why error) {
	for n := range r.Settings {
		if r.Settings[n].Name == name {
			r.Settings[n].OK, r.Settings[n].Says = false, why.Error()
		}
	}
}

func (r *configReport) usable() bool {
	return !slices.ContainsFunc(r.Settings, func(s finding) bool { return !s.OK })
}

// print prints the report for people.
func (r *configReport) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(f finding, rest ...string) {
		state := "ok"
		if !f.OK {
			state = "NOT OK"
		}
		fmt.Fprintln(w, strings.Join(append([]string{state, f.Name}, rest...), "\t"))
	}
	fmt.Fprintln(w, "Settings:")
	for _, s := range r.Settings {
		line(s, cmp.Or(*s.Value, "–"), s.From, s.Says)
	}
	for _, note := range r.Notes {
		fmt.Fprintln(w, "note\t"+note)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nThis machine:")
	if len(r.Checks) == 0 {
		fmt.Fprintln(w, "\tnot looked at, because a setting cannot be used")
	}
	for _, c := range r.Checks {
		line(c, c.Says)
	}
	if r.OK {
		fmt.Fprintln(w, "\nDailies can start with these settings.")
	}
	return w.Flush()
}

// checkMachine checks what the settings lead to. It changes nothing.
func checkMachine(ctx context.Context, c config.App) []finding {
	var found []finding
	check := func(name string) func(says string, err error) {
		return func(says string, err error) {
			if err != nil {
				says = strings.ReplaceAll(err.Error(), "\n", "; ")
			}
			found = append(found, finding{Name: name, OK: err == nil, Says: says})
		}
	}
	check("data folder")(checkFolder(c))
	s, says, err := openToCheck(ctx, c)
	check("database")(says, err)
	if s != nil {
		defer s.Close()
	}
	check("free space")(checkSpace(ctx, c, s))
	check("secret")(checkSecret(ctx, c, s))
	check("media")(checkMedia(ctx, c, slog.New(slog.DiscardHandler)))
	says, running, err := checkAddress(ctx, c.Addr)
	check("address")(says, err)
	if c.MetricsAddr != "" {
		check("metrics address")(checkMetricsAddress(c.MetricsAddr, running))
	}
	if c.Mail.Address.IsSet() {
		check("mail server")(checkMail(ctx, c))
	}
	check("video service")(checkService(ctx, c, s))
	if c.OIDC.Issuer != "" {
		check("sign-on provider")(checkProvider(ctx, c))
	}
	return found
}
