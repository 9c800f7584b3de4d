package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/webauthn"
)

// The browser gets a virtual authenticator, which asks for no confirmation. Passkeys
// need a host name, such as localhost.
func TestAPasskeySignsIn(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	p := newTab(t, strings.Replace(s.base, "127.0.0.1", "localhost", 1))
	tell(p, webauthn.Enable, webauthn.EnableParams{})
	tell(p, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
		Protocol: "ctap2", Transport: "internal", HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
	}})
	p.open("/setup?token=" + setupToken)
	p.fill("input[name=name]", "Ada")
	p.fill("input[name=email]", "ada@example.com")
	p.fill("input[name=password]", password)
	p.leave(func() { p.clickText("button", "Start") })
	p.awaitPath("/create/text-to-video")

	p.open("/settings/passkeys")
	p.fill("input[name=name]", "My key")
	p.leave(func() { p.clickText("button", "Add passkey") })
	p.awaitText("#factors", "My key")
	signOut := func() {
		t.Helper()
		p.open("/settings#sessions")
		p.leave(func() { p.clickText("form[action='/logout'] button", "Sign out") })
		p.awaitPath("/login")
	}
	signOut()
	p.leave(func() { p.clickText("button", "Use a passkey") })
	p.awaitPath("/create/text-to-video")

	signOut()
	p.fill("input[name=email]", "ada@example.com")
	p.fill("input[name=password]", password)
	p.leave(func() { p.clickText("form button", "Sign in") })
	p.awaitPath("/login/code")
	p.leave(func() { p.clickText("button", "Use a passkey") })
	p.awaitPath("/create/text-to-video")
}
