package team

import (
	"fmt"
	"strings"

	"dailies/db"
	"dailies/db/naming"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// A ConnectPage shows which video service the team uses, and the form that connects
// another one.
type ConnectPage struct {
	Service db.Service // in use; with what is under way there
	Earlier []db.Service
	// Fixed is the address that the settings of the program name; empty if they name none.
	Fixed           string
	Held            bool // a service came from a backup, and no admin has confirmed it
	HeldHooks       int  // webhooks that came with a backup, and that no admin has confirmed
	CanPractise     bool // no other process works on the database
	MustSignInAgain bool // people without a password have to sign in again first
	Connected       bool // the service was connected just now
	Try             TryVideo
	Form            ConnectForm
	Error           string // about the page as a whole
}

// A ConnectForm takes the address of a service and a key for it.
type ConnectForm struct {
	Address, Key *input.Text
	Password     *input.Text // nil if it was given a short while ago
	// Found is what the test has shown of the service; empty before it.
	Found videoapi.Finding
	Kept  bool // the key is known, although no page shows it
}

// A TryVideo is the smallest video that a model offers.
type TryVideo struct {
	Path    string // of the form with it
	Length  int    // in seconds
	Quality string
	Credits db.Credits
}

// NewConnectForm returns the form. ending are the last characters of a key that was entered
// before and is still known, empty if there is none.
func NewConnectForm(address, ending string) ConnectForm {
	f := ConnectForm{
		Address: &input.Text{
			Field: input.Field{Name: "address", Label: "Address", Value: address, Focus: input.OnError},
			Kind:  "text", Keyboard: "url", Plain: true, Sample: "https://video.example.com", MaxLength: videoapi.MaxAddress,
		},
		Key: part.KeyInput("Key", "From the service’s own settings. Stored encrypted."),
	}
	if ending != "" {
		f.Keep(ending)
	}
	return f
}

// Keep shows in place of the key that it is known, by its last characters.
func (f *ConnectForm) Keep(ending string) {
	f.Kept = true
	f.Key.Sample, f.Key.Hint = fmt.Sprintf("…%s", ending), "The key you entered. It stays here for ten minutes."
}

// AddPassword adds the field for the password.
func (f *ConnectForm) AddPassword() {
	password := input.CurrentPassword("current", "Your password")
	password.Hint = "To confirm it’s you."
	f.Password = &password
}

// AddressSentence returns the sentence about an address that cannot be used.
func AddressSentence(f videoapi.AddressFault) string {
	switch f {
	case videoapi.AddressMissing:
		return "Enter the address."
	case videoapi.AddressLong:
		return fmt.Sprintf("%d characters at most", videoapi.MaxAddress)
	case videoapi.AddressOpen:
		return "Use https. With http, others on the way can read the key."
	case videoapi.AddressUser:
		return "Leave out the user and the password. The key goes below."
	case videoapi.AddressPort:
		return "There’s no such port. Leave it out, or use 1 to 65535."
	case videoapi.AddressQuery:
		return "Leave out the ? or # and everything after it."
	case videoapi.AddressPrivate:
		return privateAddress
	}
	return "That’s not a web address. It looks like https://video.example.com."
}

const privateAddress = "That’s inside a private network. Only a server started with -allow-private goes there."

// Tell writes what the test has shown beside the field that it concerns, and reports
// whether the service can be used.
func (f *ConnectForm) Tell(found videoapi.Finding) bool {
	switch f.Found = found; found {
	case videoapi.FoundAccepted, videoapi.FoundUnsaid:
		return true
	case videoapi.FoundRefused:
		f.Key.Error = "The service doesn’t know this key. Copy it once more."
	default:
		f.Address.Error = findingSentence(found)
	}
	return false
}

func findingSentence(found videoapi.Finding) string {
	switch found {
	case videoapi.FoundBusy:
		return "The service has a problem of its own. Try again in a few minutes."
	case videoapi.FoundForeign:
		return "Something else answers here, not a video service. Check the address."
	case videoapi.FoundNothing:
		return "There’s no video service at this path. Check what follows the name."
	case videoapi.FoundRedirect:
		return "This address sends us on to another one. Enter that one."
	case videoapi.FoundNoHost:
		return "We can’t find a server of this name. Check the spelling."
	case videoapi.FoundClosed:
		return "The server refuses the connection. Check the port."
	case videoapi.FoundSilent:
		return "No answer from this address within 10 seconds."
	case videoapi.FoundUntrusted:
		return "We don’t trust this server’s certificate. Ask who runs it."
	case videoapi.FoundPlain:
		return "This server doesn’t speak https. Check the port."
	case videoapi.FoundPrivate:
		return privateAddress
	}
	return "The connection broke off. Try again."
}

// The sentences about a change that is refused.
const (
	ServiceFixed     = "The server’s settings name the video service, so it can’t be changed here."
	ServiceChanged   = "Another admin changed the video service just now. Look again."
	ServiceKeyAgain  = "Paste the key for this address."
	PracticeFull     = "Several servers work for this team, and practice mode runs on one alone."
	ServiceConfirmed = "Confirmed. The video service is used again."
	HooksConfirmed   = "Confirmed. Webhooks are told again."
	ServicePractice  = "Back in practice mode. Sample videos, no real credits."
)

// WithoutUser returns the address without the user and the password in it, so that no page
// repeats them.
func WithoutUser(address string) string {
	scheme, rest, has := strings.Cut(address, "://")
	if !has {
		scheme, rest = "", address
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	if _, port, _ := strings.Cut(rest[:end], ":"); strings.Trim(port, "0123456789") != "" {
		end = len(rest) // it is no port, but a password with a / in it
	}
	at := strings.LastIndex(rest[:end], "@")
	if rest = rest[at+1:]; has {
		return scheme + "://" + rest
	}
	return rest
}

// ServiceFact says which video service the team uses.
func ServiceFact(s db.Service) string {
	if s.Practice {
		return "Practice mode"
	}
	return s.Host()
}

// staying says what becomes of what is under way at the service in use, one sentence each.
func (p ConnectPage) staying() (all []string) {
	if n := p.Service.Running; n > 0 {
		all = append(all, part.Plural(
			n, "%s video in progress is finished where it was started.",
			"%s videos in progress are finished where they were started.",
		))
	}
	if n := p.Service.Queued; n > 0 {
		all = append(all, part.Plural(
			n, "%s queued video waits, and its maker decides.", "%s queued videos wait, and their makers decide.",
		))
	}
	if p.Service.Practice {
		all = append(all, "Practice videos stay, and practice credits are counted apart.")
	}
	return all
}

// elsewhere says what is still under way at other services. It is empty if nothing is.
func (p ConnectPage) elsewhere() (all []string) {
	for _, s := range p.Earlier {
		name := naming.Isolated(s.Host())
		if s.Practice {
			if s.Running > 0 {
				all = append(all, part.Plural(
					s.Running, "%s practice video is still being made.", "%s practice videos are still being made.",
				))
			}
			if s.Queued > 0 {
				all = append(all, part.Plural(
					s.Queued, "%s queued practice video waits for its maker.",
					"%s queued practice videos wait for their makers.",
				))
			}
			continue
		}
		switch {
		case s.Running == 1:
			all = append(all, fmt.Sprintf("1 video is still being made at %s.", name))
		case s.Running > 1:
			all = append(all, fmt.Sprintf("%s videos are still being made at %s.", part.Number(s.Running), name))
		}
		switch {
		case s.Queued == 1:
			all = append(all, fmt.Sprintf("1 queued video for %s waits for its maker.", name))
		case s.Queued > 1:
			all = append(all, fmt.Sprintf("%s queued videos for %s wait for their makers.", part.Number(s.Queued), name))
		}
	}
	return all
}

// words describes the video.
func (t TryVideo) words() string {
	if t.Credits.Known {
		return fmt.Sprintf("Try it with the smallest video there is: %d s, %s, %s.", t.Length, t.Quality, part.Amount(t.Credits.Amount))
	}
	return fmt.Sprintf("Try it with the smallest video there is: %d s, %s.", t.Length, t.Quality)
}
