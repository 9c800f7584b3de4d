package account

import (
	"fmt"
	"net/url"
	"strings"

	"rsc.io/qr"

	"dailies/db/team"
	"dailies/views/part"
)

// A SecondForm asks for a second factor.
type SecondForm struct {
	Email   string
	Next    string
	Factors team.Factors
	Errors  part.Errors
}

// A CodesPage shows a person's one-time codes.
type CodesPage struct {
	Factors     team.Factors
	Secret      string   // to be set up; empty where codes are on
	Link        string   // which an app takes it with
	Recovery    []string // shown this once
	AskPassword bool
	Bound       bool // nothing else opens before a second factor is there
	Next        string
	Errors      part.Errors // "current", "code", "renew", "off"
}

// A drawing of a code that phones read: the size of its square, and its path.
type drawing struct{ Box, Path string }

// draw draws the text as a QR code with the quiet zone around it.
func draw(text string) drawing {
	code, err := qr.Encode(text, qr.M)
	if err != nil { // more than such a code holds
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

// recoveryLeft says how many recovery codes the person has.
func recoveryLeft(f team.Factors) string {
	if f.Recovery == 0 {
		return "You have no recovery codes: make new ones, for when your phone is not at hand."
	}
	return part.Count(f.Recovery, "recovery code") + " left."
}

// spaced returns the secret in groups of four, for typing.
func spaced(secret string) string {
	var groups []string
	for len(secret) > 4 {
		groups, secret = append(groups, secret[:4]), secret[4:]
	}
	return strings.Join(append(groups, secret), " ")
}

// withNext returns the path with where to go afterwards.
func withNext(path, next string) string {
	if next == "" || next == "/" {
		return path
	}
	return path + "?next=" + url.QueryEscape(next)
}

// goOn returns where somebody goes who has set up a second factor.
func goOn(next string) string {
	if next == "" || next == "/" {
		return "/settings#profile"
	}
	return next
}

// A PasskeyPage adds a passkey.
type PasskeyPage struct {
	Name        string // what it is called
	Nowhere     bool   // no browser makes passkeys for this address
	AskPassword bool
	Bound       bool // nothing else opens before a second factor is there
	Next        string
	Errors      part.Errors // "current", "passkey"
}
