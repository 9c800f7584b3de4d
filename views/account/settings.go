package account

import (
	"fmt"
	"strings"

	"dailies/db"
	"dailies/db/format"
	"dailies/db/naming"
	"dailies/db/outbox"
	"dailies/db/schedule"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// A SettingsPage holds the settings of the viewer's own account.
type SettingsPage struct {
	LookOnly bool // the viewer may not make videos, so keys and webhooks are of no use
	Name     string
	Errors   input.Errors // "name", "current", "password", "theme", "key", "self"
	Keys     KeyPart
	Sandbox  *SandboxAccount
	Webhooks WebhookPart
	Self     *input.Credits   // the field for the lower limit that the viewer sets
	Limit    db.Credits       // that limit as it is stored; unknown for none
	Links    []part.ShareLink // shared links; an admin sees everybody's
	Sessions []signin.Session
	Current  int64 // ID of the viewer's session
	Storage  Storage
	Signing  Signing
	Tokens   int                    // of the viewer's programs
	Hooks    int                    // the viewer's webhooks
	Too      *input.Choice          // whether these end with the password
	Mail     map[outbox.Notice]bool // notifications that the viewer wants by mail; nil if no mail can be sent
}

// A KeyPart says which key the viewer's videos are made with.
type KeyPart struct {
	Own       *secrets.Key // the viewer's own key; nil without one
	Running   int          // number of unfinished videos that were sent with the own key
	Said      string       // why the saved key cannot be decrypted, else empty
	Forbidden bool         // users may not have keys of their own
	// Team is the team's key with which the next video is made; nil if it is made
	// with the own key.
	Team     *secrets.Key
	TeamName string

	Service string       // the host of the video service; empty in practice mode
	Earlier []db.Service // other services for which the viewer has an own key
}

// changed asks for a key for the service that the team uses now, if the viewer has one for
// an earlier service alone. It is empty otherwise.
func (k KeyPart) changed() string {
	if k.Own != nil || k.Forbidden || len(k.Earlier) == 0 || k.Service == "" {
		return ""
	}
	return fmt.Sprintf("Your team uses %s now. To go on with an own key, add one for it.", naming.Isolated(k.Service))
}

// kept says what becomes of the viewer's keys for earlier services, one sentence each.
func (k KeyPart) kept() (all []string) {
	for _, s := range k.Earlier {
		if s.Practice {
			all = append(all, "Your practice key is kept for practice mode.")
		} else {
			all = append(all, fmt.Sprintf("Your key for %s is kept, in case your team returns there.", naming.Isolated(s.Host())))
		}
	}
	return all
}

// has reports whether the viewer has a key to make videos with.
func (k KeyPart) has() bool { return k.Team != nil || k.Own != nil && !k.Forbidden }

// deleting says what happens to unfinished videos if the viewer's own key is
// deleted.
func (k KeyPart) deleting() string {
	if k.Running == 0 {
		return "Nothing is being made with it."
	}
	return part.Plural(k.Running,
		"%s video is still being made with it, and stays on it.",
		"%s videos are still being made with it, and stay on it.")
}

// replacing returns the hint of the field in which another key is entered.
func (k KeyPart) replacing() string {
	const kept = "Tested when you save it, and stored encrypted."
	if k.Own == nil || k.Running == 0 {
		return kept
	}
	return format.Sentences(kept, part.Plural(k.Running,
		"%s video stays on the present key.",
		"%s videos stay on the present key."))
}

// Storage says how much space files take, in bytes.
type Storage struct {
	Pictures            int // number of pictures that the viewer uploaded
	Uploads, MaxUploads int64
	Space               *schedule.Space // of everything; nil unless the viewer is an admin
}

// themes lists the themes to choose from, with the CSS class of each preview.
var themes = []struct{ Value, Label, Class string }{{"", "Same as device", ""}, {"light", "Light", "light"}, {"dark", "Dark", "dark"}}

// themeName returns the name of a theme.
func themeName(theme string) string {
	for _, t := range themes {
		if t.Value == theme {
			return t.Label
		}
	}
	return ""
}

// fact says which key the viewer's videos are made with.
func (k KeyPart) fact() string {
	switch {
	case k.Team != nil:
		return "Team key"
	case k.has():
		return "Own key"
	}
	return "No key yet"
}

// A SandboxAccount holds what the sandbox knows about the viewer's key.
type SandboxAccount struct {
	Balance float64
	Known   bool // whether the sandbox knows the key
	Keys    []videoapi.Key
	Ledger  []videoapi.Entry
}

// ledgerLines is the maximum number of ledger entries that Settings shows.
const ledgerLines = 20

// newestLines returns the first entries of a ledger that lists the newest first.
func newestLines(ledger []videoapi.Entry) []videoapi.Entry {
	return ledger[:min(len(ledger), ledgerLines)]
}

// ledgerWord says why a balance changed.
func ledgerWord(k videoapi.EntryKind) string {
	switch k {
	case videoapi.Deducted:
		return "Video"
	case videoapi.Refunded:
		return "Came back"
	case videoapi.ToppedUp:
		return "Added"
	}
	return string(k)
}

// label returns the label of the field in which a key is entered.
func (k KeyPart) label() string {
	switch {
	case k.Own != nil:
		return "New key"
	case k.Team != nil:
		return "Use my own"
	}
	return "Your key"
}

// nameHint is the hint beside a person's name.
const nameHint = "The team sees it beside your videos."

// The fields of the page.

func (p SettingsPage) nameField() input.Text {
	field := NewName(p.Name, nameHint)
	field.Error = p.Errors["name"]
	return field
}

func (p SettingsPage) currentField() input.Text {
	field := input.CurrentPassword("current", "Current password")
	field.Error, field.Focus, field.Required = p.Errors["current"], input.OnError, false
	return field
}

func (p SettingsPage) passwordField() input.Text {
	field := NewPassword("New password")
	field.Error = p.Errors["password"]
	if p.Errors.First("") != "password" {
		field.Focus = input.Never
	}
	return hinted(field)
}

// The values of the choice of NewProgramsToo.
const (
	endPrograms  = "end"
	keepPrograms = "keep"
)

// NewProgramsToo returns the choice whether a new password ends tokens and webhooks, too.
// Absent means that it does.
func NewProgramsToo() *input.Choice {
	return &input.Choice{
		Field: input.Field{Name: "programs", Value: endPrograms, Rules: input.Offered("Choose one of these.")},
		Options: []input.Option{
			{Value: endPrograms, Label: "Yes", Hint: "in case somebody knew your password"},
			{Value: keepPrograms, Label: "No", Hint: "your programs go on"},
		},
	}
}

// EndsPrograms reports whether the choice ends tokens and webhooks.
func EndsPrograms(c *input.Choice) bool { return c.Value != keepPrograms }

// programsField is the choice, with how many tokens and webhooks there are.
func (p SettingsPage) programsField() input.Choice {
	field := *p.Too
	field.Label = fmt.Sprintf("End your programs’ access too? Tokens: %s, webhooks: %s", part.Number(p.Tokens), part.Number(p.Hooks))
	return field
}

func (p SettingsPage) keyField() input.Text {
	field := *part.KeyInput(p.Keys.label(), p.Keys.replacing())
	field.Error = p.Errors["key"]
	return field
}

func (p SettingsPage) selfField() input.Credits {
	if p.Self == nil {
		return *NewSelf(db.Credits{})
	}
	return *p.Self
}

// noticeName describes a kind of notification for the viewer.
func noticeName(n outbox.Notice, f *part.Frame) string {
	switch n {
	case outbox.NoticeReady:
		return "A video is ready"
	case outbox.NoticeFailed:
		return "A video failed"
	case outbox.NoticeAnswer:
		return "A guest approves or wants changes"
	case outbox.NoticeNotes:
		return "A note about my videos, or a mention of me"
	case outbox.NoticeAsked:
		if f.Viewer != nil && f.Viewer.IsAdmin() {
			return "A person asks for more, or my request is answered"
		}
		return "My request is answered"
	case outbox.NoticeLimit:
		return "My limit is nearly used"
	}
	return string(n)
}

// Browser names the browser and the operating system in a User-Agent header.
func Browser(agent string) string {
	name := firstOf(agent, [][2]string{
		{"Edg/", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"},
		{"CriOS/", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"}, {"curl/", "curl"},
	})
	system := firstOf(agent, [][2]string{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"},
		{"Mac OS X", "Mac"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"},
	})
	switch {
	case name != "" && system != "":
		return fmt.Sprintf("%s on %s", name, system)
	case name != "":
		return name
	case system != "":
		return fmt.Sprintf("A browser on %s", system)
	}
	return "A browser"
}

// firstOf returns the label of the first pair whose token occurs in text.
func firstOf(text string, pairs [][2]string) string {
	for _, p := range pairs {
		if strings.Contains(text, p[0]) {
			return p[1]
		}
	}
	return ""
}
