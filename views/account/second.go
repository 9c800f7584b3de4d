package account

import (
	"fmt"
	"net/url"
	"strings"

	"rsc.io/qr"

	"dailies/db/signin"
	"dailies/views/input"
	"dailies/views/part"
)

// A CodesPage holds the settings of the user's one-time codes.
type CodesPage struct {
	SecondSteps   signin.SecondSteps
	Secret        string   // secret to set up in an app; empty if codes are on
	Link          string   // URL with which an app imports the secret
	Recovery      []string // recovery codes, shown only once
	NeedsPassword bool
	Bound         bool // no other page opens until a second step is set up
	Next          string
	Errors        input.Errors // "current", "code", "renew", "off"
}

// A drawing is a QR code as SVG: the view box and the path.
type drawing struct{ Box, Path string }

// draw draws the text as a QR code, with the quiet zone around it.
func draw(text string) drawing {
	code, err := qr.Encode(text, qr.M)
	if err != nil { // too much text for a QR code
		return drawing{}
	}
	const quiet = 4
	var path strings.Builder
	for y := range code.Size {
		for x := 0; x < code.Size; x++ {
			run := 0
			for code.Black(x+run, y) {
				run++
			}
			if run > 0 {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", x+quiet, y+quiet, run, run)
				x += run
			}
		}
	}
	size := code.Size + 2*quiet
	return drawing{fmt.Sprintf("0 0 %d %d", size, size), path.String()}
}

// recoveryLeft says how many recovery codes the user has left.
func recoveryLeft(f signin.SecondSteps) string {
	if f.Recovery == 0 {
		return "No recovery codes left. Make new ones."
	}
	return part.Plural(f.Recovery, "%s recovery code left.", "%s recovery codes left.")
}

// spaced splits the secret into groups of four characters, for typing.
func spaced(secret string) string {
	var groups []string
	for len(secret) > 4 {
		groups, secret = append(groups, secret[:4]), secret[4:]
	}
	return strings.Join(append(groups, secret), " ")
}

// withNext adds to path where to go afterwards.
func withNext(path, next string) string {
	if next == "" || next == "/" {
		return path
	}
	return path + "?next=" + url.QueryEscape(next)
}

// goOn returns where to go after a second step has been set up.
func goOn(next string) string {
	if next == "" || next == "/" {
		return "/settings#profile"
	}
	return next
}

// A PasskeyPage holds the form that adds a passkey.
type PasskeyPage struct {
	Name          string // suggested name of the passkey
	Nowhere       bool   // browsers cannot make passkeys for this site's address
	NeedsPassword bool
	Bound         bool // no other page opens until a second step is set up
	Next          string
	Errors        input.Errors // "current", "passkey"
}

// codeField returns the field for a code from an app, or a recovery code.
func codeField(errs input.Errors, name, label, hint string, maxLength int) input.Text {
	return input.Text{
		Field: input.Field{Name: name, Label: label, Hint: hint, Error: errs[name]}, Kind: "text", Fill: "one-time-code",
		MaxLength: maxLength,
	}
}

// secondCode returns the field for the code with which a person signs in.
func secondCode(errs input.Errors) input.Text {
	t := anyCode(errs, "code", "Code", "From your app, or a recovery code")
	t.Keyboard, t.Required, t.Focus = "text", true, input.Always
	return t
}

// newCode returns the field for the first code that an app shows.
func newCode(errs input.Errors) input.Text {
	t := codeField(errs, "code", "Code", "The six digits your app shows now", 20)
	t.Keyboard, t.Required, t.Focus = "numeric", true, input.OnError
	return t
}

// anyCode returns a field for a code of either kind.
func anyCode(errs input.Errors, name, label, hint string) input.Text {
	t := codeField(errs, name, label, hint, 40)
	t.Plain = true
	return t
}

// passkeyName returns the field for the name of a passkey.
func passkeyName(name string) input.Text {
	return input.Text{
		Field: input.Field{Name: "name", Label: "Name", Hint: "To tell it apart later", Value: name}, Kind: "text",
		MaxLength: 60,
	}
}
