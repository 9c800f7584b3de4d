// Package smtp hands mails to a mail server: SMTP with STARTTLS, or in TLS from the
// beginning.
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

// An Address says which server takes mails, as whom, and from whom they come. It
// holds no password.
type Address struct {
	Host string
	Port int
	User string       // empty where nobody signs in
	From mail.Address // of every mail
	TLS  bool         // from the beginning; otherwise with STARTTLS
}

// The ports of submission, with STARTTLS and in TLS (RFC 8314).
const (
	portSTARTTLS = 587
	portTLS      = 465
)

// maxAddress bounds the text of an Address.
const maxAddress = 2000

// errPassword says nothing of the password.
var errPassword = errors.New("it must hold no password, which others on this machine could read")

// Parse reads an address such as smtp://user@mail.example.com:587?from=dailies@example.com.
// The empty one is the zero Address. An error is one line without what may be a
// password.
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

// from reads the one parameter that there is.
func from(query string) (mail.Address, error) {
	values, err := url.ParseQuery(strings.ReplaceAll(query, "+", "%2B")) // which many addresses hold
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

// IsSet reports whether there is a server.
func (a Address) IsSet() bool { return a.Host != "" }

// Server returns the host and the port, as they may be shown.
func (a Address) Server() string { return net.JoinHostPort(a.Host, strconv.Itoa(a.Port)) }

// IsLoopback reports whether the server is on this machine.
func (a Address) IsLoopback() bool {
	ip := net.ParseIP(a.Host)
	return strings.EqualFold(a.Host, "localhost") || ip != nil && ip.IsLoopback()
}

// String says which server it is, and whom mails come from.
func (a Address) String() string {
	if !a.IsSet() {
		return ""
	}
	return a.Server() + ", from " + a.From.Address
}
