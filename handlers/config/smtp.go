package config

import (
	"flag"
	"fmt"

	"dailies/web/smtp"
)

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
