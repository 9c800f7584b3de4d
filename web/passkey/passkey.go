// Package passkey registers passkeys and verifies users by them, with WebAuthn. The
// options and responses are in the JSON format of the browser's own functions.
package passkey

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
)

// A RelyingParty is the site for which passkeys are made.
type RelyingParty struct{ auth *webauthn.WebAuthn }

// ErrNowhere means that browsers make no passkeys for the origin: they require a host
// name, not an IP address, and either https or localhost.
var ErrNowhere = errors.New("no passkeys at this address")

// ErrInvalid means that the browser's response is not a valid one to the challenge.
var ErrInvalid = errors.New("not an answer of a passkey")

// NewRelyingParty returns the RelyingParty for an origin such as https://video.example.com.
func NewRelyingParty(origin string) (RelyingParty, error) {
	u, err := url.Parse(origin)
	if err != nil {
		return RelyingParty{}, ErrNowhere
	}
	name := u.Hostname()
	local := name == "localhost" || strings.HasSuffix(name, ".localhost")
	if name == "" || net.ParseIP(name) != nil || u.Scheme != "https" && !local {
		return RelyingParty{}, ErrNowhere
	}
	auth, err := webauthn.New(&webauthn.Config{
		RPID: name, RPDisplayName: "Dailies", RPOrigins: []string{origin},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementPreferred, UserVerification: protocol.VerificationPreferred,
		},
	})
	if err != nil {
		return RelyingParty{}, fmt.Errorf("%w: %w", ErrNowhere, err)
	}
	return RelyingParty{auth}, nil
}

// A Person is a user with their passkeys.
type Person struct {
	Handle  []byte // WebAuthn's user handle
	Email   string
	Name    string
	Records []string // of the passkeys, as Registered and Verified return them
}

// A user implements webauthn.User for a Person.
type user struct {
	person      Person
	credentials []webauthn.Credential
}

func (u user) WebAuthnID() []byte                         { return u.person.Handle }
func (u user) WebAuthnName() string                       { return u.person.Email }
func (u user) WebAuthnDisplayName() string                { return u.person.Name }
func (u user) WebAuthnCredentials() []webauthn.Credential { return u.credentials }

func newUser(p Person) (user, error) {
	u := user{person: p}
	for _, record := range p.Records {
		var c webauthn.Credential
		if err := json.Unmarshal([]byte(record), &c); err != nil {
			return u, fmt.Errorf("record of a passkey: %w", err)
		}
		u.credentials = append(u.credentials, c)
	}
	return u, nil
}

// A Challenge is what the browser's response is verified against. Until then the caller
// keeps it, encrypted.
type Challenge struct{ Session webauthn.SessionData }

// ID returns the challenge's unique value.
func (c Challenge) ID() string { return c.Session.Challenge }

// A Registered is a newly registered passkey.
type Registered struct {
	ID     []byte
	Record string
}

// BeginRegistration returns the options, as JSON, with which the browser makes a new passkey
// for the person.
func (p RelyingParty) BeginRegistration(person Person) (options []byte, c Challenge, err error) {
	u, err := newUser(person)
	if err != nil {
		return nil, c, err
	}
	asked, session, err := p.auth.BeginRegistration(u, webauthn.WithExclusions(webauthn.Credentials(u.credentials).CredentialDescriptors()))
	if err != nil {
		return nil, c, err
	}
	options, err = json.Marshal(asked.Response)
	return options, Challenge{*session}, err
}

// FinishRegistration verifies the browser's response to BeginRegistration.
func (p RelyingParty) FinishRegistration(person Person, c Challenge, answer string) (Registered, error) {
	u, err := newUser(person)
	if err != nil {
		return Registered{}, err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes([]byte(answer))
	if err != nil {
		return Registered{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	made, err := p.auth.CreateCredential(u, c.Session, parsed)
	if err != nil {
		return Registered{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	record, err := recordOf(made)
	return Registered{made.ID, record}, err
}

func recordOf(c *webauthn.Credential) (string, error) {
	c.Attestation = webauthn.CredentialAttestation{} // not requested, so not stored
	text, err := json.Marshal(c)
	return string(text), err
}

// BeginAssertion returns the options, as JSON, with which the browser uses a passkey. If
// person is nil, any discoverable passkey will do, and user verification is required.
// Otherwise it must be one of the person's, who has already given their password.
func (p RelyingParty) BeginAssertion(person *Person) (options []byte, c Challenge, err error) {
	var asked *protocol.CredentialAssertion
	var session *webauthn.SessionData
	if person == nil {
		asked, session, err = p.auth.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired))
	} else {
		u, failed := newUser(*person)
		if failed != nil {
			return nil, c, failed
		}
		asked, session, err = p.auth.BeginLogin(u)
	}
	if err != nil {
		return nil, c, err
	}
	options, err = json.Marshal(asked.Response)
	return options, Challenge{*session}, err
}

// A Verified is a passkey that has been verified.
type Verified struct {
	ID     []byte
	Record string // updated by this use
}

// FinishAssertion verifies the browser's response to BeginAssertion. find returns the person
// with the user handle in the response.
func (p RelyingParty) FinishAssertion(c Challenge, answer string, find func(handle []byte) (Person, error)) (Verified, error) {
	parsed, err := protocol.ParseCredentialRequestResponseBytes([]byte(answer))
	if err != nil {
		return Verified{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	var failed error
	load := func(handle []byte) (webauthn.User, error) {
		person, err := find(handle)
		if err != nil {
			failed = err
			return nil, err
		}
		return newUser(person)
	}
	var used *webauthn.Credential
	if len(c.Session.UserID) == 0 {
		used, err = p.auth.ValidateDiscoverableLogin(
			func(_, handle []byte) (webauthn.User, error) { return load(handle) }, c.Session, parsed)
	} else {
		var u webauthn.User
		if u, err = load(c.Session.UserID); err == nil {
			used, err = p.auth.ValidateLogin(u, c.Session, parsed)
		}
	}
	switch {
	case failed != nil:
		return Verified{}, failed
	case err != nil:
		return Verified{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	case used.Authenticator.CloneWarning: // its counter has not increased, so it may be cloned
		return Verified{}, fmt.Errorf("%w: its counter went back", ErrInvalid)
	}
	record, err := recordOf(used)
	return Verified{used.ID, record}, err
}
