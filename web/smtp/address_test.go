package smtp_test

import (
	"net/mail"
	"strings"
	"testing"

	"dailies/web/smtp"
)

func TestAddressesAreRead(t *testing.T) {
	for text, want := range map[string]smtp.Address{
		"": {},
		"smtp://kim@mail.example.com:2525?from=dailies@example.com": {Host: "mail.example.com", Port: 2525, User: "kim", From: mail.Address{Address: "dailies@example.com"}},
		"smtp://mail.example.com/?from=a+b@example.com":             {Host: "mail.example.com", Port: 587, From: mail.Address{Address: "a+b@example.com"}},
		"smtps://kim@example.com@[::1]?from=a@example.com":          {Host: "::1", Port: 465, User: "kim@example.com", TLS: true, From: mail.Address{Address: "a@example.com"}},
		"smtp://h?from=J%C3%BCrgen%20%3Ca@example.com%3E":           {Host: "h", Port: 587, From: mail.Address{Name: "Jürgen", Address: "a@example.com"}},
	} {
		if got, err := smtp.Parse(text); err != nil || got != want {
			t.Errorf("%s: got %+v, %v", text, got, err)
		}
	}
}

func TestMistakesAreOneClearLine(t *testing.T) {
	for text, want := range map[string]string{
		"mail.example.com":                       "it begins with smtp://",
		"smtp:mail.example.com":                  "it begins with smtp://",
		"http://mail.example.com":                "it begins with smtp://",
		"smtp://?from=a@example.com":             "it names no server",
		"smtp://kim:geheim@h?from=a@example.com": "it must hold no password",
		"smtp://h:0?from=a@example.com":          "from 1 to 65535",
		"smtp://h:99999?from=a@example.com":      "from 1 to 65535",
		"smtp://h":                               "it lacks the address",
		"smtp://h?from=":                         "it lacks the address",
		"smtp://h?from=a":                        "is not an e-mail address",
		"smtp://h?from=a@b%0d%0aBcc:c@d":         "is not an e-mail address",
		"smtp://h?from=a@b.c&geheim=1":           "it knows no",
		"smtp://h/path?from=a@b.c":               "nothing but ?from=ADDRESS",
		"smtp://h?from=%zz":                      "cannot be read",
		"smtp://h\n?from=a@b.c":                  "it takes an address such as",
	} {
		_, err := smtp.Parse(text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\r\n") {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"smtp://user@host:587?from=a@b.c", "smtps://h?from=%22x%22%20%3Ca@b%3E", "smtp://u:p@h", "smtp://[::1", "smtp://h:-1?from=a@b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := smtp.Parse(text)
		if err != nil {
			if a.IsSet() || strings.ContainsAny(err.Error(), "\r\n") {
				t.Errorf("%q: %+v, %q", text, a, err)
			}
			return
		}
		if a.IsSet() && (a.From.Address == "" || a.Port < 1 || a.Port > 65535 || strings.ContainsAny(a.From.String()+a.Host, "\r\n")) {
			t.Errorf("%q: %+v", text, a)
		}
	})
}
