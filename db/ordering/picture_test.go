package ordering_test

import (
	"testing"

	"dailies/db/ordering"
	"dailies/db/secrets"
)

func TestAnUploadedPictureIsKnownByItsTokenAlone(t *testing.T) {
	p := ordering.Picture{Token: secrets.NewToken()}
	for _, address := range []string{p.Path(), "http://127.0.0.1:8080" + p.Path(), "https://dailies.example.com" + p.Path(), "https://a.example/p/" + p.Token + "#x"} {
		if got := ordering.PictureToken(address); got != p.Token {
			t.Errorf("%s: %q", address, got)
		}
	}
	for _, address := range []string{"", "/p/", "/p/short", "/q/" + p.Token, p.Path() + "/x", p.Path() + "?x=1", "/p/../" + p.Token, "https://x/p/" + p.Token[:25] + "a", "http://%zz" + p.Path()} {
		if got := ordering.PictureToken(address); got != "" {
			t.Errorf("%s: %q", address, got)
		}
	}
}
