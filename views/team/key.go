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
	Sandbox    bool

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
		Field: input.Field{Name: "name", Label: "Name", Hint: hint, Value: name, Focus: input.OnError},
		Room:  team.MaxKeyName, Most: team.MaxKeyName, Missing: "Please give the key a name, such as Marketing.", Long: "This name is too long. 60 characters are enough.",
	}
}

// The sentences about a key that cannot be added, or not so.
const (
	KeyNameTaken = "Another key of the team has this name."
	TooManyKeys  = "The team has as many keys as it may. Please delete one that nobody uses first."
)

// NewNewKeyForm returns the form that adds a key.
func NewNewKeyForm(sandbox bool) NewKeyForm {
	return NewKeyForm{Name: NewKeyName("", "What the team calls it, such as Marketing."), Key: NewSecret("Key", sandbox)}
}

// NewSecret returns the field for a key's secret, which is never shown again.
func NewSecret(label string, sandbox bool) *input.Text {
	key := part.KeyInput(label, "It is tested, and kept encrypted. Only its last four characters are ever shown again.")
	if sandbox {
		key.Hint = "Leave it empty, and the sandbox makes a key with 1,000 practice credits."
	}
	return key
}

// NewOwnKeys returns the choice whether people may use keys of their own.
func NewOwnKeys(allowed bool) *input.Choice {
	own := &input.Choice{
		Field: input.Field{Name: "own", Label: "May people use keys of their own?", Value: OwnKeysAllowed},
		Options: []input.Option{
			{Value: OwnKeysAllowed, Label: "People may use keys of their own"},
			{Value: team.OwnKeysForbidden, Label: "Everybody uses the keys of the team"},
		},
		Wrong: chooseOne, Hidden: true,
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
	Key     team.Key
	Sandbox bool
	Name    *input.Text
	Secret  *input.Text
	// The sentences beside what confirms a change while videos are under way.
	Anyway, Sure string
}

// NotReplaced and NotDeleted say why a key was left as it is.
const (
	NotReplaced = "Videos are under way with this key, so nothing was changed. Wait until they have ended, or tick this and paste the new key once more."
	NotDeleted  = "Videos are under way with this key, so it was not deleted. Wait until they have ended, or tick this."
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
		return "Nobody uses it, no video is under way"
	case k.People == 0 && k.Running == 1:
		return "Nobody uses it, 1 video is under way"
	case k.People == 0:
		return fmt.Sprintf("Nobody uses it, %s videos are under way", videos)
	case k.People == 1 && k.Running == 0:
		return "1 person uses it, no video is under way"
	case k.People == 1 && k.Running == 1:
		return "1 person uses it, 1 video is under way"
	case k.People == 1:
		return fmt.Sprintf("1 person uses it, %s videos are under way", videos)
	case k.Running == 0:
		return fmt.Sprintf("%s people use it, no video is under way", people)
	case k.Running == 1:
		return fmt.Sprintf("%s people use it, 1 video is under way", people)
	}
	return fmt.Sprintf("%s people use it, %s videos are under way", people, videos)
}

// running warns that videos are under way with the key. It is empty if there are none.
func (p KeyPage) running() string {
	switch p.Key.Running {
	case 0:
		return ""
	case 1:
		return "1 video is under way with this key. It is still followed to its end with it, and paid with it."
	}
	return fmt.Sprintf("%s videos are under way with this key. They are still followed to their end with it, and paid with it.", part.Number(p.Key.Running))
}

// deleting says what deleting the key means for its users.
func (p KeyPage) deleting() string {
	switch {
	case p.Key.Standard && p.Key.People > 0:
		return "It is the standard key: whoever has no other one cannot make videos until there is one. Its name stays beside what was spent with it."
	case p.Key.People > 0:
		return "Whoever was given it uses the standard key from then on. Its name stays beside what was spent with it."
	}
	return "Its name stays beside what was spent with it."
}

// queued says what happens to videos that wait to be sent with the key. It is empty if
// there are none.
func (p KeyPage) queued() string {
	switch p.Key.Queued {
	case 0:
		return ""
	case 1:
		return "1 more video waits to be sent. It is sent with the key that its maker has then; without one, it is not made, and nothing is paid."
	}
	return fmt.Sprintf("%s more videos wait to be sent. They are sent with the keys that their makers have then; without one, they are not made, and nothing is paid.", part.Number(p.Key.Queued))
}

// without says how many users have no key. It is empty if everybody has one.
func (p KeysPage) without() string {
	switch p.Without {
	case 0:
		return ""
	case 1:
		return "1 person has no key, and cannot make videos."
	}
	return fmt.Sprintf("%s people have no key, and cannot make videos.", part.Number(p.Without))
}

// owning says how many users use keys of their own.
func (p KeysPage) owning() string {
	switch {
	case !p.OwnAllowed:
		return "Keys that people had saved before are kept, and not used."
	case p.Owning == 0:
		return "Nobody uses one now."
	case p.Owning == 1:
		return "1 person uses one now. It comes before every key of the team."
	}
	return fmt.Sprintf("%s people use one now. It comes before every key of the team.", part.Number(p.Owning))
}

// listed says how many of the matching users are listed, if not all.
func (p KeysPage) listed() string {
	switch {
	case p.Found == 0:
		return "Nobody has this in their name or e-mail address."
	case len(p.People) < p.Found:
		return fmt.Sprintf("The first %d of %s. Look for others by their name.", len(p.People), part.Number(p.Found))
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
	return fmt.Sprintf("Their own, …%s", u.Key.LastFour)
}

// standard returns the label of the standard key where keys are assigned.
func (p KeysPage) standard() string {
	for _, k := range p.Keys {
		if k.Standard {
			return fmt.Sprintf("Standard (%s)", naming.Isolated(k.Name))
		}
	}
	return "Standard (none)"
}
