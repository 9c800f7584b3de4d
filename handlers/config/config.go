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
	return c, cmp.Or(c.problems(s)...)
}

func (c *App) flags(f *flag.FlagSet) {
	for _, s := range c.settings() {
		if s.define != nil {
			s.define(f, s.name, s.help)
		}
	}
}

// settings returns the table of the app's settings. A setting whose check reads what
// another command has too comes first.
func (c *App) settings() []setting {
	return []setting{
		{name: "media", define: own(c.Media.named), check: func(_ string, s Source) error { return c.Media.read(s) }, text: &c.Media.text,
			mayHidePassword: true, guide: "media-in-a-bucket", usual: "`data/media`"},
		{name: "smtp", define: own(c.Mail.flag), check: func(_ string, s Source) error { return c.Mail.read(s) }, text: &c.Mail.text,
			mayHidePassword: true, guide: "mail", usual: "off"},
		{name: "data", define: text(&c.Data, "./data"), help: "`folder` for everything that is kept",
			check: func(string, Source) error { return folder(c.Data) }},
		{name: "addr", define: text(&c.Addr, "127.0.0.1:8080"), help: "`address` to listen on",
			check: func(name string, _ Source) error { return address(name, c.Addr) }},
		{name: "api-url", define: text(&c.APIURL, ""), mayHidePassword: true, guide: "connecting-a-video-service",
			help: "base `address` of the video service, which then cannot be changed in the browser; " +
				"empty means the one that was connected there, or else the built-in sandbox",
			check: func(name string, _ Source) error { return serviceAddress(name, &c.APIURL) }},
		{name: "public-url", define: text(&c.PublicURL, ""), mayHidePassword: true,
			help: "`address` at which others reach this app, such as https://video.example.com: a scheme and a host, without a path; " +
				"links, webhooks, mails and addresses of uploaded pictures begin with it, and with https cookies are secure",
			check: func(name string, _ Source) error { return publicAddress(name, &c.PublicURL) }},
		{name: "trusted-proxy", define: value(&c.TrustedProxy), help: proxyHelp, usual: "none", guide: "behind-a-reverse-proxy"},
		{name: "database", define: own(c.Database.named), secret: true, mayHidePassword: true, text: (*string)(&c.Database),
			guide: "postgres", usual: "`data/dailies.db`",
			check: func(name string, _ Source) error { return c.Database.check(name) }},
		{name: "session-max", define: span(&c.OIDC.SessionMax, usualSession),
			help: "`time` after which people who signed in at the provider of -oidc-issuer sign in again, " +
				"such as 12h; from 5m to 2160h, 90 days",
			check: func(name string, _ Source) error { return c.OIDC.checkSession(name) }},
		{name: "oidc-issuer", define: text(&c.OIDC.Issuer, ""), mayHidePassword: true, guide: "single-sign-on", usual: "none",
			help:  "`address` of the OpenID Connect provider at which people sign in, such as https://login.example.com; empty means none",
			check: func(string, Source) error { return c.OIDC.check() }},
		{name: "oidc-client-id", define: text(&c.OIDC.ClientID, ""), help: "`name` of this app at that provider"},
		{name: "oidc-client-secret", define: text(&c.OIDC.Secret, ""), secret: true,
			help: "`secret` of this app at that provider, if it has one"},
		{name: "metrics-addr", define: text(&c.MetricsAddr, ""), guide: "health-and-metrics", usual: "off",
			help:  "`address` to serve Prometheus metrics on, at /metrics; empty means off",
			check: func(name string, _ Source) error { return optional(address, name, c.MetricsAddr) }},
		{name: "secret", define: text(&c.Secret, ""), secret: true, guide: "the-secret", usual: "`data/secret`",
			help: "`secret` that seals keys and cookies, at least 16 characters that cannot be guessed; " +
				"empty means a file in the data folder",
			check: func(name string, _ Source) error { return checkLength(name, c.Secret, shortestSecret) }},
		{name: "forget-sealed", define: boolean(&c.ForgetSealed, false), guide: "the-secret",
			help: "start with another secret than the one that the data is sealed with, and forget what that one sealed; " +
				"without it, the start says what this would be"},
		{name: "setup-token", define: text(&c.SetupToken, ""), secret: true, usual: "new at each start",
			help: "`token` that opens the first page, at least 8 characters; " +
				"empty means a new one at each start, with -database one for all processes",
			check: func(name string, _ Source) error { return checkLength(name, c.SetupToken, shortestToken) }},
		{name: "open", define: boolean(&c.Open, true),
			help: "open the first page in the browser while there is no account; only in a terminal on a desktop"},
		{name: "poll", define: span(&c.Poll, 3*time.Second), help: "shortest `pause` between two questions about one video",
			check: func(name string, _ Source) error {
				return within(name, c.Poll, 10*time.Millisecond, time.Hour, "10ms", "1h")
			}},
		{name: "queries", define: number(&c.Queries, 400),
			help: "most status queries per second, a `number` for all videos and all processes together",
			check: func(name string, _ Source) error {
				return within(name, c.Queries, 1, mostQueries, "1", strconv.Itoa(mostQueries))
			}},
		{name: "allow-private", define: boolean(&c.AllowPrivate, false),
			help: "let the server fetch pictures and videos from private and loopback addresses, " +
				"and admins connect a video service there, also one without https"},
		{name: "keep-max", define: value(&c.KeepMax), usual: "limited by the disk alone",
			help: "`bytes` that the kept videos may take together, such as 50GB; empty means as much as the disk has"},
		{name: "catalog", define: text(&c.Catalog, ""), help: catalogHelp, usual: "built in"},
		{name: "verbose", define: boolean(&c.Verbose, false),
			help: "log every request: route, status, duration, user ID and network address, without paths and queries"},
		{name: "log-format", define: own(c.LogFormat.flag)},
		{name: "dev", define: boolean(&c.Dev, false),
			help: "show /dev/storybook, every part of the pages in every state, to everybody; only in programs built with -tags storybook"},
		{name: accessKey, secret: true, help: "access key of the bucket"},
		{name: secretKey, secret: true, help: "secret key of the bucket"},
		{name: smtpPassword, secret: true, help: "password of the user that -smtp names"},
	}
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
	f.StringVar(&c.Addr, "addr", "127.0.0.1:9090", "`address` to listen on")
	f.StringVar(&c.Data, "data", "./sandbox-data", "`folder` for everything that is kept")
	f.StringVar(&c.PublicURL, "public-url", "", "`address` with which links to results begin; empty means -addr")
	f.Var(&c.TrustedProxy, "trusted-proxy", proxyHelp)
	f.StringVar(&c.Password, "password", "", "`password` of the console; empty means the one that the first start prints")
	f.StringVar(&c.Results, "results", "kie",
		"`shape` of what a finished task carries: kie, veo, replicate, flat, or mixed for each in turn")
	f.StringVar(&c.Fault, "fault", "",
		"`rates` of faults from 0 to 1, such as 500=0.1,502=0.05,429=0.1,reset=0.02,stall=0.01,cut=0.02,lost=0.02")
	duration(f, &c.Expire, "expire", 0, "`time` after which links to results no longer work, such as 10m; 0 means never")
	f.Int64Var(&c.Seed, "seed", 1, "`number` that decides which calls meet a fault; the same number, the same calls")
	f.StringVar(&c.Catalog, "catalog", "", catalogHelp)
	c.LogFormat.flag(f, "log-format")
	f.BoolVar(&c.AllowPrivate, "allow-private", false, "let the sandbox fetch pictures from private and loopback addresses")
}

// What the app and the sandbox say alike.
const (
	proxyHelp   = "`networks` of reverse proxies whose X-Forwarded-For header is believed, such as 127.0.0.1,10.0.0.0/8"
	catalogHelp = "`file` with the models that can be chosen, instead of the built-in list"
)

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
func (c *App) problems(s Source) (all []error) {
	for _, one := range c.settings() {
		if one.check != nil {
			all = append(all, one.check("-"+one.name, s))
		}
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

// optional returns the error that check has for the value; none if it is empty.
func optional(check func(name, value string) error, name, value string) error {
	if value == "" {
		return nil
	}
	return check(name, value)
}

// within refuses a value below least or above most, which the sentence names as text.
func within[T cmp.Ordered](name string, value, least, most T, from, to string) error {
	if value < least || value > most {
		return fmt.Errorf("%s %v cannot be used; it takes from %s to %s", name, value, from, to)
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

func (o *OIDC) checkSession(name string) error {
	return within(name, o.SessionMax, shortestSession, longestSession, "5m", "2160h")
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

func (m *Mail) flag(f *flag.FlagSet, name string) {
	f.Func(name, fmt.Sprintf("`server` that takes mails, "+
		"such as smtp://user@mail.example.com:587?from=dailies@example.com, or smtps:// for TLS from the beginning; "+
		"the environment has the password in %[1]s, or names a file with %[1]s_FILE; "+
		"empty means that no mail is sent", smtpPassword), func(text string) error {
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
