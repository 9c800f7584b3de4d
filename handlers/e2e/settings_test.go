package e2e

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/webauthn"
)

func TestUnusableSettingIsOneLineAndStatus2(t *testing.T) {
	t.Parallel()
	for _, arguments := range [][]string{
		{"-nothing"}, {"-poll", "soon"}, {"-poll", "1ns"}, {"-addr", "here"}, {"-api-url", "ftp://example.com"},
		{"-public-url", "example"}, {"-catalog", "main_test.go"}, {"-catalog", "missing.toml"}, {"-data", ""}, {"serve"},
	} {
		status, said := ask(t, append([]string{"-data", t.TempDir()}, arguments...)...)
		if status != 2 || strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, "dailies: ") {
			t.Errorf("%v: status %d and %q, want status 2 and one line", arguments, status, said)
		}
	}
}

func TestHelpNamesEverySetting(t *testing.T) {
	t.Parallel()
	status, said := ask(t, "-h")
	if status != 0 {
		t.Errorf("-h ends with status %d", status)
	}
	for _, name := range strings.Fields("addr data api-url public-url setup-token secret poll allow-private metrics-addr catalog") {
		if !strings.Contains(said, "-"+name) {
			t.Errorf("-h does not explain -%s", name)
		}
	}
}

// ask runs the program until it exits by itself, and returns its status and output.
func ask(t *testing.T, arguments ...string) (status int, said string) {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var out bytes.Buffer
	command := exec.CommandContext(ctx, path, arguments...)
	command.Env = environ()
	command.Stdout, command.Stderr, command.WaitDelay = &out, &out, time.Second
	err = command.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatalf("%v: %v", arguments, err)
	}
	return command.ProcessState.ExitCode(), out.String()
}

const shownRooms = `[...document.querySelectorAll(".room")].filter(r => r.checkVisibility()).map(r => r.id).join(" ")`

func TestSettingsShowOneSectionAndTheFirstBesideTheKey(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	p.expect("422")
	p.open("/settings")
	for _, width := range []int64{360, 768, 1440} {
		p.size(width, 800)
		want := "profile key-section"
		if width < 768 { // the list is a page of its own
			want = ""
		}
		if got := get[string](p, shownRooms); got != want {
			t.Errorf("at %d there is %q", width, got)
		}
	}
	p.clickText(".roomlist a", "Webhook")
	p.await("another section is there", shownRooms+` === "webhook-section"`)
	p.await("and marked", `document.querySelector(".roomlist [aria-current]").hash === "#webhook-section"`)
	for anchor, want := range map[string]string{"#key": "key-section", "#sandbox": "key-section", "#notices": "notices", "#webhook": "webhook-section", "#sessions": "profile"} {
		p.open("/settings" + anchor)
		if got := get[string](p, shownRooms); got != want {
			t.Errorf("%s shows %q", anchor, got)
		}
	}
	p.size(360, 800)
	p.open("/settings")
	p.clickText(".roomlist a", "Name and sign-in")
	p.await("on a phone the section takes the place of the list", shownRooms+` === "profile" && !document.querySelector(".roomlist").checkVisibility() && document.activeElement.id === "profile-title"`)
	p.fill("input[name=name]", " ")
	p.leave(func() { p.clickText("form[action='/settings'] button", "Save") })
	p.await("the answer opens its section, at its mistake", shownRooms+` === "profile" && document.activeElement.id === "name"`)
	p.awaitText("#name ~ .error", "Enter your name")
	p.leave(func() { p.clickText(".back", "Settings") })
	p.await("the list is back", `document.querySelector(".roomlist").checkVisibility()`)

	p.withoutScript()
	p.open("/settings")
	p.await("without script everything is there", `[...document.querySelectorAll(".room")].every(r => r.checkVisibility())`)
}

func TestAThemeIsWornAtOnceAndKept(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	p.open("/settings#look")
	worn := func(theme string) {
		t.Helper()
		p.await("the page wears "+theme, `(document.documentElement.dataset.theme ?? "") === "`+theme+`"`)
	}
	// A page that is opened before the browser has stored the cookie still has the
	// previous theme.
	kept := func(cookie string) {
		t.Helper()
		p.await("the browser keeps "+cookie, `(document.cookie.match(/theme=\w+/) ?? [""])[0] === "`+cookie+`"`)
	}
	p.clickText(".swatch", "Dark")
	worn("dark")
	kept("theme=dark")
	p.open("/usage")
	worn("dark")
	p.open("/settings#look")
	p.clickText(".swatch", "Same as device")
	worn("")
	kept("")
	p.open("/usage")
	worn("")
	p.withoutScript()
	p.open("/settings")
	p.clickText(".swatch", "Light")
	p.leave(func() { p.clickText("[data-themes] button", "Save") })
	worn("light")
	p.awaitText(".toast", "Saved in this browser.")
}

// TestTheServicesHostIsNoPlaceForPictures has the video service on a private address:
// results are fetched from there, but pictures that users link to are not.
func TestTheServicesHostIsNoPlaceForPictures(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked.Add(1) }))
	defer service.Close()
	s := startNew(t, &server{dir: t.TempDir(), log: &logs{}, settings: []string{"-api-url", service.URL, "-allow-private=false"}})
	if err := s.setUp(); err != nil {
		t.Fatal(err)
	}
	p, err := s.admin()
	if err != nil {
		t.Fatal(err)
	}
	note, err := p.get("/create/picture?url=" + url.QueryEscape(service.URL+"/secret.png"))
	if err != nil || !strings.Contains(note, "only works inside your network") {
		t.Errorf("%v: %s", err, note)
	}
	if n := asked.Load(); n > 0 {
		t.Errorf("the service was asked %d times", n)
	}
}

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
