package config

import (
	"flag"
	"fmt"
	"net"
)

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
