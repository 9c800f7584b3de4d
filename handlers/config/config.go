// Package config reads the settings from flags, and from the environment where no
// flag is given.
package config

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"dailies/web/smtp"
)

// App holds all settings of the app. The usage texts below explain them.
type App struct {
	Addr, Data, APIURL, PublicURL, SetupToken, Secret, Catalog, MetricsAddr string
	Poll                                                                    time.Duration
	Queries                                                                 int
	AllowPrivate, Verbose, Dev, Open                                        bool
	ForgetSealed                                                            bool
	LogFormat                                                               LogFormat
	KeepMax                                                                 Size
	TrustedProxy                                                            Networks
	Media                                                                   Media
	Database                                                                Database
	OIDC                                                                    OIDC
	Mail                                                                    Mail
}

// Sandbox holds all settings of the standalone sandbox.
type Sandbox struct {
	Addr, Data, PublicURL, Password, Catalog string
	Results, Fault                           string
	Seed                                     int64
	Expire                                   time.Duration
	AllowPrivate                             bool
	LogFormat                                LogFormat
	TrustedProxy                             Networks
}

// ParseApp reads the app's settings. An error is a single clear line.
func ParseApp(s Source) (App, error) {
	var c App
	if err := parse(flagSet("dailies", c.flags), &s); err != nil {
		return c, err
	}
	if err := cmp.Or(c.Media.read(s), c.Mail.read(s)); err != nil {
		return c, err
	}
	return c, cmp.Or(c.problems()...)
}

func (c *App) flags(f *flag.FlagSet) {
	f.StringVar(&c.Addr, "addr", "127.0.0.1:8080", "`address` to serve on")
	f.StringVar(&c.Data, "data", "./data", "`folder` for everything that is kept")
	f.StringVar(&c.APIURL, "api-url", "",
		"base `address` of the video service; empty means the one that was connected in the browser, or else the built-in sandbox")
	f.StringVar(&c.PublicURL, "public-url", "", "`address` at which others reach this app, such as https://video.example.com")
	f.StringVar(&c.SetupToken, "setup-token", "",
		"`token` that opens the first page; empty means a new one at each start, with -database one for all processes")
	f.BoolVar(&c.Open, "open", true, "open the first page in the browser while there is no account; only in a terminal on a desktop")
	f.StringVar(&c.Secret, "secret", "", "`secret` that seals keys and cookies; empty means a file in the data folder")
	f.BoolVar(&c.ForgetSealed, "forget-sealed", false, "start with another secret than the one that the data is sealed with, and forget what that one sealed; without it, the start says what this would be")
	duration(f, &c.Poll, "poll", 3*time.Second, "shortest `pause` between two questions about one video")
	f.IntVar(&c.Queries, "queries", 400, "most status queries per second, `number` for all videos and all processes together")
	f.BoolVar(&c.AllowPrivate, "allow-private", false, "let the server fetch pictures and videos from private and loopback addresses, and admins connect a video service there, also one without https")
	c.Database.flag(f)
	c.Media.flags(f)
	c.OIDC.flags(f)
	c.Mail.flag(f)
	f.Var(&c.KeepMax, "keep-max", "`bytes` that the kept videos may take together, such as 50GB; empty means as much as the disk has")
	f.Var(&c.TrustedProxy, "trusted-proxy",
		"`networks` of reverse proxies whose X-Forwarded-For header is believed, such as 127.0.0.1,10.0.0.0/8")
	f.StringVar(&c.MetricsAddr, "metrics-addr", "", "`address` to serve Prometheus metrics on; empty means off")
	f.StringVar(&c.Catalog, "catalog", "", "`file` with the models that can be chosen, instead of the built-in list")
	f.BoolVar(&c.Verbose, "verbose", false, "log every request")
	c.LogFormat.flag(f)
	f.BoolVar(&c.Dev, "dev", false,
		"show /dev/storybook, every part of the pages in every state, to everybody; only in programs built with -tags storybook")
}

// ParseSandbox reads the settings of the standalone sandbox.
func ParseSandbox(s Source) (Sandbox, error) {
	var c Sandbox
	if err := parse(flagSet("dailies sandbox", c.flags), &s); err != nil {
		return c, err
	}
	c.PublicURL = strings.TrimRight(c.PublicURL, "/")
	return c, c.check()
}

func (c *Sandbox) flags(f *flag.FlagSet) {
	f.StringVar(&c.Addr, "addr", "127.0.0.1:9090", "`address` to serve on")
	f.StringVar(&c.Data, "data", "./sandbox-data", "`folder` for everything that is kept")
	f.StringVar(&c.PublicURL, "public-url", "", "`address` with which links to results begin; empty means -addr")
	f.Var(&c.TrustedProxy, "trusted-proxy",
		"`networks` of reverse proxies whose X-Forwarded-For header is believed, such as 127.0.0.1,10.0.0.0/8")
	f.StringVar(&c.Password, "password", "", "`password` of the console; empty means the one that the first start prints")
	f.StringVar(&c.Results, "results", "kie",
		"`shape` of what a finished task carries: kie, veo, replicate, flat, or mixed for each in turn")
	f.StringVar(&c.Fault, "fault", "",
		"`rates` of faults from 0 to 1, such as 500=0.1,502=0.05,429=0.1,reset=0.02,stall=0.01,cut=0.02,lost=0.02")
	duration(f, &c.Expire, "expire", 0, "`time` after which links to results no longer work, such as 10m; 0 means never")
	f.Int64Var(&c.Seed, "seed", 1, "`number` that decides which calls meet a fault; the same number, the same calls")
	f.StringVar(&c.Catalog, "catalog", "", "`file` with the models that can be chosen, instead of the built-in list")
	c.LogFormat.flag(f)
	f.BoolVar(&c.AllowPrivate, "allow-private", false, "let the sandbox fetch pictures from private and loopback addresses")
}

// shortestPassword is the minimum length of the console's password.
const shortestPassword = 8

func (c Sandbox) check() error {
	switch err := cmp.Or(folder(c.Data), address("-addr", c.Addr), webAddress("-public-url", c.PublicURL)); {
	case err != nil:
		return err
	case c.Password != "" && len(c.Password) < shortestPassword:
		return fmt.Errorf("-password is too short; it takes %d letters or more", shortestPassword)
	case c.Expire < 0:
		return fmt.Errorf("-expire %s cannot be used; it takes 0 or more", c.Expire)
	}
	return nil
}

// problems returns what keeps the settings from being used: sentences that begin with the
// name of the setting. It brings addresses into their form.
func (c *App) problems() []error {
	all := []error{
		folder(c.Data), address("-addr", c.Addr), serviceAddress("-api-url", &c.APIURL), publicAddress("-public-url", &c.PublicURL),
		c.Database.check("-database"), c.OIDC.checkSession(), c.OIDC.check(),
	}
	if c.MetricsAddr != "" {
		all = append(all, address("-metrics-addr", c.MetricsAddr))
	}
	all = append(all, checkLength("-secret", c.Secret, shortestSecret), checkLength("-setup-token", c.SetupToken, shortestToken))
	if c.Poll < 10*time.Millisecond || c.Poll > time.Hour {
		all = append(all, fmt.Errorf("-poll %s cannot be used; it takes from 10ms to 1h", c.Poll))
	}
	if c.Queries < 1 || c.Queries > mostQueries {
		all = append(all, fmt.Errorf("-queries %d cannot be used; it takes from 1 to %d", c.Queries, mostQueries))
	}
	return all
}

// mostQueries is the largest usable limit of queries per second.
const mostQueries = 100_000

// Minimum lengths of what must not be guessed. The secret can be attacked offline
// with a stolen cookie or backup, the token only on a page that limits attempts.
const (
	shortestSecret = 16
	shortestToken  = 8
)

// checkLength refuses a secret shorter than n characters. The error does not show the
// secret.
func checkLength(name, secret string, n int) error {
	if secret != "" && utf8.RuneCountInString(secret) < n {
		return fmt.Errorf("%s is too short; it takes %d characters or more", name, n)
	}
	return nil
}

func folder(path string) error {
	if path == "" {
		return errors.New("-data names no folder")
	}
	return nil
}

func address(name, s string) error {
	_, port, err := net.SplitHostPort(s)
	if n, portErr := strconv.Atoi(port); err != nil || portErr != nil || n < 0 || n > 65535 {
		return fmt.Errorf("%s %q is not an address such as 127.0.0.1:8080", name, s)
	}
	return nil
}

func webAddress(name, s string) error {
	u, err := url.Parse(s)
	if s != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		return fmt.Errorf("%s is not a web address such as https://video.example.com", name)
	}
	return nil
}

// OIDC holds the settings of the OpenID Connect provider for signing in; empty means
// none.
type OIDC struct {
	Issuer, ClientID, Secret string
	SessionMax               time.Duration // how long a session that began there lasts
}

// Limits of SessionMax. Other sessions last as long as the longest at most.
const (
	shortestSession = 5 * time.Minute
	usualSession    = 30 * 24 * time.Hour
	longestSession  = 90 * 24 * time.Hour
)

func (o *OIDC) flags(f *flag.FlagSet) {
	f.StringVar(&o.Issuer, "oidc-issuer", "", "`address` of the OpenID Connect provider at which people sign in; empty means none")
	f.StringVar(&o.ClientID, "oidc-client-id", "", "`name` of this app at that provider")
	duration(f, &o.SessionMax, "session-max", usualSession,
		"`time` after which people who signed in at that provider sign in again, such as 12h; at most 2160h, 90 days")
	f.StringVar(&o.Secret, "oidc-client-secret", "", "`secret` of this app at that provider, if it has one")
}

func (o *OIDC) checkSession() error {
	if o.SessionMax < shortestSession || o.SessionMax > longestSession {
		return fmt.Errorf("-session-max %s cannot be used; it takes from 5m to 2160h", o.SessionMax)
	}
	return nil
}

// check refuses incomplete settings, and a provider without TLS, except on this machine.
func (o *OIDC) check() error {
	if o.Issuer == "" {
		if o.ClientID != "" || o.Secret != "" {
			return errors.New("-oidc-client-id and -oidc-client-secret need -oidc-issuer")
		}
		return nil
	}
	u, err := url.Parse(o.Issuer)
	switch {
	case err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http":
		return errors.New("-oidc-issuer is not an address such as https://login.example.com")
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return errors.New("-oidc-issuer has to begin with https")
	case o.ClientID == "":
		return errors.New("-oidc-issuer needs -oidc-client-id, the name of this app at the provider")
	}
	o.ClientID, o.Secret = strings.TrimSpace(o.ClientID), strings.TrimSpace(o.Secret)
	return nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Mail holds the mail server's settings. Without an address, no mail is sent.
type Mail struct {
	Address  smtp.Address
	Password string

	text string
}

// smtpPassword is the environment variable with the password. It is not a flag,
// because other users of the machine can read those.
const smtpPassword = "DAILIES_SMTP_PASSWORD"

func (m *Mail) flag(f *flag.FlagSet) {
	f.Func("smtp", fmt.Sprintf("`server` that takes mails, such as smtp://user@mail.example.com:587?from=dailies@example.com, or smtps:// for TLS from the beginning; the environment has the password in %[1]s, or names a file with %[1]s_FILE; empty means that no mail is sent", smtpPassword), func(text string) error {
		m.text = text // checked in read, because the flag package's error would show the text
		return nil
	})
}

// read parses the flag's value, and reads the password if a server is set.
func (m *Mail) read(s Source) (err error) {
	if m.Address, err = smtp.Parse(m.text); err != nil {
		return fmt.Errorf("-smtp cannot be used: %w", err)
	}
	if m.text = ""; !m.Address.IsSet() {
		return nil
	}
	if m.Password, err = s.secret(smtpPassword); err != nil {
		return err
	}
	switch {
	case m.Address.User != "" && m.Password == "":
		return fmt.Errorf("-smtp names a user, so it needs %s in the environment", smtpPassword)
	case m.Address.User == "" && m.Password != "":
		return fmt.Errorf("%s is set, but -smtp names no user: smtp://user@%s", smtpPassword, m.Address.Host)
	}
	return nil
}
