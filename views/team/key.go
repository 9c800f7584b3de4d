package team

import (
	"fmt"
	"net/url"
	"strconv"

	"dailies/db"
	"dailies/db/naming"
	"dailies/db/schedule"
	"dailies/db/secrets"
	"dailies/db/team"
	"dailies/views/input"
	"dailies/views/part"
)

// A KeysPage holds the team's keys, and who uses which.
type KeysPage struct {
	Keys       []team.Key // the team's keys, sorted by name
	OwnAllowed bool       // users may have keys of their own
	Owning     int        // number of users who use a key of their own
	Without    int        // number of users without any key
	People     []KeyUser  // the users that are listed
	Found      int        // number of users that Search matches
	Search     string
	Blocking   []schedule.Call // the create calls that block their keys for longer than usual

	New NewKeyForm
	Own *input.Choice // whether people may use keys of their own
}

// A NewKeyForm adds a key.
type NewKeyForm struct {
	Name     *input.Text
	Key      *input.Text
	Standard bool
}

// NewKeyName returns the field for the name of a key.
func NewKeyName(name, hint string) *input.Text {
	return &input.Text{
		Field: input.Field{
			Name: "name", Label: "Name", Hint: hint, Value: name, Focus: input.OnError,
			Rules: input.Rules{
				input.Required("Name the key, such as Marketing.").OnSubmit(), input.Max(team.MaxKeyName, "60 characters at most"),
			},
		},
	}
}

// The sentences about a key that cannot be added, or not so.
const (
	KeyNameTaken = "Another team key has this name."
	TooManyKeys  = "No room for more keys. Delete one that nobody uses."
)

// NewNewKeyForm returns the form that adds a key.
func NewNewKeyForm(sandbox bool) NewKeyForm {
	return NewKeyForm{Name: NewKeyName("", "Such as Marketing"), Key: newSecret("Key", sandbox)}
}

// newSecret returns the field for a key's secret, which is never shown again.
func newSecret(label string, sandbox bool) *input.Text {
	key := part.KeyInput(label, "Tested when you save it, and stored encrypted.")
	if sandbox {
		key.Hint = "Empty: a practice key with 1,000 credits"
	}
	return key
}

// OtherSecret returns the field for the secret that replaces a key's.
func OtherSecret(sandbox bool) *input.Text { return newSecret("New key", sandbox) }

// NewOwnKeys returns the choice whether people may use keys of their own.
func NewOwnKeys(allowed bool) *input.Choice {
	own := &input.Choice{
		Field: input.Field{Name: "own", Label: "Own keys", Value: OwnKeysAllowed, Rules: input.Offered(chooseOne)},
		Options: []input.Option{
			{Value: OwnKeysAllowed, Label: "Own keys allowed"},
			{Value: team.OwnKeysForbidden, Label: "Team keys only"},
		},
		Hidden: true,
	}
	if !allowed {
		own.Value = team.OwnKeysForbidden
	}
	return own
}

// OwnKeysAllowed is the value of the choice that allows keys of their own.
const OwnKeysAllowed = "allowed"

// A KeyUser is a user with the key that their next video will be sent with, the zero
// Key if there is none.
type KeyUser struct {
	User db.User
	Key  secrets.Key
}

// A KeyPage holds one of the team's keys.
type KeyPage struct {
	Key    team.Key
	Name   *input.Text
	Secret *input.Text
	// The sentences beside what confirms a change while videos are under way.
	Anyway, Sure string
}

// NotReplaced and NotDeleted say why a key was left as it is.
const (
	NotReplaced = "Videos are still being made with it. Tick this and paste the new key again, or wait."
	NotDeleted  = "Videos are still being made with it. Tick this, or wait."
)

const keysPath = "/team/keys"

func keyPath(k team.Key) string { return keysPath + "/" + strconv.FormatInt(k.TeamKeyID, 10) }

// PeoplePath returns the path of the list of users that match the search.
func PeoplePath(search string) string {
	if search == "" {
		return keysPath + "#people"
	}
	return keysPath + "?q=" + url.QueryEscape(search) + "#people"
}

// use says how many users use the key, and how many videos are under way with it.
func use(k team.Key) string {
	people, videos := part.Number(k.People), part.Number(k.Running)
	switch {
	case k.People == 0 && k.Running == 0:
		return "Nobody uses it."
	case k.People == 0 && k.Running == 1:
		return "Nobody uses it, 1 video in progress."
	case k.People == 0:
		return fmt.Sprintf("Nobody uses it, %s videos in progress.", videos)
	case k.People == 1 && k.Running == 0:
		return "1 person uses it."
	case k.People == 1 && k.Running == 1:
		return "1 person uses it, 1 video in progress."
	case k.People == 1:
		return fmt.Sprintf("1 person uses it, %s videos in progress.", videos)
	case k.Running == 0:
		return fmt.Sprintf("%s people use it.", people)
	case k.Running == 1:
		return fmt.Sprintf("%s people use it, 1 video in progress.", people)
	}
	return fmt.Sprintf("%s people use it, %s videos in progress.", people, videos)
}

// running warns that videos are under way with the key. It is empty if there are none.
func (p KeyPage) running() string {
	switch p.Key.Running {
	case 0:
		return ""
	case 1:
		return "1 video is still being made with it. It stays on this key."
	}
	return fmt.Sprintf("%s videos are still being made with it. They stay on this key.", part.Number(p.Key.Running))
}

// deleting says what deleting the key means for its users.
func (p KeyPage) deleting() string {
	switch {
	case p.Key.Standard && p.Key.People > 0:
		return "Everyone without another key can’t make videos until you add one. Past spending keeps its name."
	case p.Key.People > 0:
		return "People with this key get the one for everyone. Past spending keeps its name."
	}
	return "Past spending keeps its name."
}

// queued says what happens to videos that wait to be sent with the key. It is empty if
// there are none.
func (p KeyPage) queued() string {
	switch p.Key.Queued {
	case 0:
		return ""
	case 1:
		return "1 more video waits. It’s sent with its maker’s next key; without one, nothing is charged."
	}
	return fmt.Sprintf(
		"%s more videos wait. They’re sent with their makers’ next keys; without one, nothing is charged.",
		part.Number(p.Key.Queued),
	)
}

// without says how many users have no key. It is empty if everybody has one.
func (p KeysPage) without() string {
	switch p.Without {
	case 0:
		return ""
	case 1:
		return "1 person has no key, and can’t make videos."
	}
	return fmt.Sprintf("%s people have no key, and can’t make videos.", part.Number(p.Without))
}

// listed says how many of the matching users are listed, if not all.
func (p KeysPage) listed() string {
	switch {
	case p.Found == 0:
		return "Nobody with this name or address"
	case len(p.People) < p.Found:
		return fmt.Sprintf("The first %d of %s. Find others by name.", len(p.People), part.Number(p.Found))
	}
	return ""
}

// uses returns the name of the key with which the user's next video is sent.
func (p KeysPage) uses(u KeyUser) string {
	for _, k := range p.Keys {
		if k.TeamKeyID == u.Key.TeamKeyID {
			return k.Name
		}
	}
	if len(u.Key.Sealed) == 0 {
		return "None"
	}
	return fmt.Sprintf("Own key, …%s", u.Key.LastFour)
}

// standard returns the label of the standard key where keys are assigned.
func (p KeysPage) standard() string {
	for _, k := range p.Keys {
		if k.Standard {
			return fmt.Sprintf("For everyone (%s)", naming.Isolated(k.Name))
		}
	}
	return "For everyone (none)"
}
