package db_test

import (
	"testing"

	"dailies/db"
)

func TestAnUploadedPictureIsKnownByItsTokenAlone(t *testing.T) {
	p := db.Picture{Token: db.NewToken()}
	for _, address := range []string{p.Path(), "http://127.0.0.1:8080" + p.Path(), "https://dailies.example.com" + p.Path(), "https://a.example/p/" + p.Token + "#x"} {
		if got := db.PictureToken(address); got != p.Token {
			t.Errorf("%s: %q", address, got)
		}
	}
	for _, address := range []string{"", "/p/", "/p/short", "/q/" + p.Token, p.Path() + "/x", p.Path() + "?x=1", "/p/../" + p.Token, "https://x/p/" + p.Token[:25] + "a", "http://%zz" + p.Path()} {
		if got := db.PictureToken(address); got != "" {
			t.Errorf("%s: %q", address, got)
		}
	}
}
