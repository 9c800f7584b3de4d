// Package passkey has people prove with a passkey who they are: WebAuthn, as the
// browser's own functions speak it.
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

// A Place is the site that passkeys are for, by the address that people reach it at.
type Place struct{ auth *webauthn.WebAuthn }

// ErrNowhere says that no browser makes passkeys for the address: they are for names,
// over https or on the same machine.
var ErrNowhere = errors.New("no passkeys at this address")

// ErrInvalid says that what the browser sent is no answer to what was asked.
var ErrInvalid = errors.New("not an answer of a passkey")

// NewPlace returns the place with the origin, such as https://video.example.com.
func NewPlace(origin string) (Place, error) {
	u, err := url.Parse(origin)
	if err != nil {
		return Place{}, ErrNowhere
	}
	name := u.Hostname()
	local := name == "localhost" || strings.HasSuffix(name, ".localhost")
	if name == "" || net.ParseIP(name) != nil || u.Scheme != "https" && !local {
		return Place{}, ErrNowhere
	}
	auth, err := webauthn.New(&webauthn.Config{
		RPID: name, RPDisplayName: "Dailies", RPOrigins: []string{origin},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementPreferred, UserVerification: protocol.VerificationPreferred,
		},
	})
	if err != nil {
		return Place{}, fmt.Errorf("%w: %w", ErrNowhere, err)
	}
	return Place{auth}, nil
}

// A Person is somebody with their passkeys.
type Person struct {
	Handle  []byte
	Email   string
	Name    string
	Records []string // of the passkeys, as Made and Used return them
}

// A user is a Person as the library asks for one.
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

// A Challenge is what the answer is held against. It is sealed and kept until then.
type Challenge struct{ Session webauthn.SessionData }

// ID returns what tells the challenge from all others.
func (c Challenge) ID() string { return c.Session.Challenge }

// A Made passkey is new.
type Made struct {
	ID     []byte
	Record string
}

// BeginMaking returns what the browser is asked, as JSON, for a new passkey of the
// person.
func (p Place) BeginMaking(person Person) (options []byte, c Challenge, err error) {
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

// FinishMaking checks the browser's answer.
func (p Place) FinishMaking(person Person, c Challenge, answer string) (Made, error) {
	u, err := newUser(person)
	if err != nil {
		return Made{}, err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes([]byte(answer))
	if err != nil {
		return Made{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	made, err := p.auth.CreateCredential(u, c.Session, parsed)
	if err != nil {
		return Made{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	record, err := recordOf(made)
	return Made{made.ID, record}, err
}

func recordOf(c *webauthn.Credential) (string, error) {
	c.Attestation = webauthn.CredentialAttestation{} // which nobody asked for
	text, err := json.Marshal(c)
	return string(text), err
}

// BeginProof returns what the browser is asked, as JSON. Without a person anybody's
// passkey will do that knows its person, and it has to make sure of them; with one,
// who has given their password, one of theirs.
func (p Place) BeginProof(person *Person) (options []byte, c Challenge, err error) {
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

// A Used passkey has proved whose it is.
type Used struct {
	ID     []byte
	Record string // after this use
}

// FinishProof checks the browser's answer. Find returns the person with the handle
// that the passkey names.
func (p Place) FinishProof(c Challenge, answer string, find func(handle []byte) (Person, error)) (Used, error) {
	parsed, err := protocol.ParseCredentialRequestResponseBytes([]byte(answer))
	if err != nil {
		return Used{}, fmt.Errorf("%w: %w", ErrInvalid, err)
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
		used, err = p.auth.ValidateDiscoverableLogin(func(_, handle []byte) (webauthn.User, error) { return load(handle) }, c.Session, parsed)
	} else {
		var u webauthn.User
		if u, err = load(c.Session.UserID); err == nil {
			used, err = p.auth.ValidateLogin(u, c.Session, parsed)
		}
	}
	switch {
	case failed != nil:
		return Used{}, failed
	case err != nil:
		return Used{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	case used.Authenticator.CloneWarning: // its counter has not grown: there is a copy
		return Used{}, fmt.Errorf("%w: its counter went back", ErrInvalid)
	}
	record, err := recordOf(used)
	return Used{used.ID, record}, err
}
