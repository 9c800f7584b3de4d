package secrets_test

import (
	"testing"

	"dailies/db/secrets"
)

func TestATokenOfMailsIsForOneAddress(t *testing.T) {
	v, err := secrets.NewVault([]byte("a secret of the tests"))
	if err != nil {
		t.Fatal(err)
	}
	token := v.SignMail(7, "mara@example.com")
	if secrets.MailID(token) != 7 || !v.IsMail(token, 7, "mara@example.com") {
		t.Errorf("%q is not right", token)
	}
	for _, bad := range []string{"", "7", "7.", "x." + token, "8" + token[1:], token + "A"} {
		if v.IsMail(bad, 7, "mara@example.com") {
			t.Errorf("%q is right", bad)
		}
	}
	if v.IsMail(token, 7, "jo@example.com") || v.IsMail(token, 8, "mara@example.com") {
		t.Error("it is right for another address")
	}
	if secrets.MailID("x.y") != 0 {
		t.Error("it names a subscription")
	}
}
