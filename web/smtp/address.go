// Package smtp submits mails to a mail server: SMTP with STARTTLS or implicit TLS.
package smtp

import (
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"strconv"
	"strings"
)

// An Address says to which server mails are submitted, as which user, and with which
// sender. It contains no password.
type Address struct {
	Host string
	Port int
	User string       // empty if the server needs no authentication
	From mail.Address // sender of every mail
	TLS  bool         // implicit TLS; otherwise STARTTLS
}

// The ports for mail submission with STARTTLS and with implicit TLS (RFC 8314).
const (
	portSTARTTLS = 587
	portTLS      = 465
)

// maxAddress is the maximum length of an address in bytes.
const maxAddress = 2000

// errPassword does not contain the password.
var errPassword = errors.New("it must hold no password, which others on this machine could read")

// Parse parses an address such as smtp://user@mail.example.com:587?from=dailies@example.com.
// For an empty text it returns the zero Address. Its errors fit on one line and contain
// nothing that may be a password.
func Parse(text string) (a Address, err error) {
	if text == "" {
		return a, nil
	}
	const form = "it takes an address such as smtp://user@mail.example.com:587?from=dailies@example.com"
	u, err := url.Parse(text)
	if err != nil || len(text) > maxAddress || strings.ContainsAny(text, "\r\n") {
		return a, errors.New(form)
	}
	if u.Scheme != "smtp" && u.Scheme != "smtps" || u.Opaque != "" {
		return a, errors.New("it begins with smtp://, or with smtps:// for TLS from the beginning")
	}
	if _, has := u.User.Password(); has {
		return a, errPassword
	}
	a = Address{Host: u.Hostname(), Port: portSTARTTLS, User: u.User.Username(), TLS: u.Scheme == "smtps"}
	if a.TLS {
		a.Port = portTLS
	}
	if a.Host == "" || strings.ContainsAny(a.Host, " %/") {
		return Address{}, errors.New("it names no server; " + form)
	}
	if u.Path != "" && u.Path != "/" || u.Fragment != "" {
		return Address{}, errors.New("nothing but ?from=ADDRESS follows the server's name")
	}
	if port := u.Port(); port != "" {
		if a.Port, err = strconv.Atoi(port); err != nil || a.Port < 1 || a.Port > 65535 {
			return Address{}, errors.New("its port is not a number from 1 to 65535")
		}
	}
	if a.From, err = from(u.RawQuery); err != nil {
		return Address{}, err
	}
	return a, nil
}

// from parses the only query parameter.
func from(query string) (mail.Address, error) {
	values, err := url.ParseQuery(strings.ReplaceAll(query, "+", "%2B")) // mail addresses may contain a plus
	if err != nil {
		return mail.Address{}, errors.New("what follows its question mark cannot be read")
	}
	for name := range values {
		if name != "from" {
			return mail.Address{}, fmt.Errorf("it knows no %.40q, only from=ADDRESS", name)
		}
	}
	if len(values["from"]) != 1 || values.Get("from") == "" {
		return mail.Address{}, errors.New("it lacks the address that mails come from: ?from=dailies@example.com")
	}
	a, err := mail.ParseAddress(values.Get("from"))
	if err != nil || strings.ContainsAny(a.Name+a.Address, "\r\n") {
		return mail.Address{}, errors.New("its from= is not an e-mail address")
	}
	return *a, nil
}

// IsSet reports whether a server is configured.
func (a Address) IsSet() bool { return a.Host != "" }

// Server returns the host and the port for display.
func (a Address) Server() string { return net.JoinHostPort(a.Host, strconv.Itoa(a.Port)) }

// IsLoopback reports whether the server is on this machine.
func (a Address) IsLoopback() bool {
	ip := net.ParseIP(a.Host)
	return strings.EqualFold(a.Host, "localhost") || ip != nil && ip.IsLoopback()
}

// String returns the server and the sender for display.
func (a Address) String() string {
	if !a.IsSet() {
		return ""
	}
	return a.Server() + ", from " + a.From.Address
}
