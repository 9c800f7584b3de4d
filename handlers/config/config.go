// Package config reads the settings: flags, and the environment for what no
// flag says.
package config

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// App is every setting of the app. Prefer the usage texts for what they mean.
type App struct {
	Addr, Data, APIURL, PublicURL, SetupToken, Secret, Catalog, MetricsAddr string
	Poll                                                                    time.Duration
	AllowPrivate, Verbose                                                   bool
}

// Sandbox is every setting of the sandbox that stands alone.
type Sandbox struct {
	Addr, Data   string
	AllowPrivate bool
}

// ErrHelp says that the settings were asked for, and have been listed.
var ErrHelp = flag.ErrHelp

// Source is where settings come from and where help goes.
type Source struct {
	Args   []string
	Lookup func(name string) (value string, ok bool) // the environment
	Help   io.Writer
}

// ParseApp reads the app's settings. An error is one clear line.
func ParseApp(s Source) (App, error) {
	var c App
	f := flag.NewFlagSet("dailies", flag.ContinueOnError)
	f.StringVar(&c.Addr, "addr", "127.0.0.1:8080", "`address` to serve on")
	f.StringVar(&c.Data, "data", "./data", "`folder` for everything that is kept")
	f.StringVar(&c.APIURL, "api-url", "", "base `address` of the video service; empty means the built-in sandbox")
	f.StringVar(&c.PublicURL, "public-url", "", "`address` at which others reach this app, such as https://video.example.com")
	f.StringVar(&c.SetupToken, "setup-token", "", "`token` that opens the first page; empty means a new one at each start")
	f.StringVar(&c.Secret, "secret", "", "`secret` that seals keys and cookies; empty means a file in the data folder")
	f.DurationVar(&c.Poll, "poll", 3*time.Second, "shortest `pause` between two questions about one video")
	f.BoolVar(&c.AllowPrivate, "allow-private", false, "let the server fetch pictures and videos from private and loopback addresses")
	f.StringVar(&c.MetricsAddr, "metrics-addr", "", "`address` to serve Prometheus metrics on; empty means off")
	f.StringVar(&c.Catalog, "catalog", "", "`file` with the models that can be chosen, instead of the built-in list")
	f.BoolVar(&c.Verbose, "verbose", false, "log every request")
	if err := parse(f, s); err != nil {
		return c, err
	}
	c.APIURL, c.PublicURL = strings.TrimRight(c.APIURL, "/"), strings.TrimRight(c.PublicURL, "/")
	return c, c.check()
}

// ParseSandbox reads the settings of the sandbox that stands alone.
func ParseSandbox(s Source) (Sandbox, error) {
	var c Sandbox
	f := flag.NewFlagSet("dailies sandbox", flag.ContinueOnError)
	f.StringVar(&c.Addr, "addr", "127.0.0.1:9090", "`address` to serve on")
	f.StringVar(&c.Data, "data", "./sandbox-data", "`folder` for everything that is kept")
	f.BoolVar(&c.AllowPrivate, "allow-private", false, "let the sandbox fetch pictures from private and loopback addresses")
	if err := parse(f, s); err != nil {
		return c, err
	}
	return c, errors.Join(folder(c.Data), address("-addr", c.Addr))
}

// parse reads the flags, and DAILIES_NAME from the environment for every -name
// that was not given.
func parse(f *flag.FlagSet, s Source) error {
	f.SetOutput(io.Discard)
	err := f.Parse(s.Args)
	if errors.Is(err, flag.ErrHelp) {
		f.SetOutput(s.Help)
		fmt.Fprintf(s.Help, "Usage:\n  dailies [settings]          the app\n  dailies sandbox [settings]  the sandbox alone\n\nSettings of %s; each can also be given in the environment,\n-public-url as DAILIES_PUBLIC_URL:\n\n", f.Name())
		f.PrintDefaults()
		return err
	}
	if err == nil && f.NArg() > 0 {
		err = fmt.Errorf("%q is not a setting; -h lists them", f.Arg(0))
	}
	given := map[string]bool{}
	f.Visit(func(one *flag.Flag) { given[one.Name] = true })
	f.VisitAll(func(one *flag.Flag) {
		name := "DAILIES_" + strings.ToUpper(strings.ReplaceAll(one.Name, "-", "_"))
		if value, ok := s.Lookup(name); ok && !given[one.Name] && err == nil && f.Set(one.Name, value) != nil {
			err = fmt.Errorf("%s has a value that cannot be used", name) // which may be a secret
		}
	})
	return err
}

func (c App) check() error {
	for _, err := range []error{
		folder(c.Data), address("-addr", c.Addr), webAddress("-api-url", c.APIURL), webAddress("-public-url", c.PublicURL),
	} {
		if err != nil {
			return err
		}
	}
	if c.MetricsAddr != "" {
		if err := address("-metrics-addr", c.MetricsAddr); err != nil {
			return err
		}
	}
	if c.Poll < 10*time.Millisecond || c.Poll > time.Hour {
		return fmt.Errorf("-poll %s cannot be used; it takes from 10ms to 1h", c.Poll)
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
