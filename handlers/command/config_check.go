package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"dailies/db"
	"dailies/db/folder"
	"dailies/db/format"
	"dailies/db/media"
	"dailies/db/schedule"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/handlers/config"
	"dailies/web/fetch"
	"dailies/web/smtp"
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
		report.Settings = append(report.Settings,
			finding{Name: s.Name, OK: s.Problem == "", Variable: s.Variable, Value: &s.Value, From: s.From, Says: s.Problem})
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

// lookTime limits one look at another server.
const lookTime = 10 * time.Second

// existingFolder returns the folder or, while it is missing, the one in which it would be made.
func existingFolder(dir string) (there string, missing bool, err error) {
	if there, err = filepath.Abs(dir); err != nil {
		return "", false, err
	}
	for {
		_, err := os.Stat(there)
		if err == nil || !errors.Is(err, fs.ErrNotExist) || there == filepath.Dir(there) {
			return there, missing, err
		}
		there, missing = filepath.Dir(there), true
	}
}

// checkFolder checks that the data folder, or a new one, can be written.
func checkFolder(c config.App) (says string, err error) {
	there, missing, err := existingFolder(c.Data)
	if err == nil {
		err = folder.MayWrite(there)
	}
	if err != nil {
		return "", err
	}
	if missing {
		return fmt.Sprintf("%s is not there yet; the first start makes it", c.Data), nil
	}
	if err := folder.Restored(there); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s can be written by this user", there), nil
}

// openToCheck opens the database to read it. s is nil if the next start has to make it,
// or has to update its tables.
func openToCheck(ctx context.Context, c config.App) (s *store.Store, says string, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	name := string(c.Database)
	if name == "" {
		name = filepath.Join(c.Data, "dailies.db")
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Sprintf("%s is not there yet; the first start makes it", name), nil
		}
	}
	s, err = store.OpenToRead(ctx, name)
	var versions store.Versions
	if errors.As(err, &versions) {
		switch {
		case versions.Has == 0:
			return nil, "it answers and is empty; the first start makes its tables", nil
		case versions.Has < versions.Knows:
			return nil, fmt.Sprintf(
				"its tables are of an earlier version (%d), and the next start brings them to that of this program (%d)",
				versions.Has, versions.Knows,
			), nil
		case versions.Serves <= versions.Knows:
			return nil, fmt.Sprintf("its tables are of a newer version (%d), which this program (%d) can use",
				versions.Has, versions.Knows), nil
		}
		return nil, "", fmt.Errorf("its tables are of a newer version (%d) than this program (%d) can use", versions.Has, versions.Knows)
	}
	if err != nil {
		return nil, "", err
	}
	engine, err := s.EngineVersion(ctx)
	if err != nil {
		return nil, "", errors.Join(err, s.Close())
	}
	return s, fmt.Sprintf("%s answers, and its tables are of this version", engine), nil
}

// checkSpace checks that there is room for another video. The store may be nil.
func checkSpace(ctx context.Context, c config.App, s *store.Store) (says string, err error) {
	there, _, err := existingFolder(c.Data)
	if err != nil {
		return "", err
	}
	space := schedule.Space{Max: int64(c.KeepMax)}
	if space.Free, err = media.Free(there); err != nil {
		return "", err
	}
	if s != nil {
		if space.Used, err = s.Files.KeptBytes(ctx); err != nil {
			return "", err
		}
	}
	free := fmt.Sprintf("%s free", format.Bytes(space.Free))
	switch {
	case space.Free < 0:
		return "how much is free is not known on this system", nil
	case space.Free <= schedule.Reserve:
		return "", fmt.Errorf("%s on the disk of %s; no video is kept while less than %s is free",
			free, there, format.Bytes(schedule.Reserve))
	case space.Left() == 0:
		return "", fmt.Errorf("%s are kept, and -keep-max allows %s: no further video is kept",
			format.Bytes(space.Used), format.Bytes(space.Max))
	}
	return fmt.Sprintf("%s on the disk of %s", free, there), nil
}

// checkSecret checks that the data is sealed with the secret of the settings. The store is
// nil if that cannot be known yet.
func checkSecret(ctx context.Context, c config.App, s *store.Store) (says string, err error) {
	secret, isNew := []byte(c.Secret), false
	if c.Secret == "" {
		if secret, isNew, err = folder.At(c.Data).Secret(); err != nil {
			return "", err
		}
	}
	guessable := !secrets.IsMade(secret) && secrets.IsGuessable(string(secret))
	if s == nil {
		if guessable {
			return "", errGuessable
		}
		return "nothing can be compared with it before the next start", nil
	}
	_, _, err = s.Unseal(ctx, secret)
	switch {
	case errors.Is(err, db.ErrNotFound) && guessable:
		return "", errGuessable
	case errors.Is(err, db.ErrNotFound):
		return "nothing is sealed yet", nil
	case errors.Is(err, secrets.ErrSecret) && c.ForgetSealed:
		return "the data is sealed with another one, which -forget-sealed forgets at the next start", nil
	case errors.Is(err, secrets.ErrSecret) && isNew:
		return "", fmt.Errorf(
			"the data is sealed with a secret that is missing; put the file \"secret\" into %s, or give it as -secret",
			c.Data,
		)
	case errors.Is(err, secrets.ErrSecret):
		return "", errors.New("the data is sealed with another one; give that as -secret, or as the file \"secret\" in the data folder")
	case err != nil:
		return "", err
	case guessable:
		return "the data is sealed with it, but it can be guessed; change it with: dailies reseal", nil
	}
	return "the data is sealed with it", nil
}

// checkMedia checks that the bucket answers, or that the folder can be written.
func checkMedia(ctx context.Context, c config.App, log *slog.Logger) (says string, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	b, err := openBucket(ctx, c.Media, log)
	if err != nil {
		return "", err
	}
	if b != nil {
		return fmt.Sprintf("%s can be listed", b), nil
	}
	there, missing, err := existingFolder(filepath.Join(c.Data, "media"))
	if err == nil && !missing {
		err = folder.MayWrite(there)
	}
	return "in the data folder", err
}

// checkAddress checks that the app can serve on the address. It may be serving there
// already.
func checkAddress(ctx context.Context, addr string) (says string, running bool, err error) {
	l, err := net.Listen("tcp", addr)
	if err == nil {
		return fmt.Sprintf("%s is free", addr), false, l.Close()
	}
	if said, healthErr := askHealth(ctx, addr); healthErr == nil {
		return fmt.Sprintf("a program serves there already, which may be this one: %s", said), true, nil
	}
	return "", false, err
}

// checkMetricsAddress is like checkAddress for the metrics, which a running app serves
// itself.
func checkMetricsAddress(addr string, running bool) (says string, err error) {
	l, err := net.Listen("tcp", addr)
	switch {
	case err == nil:
		return fmt.Sprintf("%s is free", addr), l.Close()
	case running:
		return "in use, as the app is running", nil
	}
	return "", err
}

// checkMail signs in at the mail server.
func checkMail(ctx context.Context, c config.App) (says string, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	if err := (&smtp.Client{Address: c.Mail.Address, Password: c.Mail.Password}).Check(ctx); err != nil {
		return "", fmt.Errorf("%s: %w", c.Mail.Address.Server(), err)
	}
	return fmt.Sprintf("%s takes mails from here", c.Mail.Address.Server()), nil
}

// checkService asks the video service for anything: that it answers is enough. Without one
// in the settings, it is the one that an admin has connected in the browser. The store is
// nil if it cannot be opened.
func checkService(ctx context.Context, c config.App, s *store.Store) (says string, err error) {
	address, transport, chosen := c.APIURL, fetch.Service(1), ""
	if s != nil {
		if chosen, err = s.Services.Chosen(ctx); err != nil {
			return "", err
		}
	}
	switch {
	case address == "" && chosen == "":
		return "practice mode: no service is called", nil
	case address == "":
		address, transport = chosen, fetch.ServiceOfOthers(c.AllowPrivate, 1)
	}
	host, err := answers(ctx, address, transport)
	switch {
	case err != nil:
		return "", err
	case c.APIURL == "":
		return fmt.Sprintf("%s answers; it was connected in the browser", host), nil
	case chosen != "" && chosen != c.APIURL:
		return fmt.Sprintf("%s answers; the settings win over %s, which was connected in the browser", host, chosen), nil
	}
	return fmt.Sprintf("%s answers", host), nil
}

// answers returns the host of the address, or an error if it does not answer.
func answers(ctx context.Context, address string, transport *http.Transport) (host string, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodHead, address, nil)
	if err != nil {
		return "", errors.New("the video service cannot be asked")
	}
	answer, err := transport.RoundTrip(r)
	if err != nil {
		return "", fmt.Errorf("%s does not answer: %w", r.URL.Redacted(), err)
	}
	defer answer.Body.Close()
	return r.URL.Host, nil
}

// checkProvider reads the settings that the OpenID Connect provider publishes.
func checkProvider(ctx context.Context, c config.App) (says string, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	provider, err := newProvider(c)
	if err == nil {
		_, _, err = provider.Begin(ctx, links(c.PublicURL, c.Addr)+"/login/oidc/callback", nil)
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s answers", c.OIDC.Issuer), nil
}
