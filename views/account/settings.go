package account

import (
	"dailies/db"
	"dailies/db/team"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// A SettingsPage holds what the viewer's own account consists of.
type SettingsPage struct {
	LookOnly bool // the person makes nothing, so that keys and webhooks are of no use
	Name     string
	Errors   part.Errors // "name", "current", "password", "theme", "key", "webhook"
	Keys     KeyPart
	Sandbox  *SandboxAccount
	Webhook  WebhookPart
	Links    []part.ShareLink // that were given away; an admin sees everybody's
	Sessions []db.Session
	Current  int64 // id of the viewer's session
	Storage  Storage
	Signing  Signing
	Mail     map[team.Notice]bool // what the viewer is told by mail; nil where none is sent
}

// A KeyPart says which key the viewer's videos are made with.
type KeyPart struct {
	Own       *db.Key // their own; nil without one
	Running   int     // videos under way that were sent with it
	Said      string  // why the saved key cannot be opened, else empty
	Forbidden bool    // the team uses its own keys only
	// Team is the key of the team that the next video is made with; nil where it is
	// not one of the team's.
	Team     *db.Key
	TeamName string
	Admin    bool // the viewer looks after the keys of the team
}

// has reports whether there is a key to make videos with.
func (k KeyPart) has() bool { return k.Team != nil || k.Own != nil && !k.Forbidden }

// deleting says what becomes of videos under way when the viewer's own key is
// deleted.
func (k KeyPart) deleting() string {
	switch k.Running {
	case 0:
		return "No video is under way with it."
	case 1:
		return "1 video is under way with it. It is still followed to its end with it, and paid with it."
	}
	return part.Number(k.Running) + " videos are under way with it. They are still followed to their end with it, and paid with it."
}

// replacing is the hint beside the field for another key.
func (k KeyPart) replacing() string {
	const kept = "Kept encrypted. Only its last four characters are ever shown again."
	switch {
	case k.Own == nil || k.Running == 0:
		return kept
	case k.Running == 1:
		return kept + " 1 video is under way with the present one, and is followed to its end with that."
	}
	return kept + " " + part.Number(k.Running) + " videos are under way with the present one, and are followed to their end with that."
}

// Storage says how much room things take, in bytes.
type Storage struct {
	Pictures            int // that the viewer uploaded
	Uploads, MaxUploads int64
	Space               *db.Space // of everything; nil for those who are not admins
}

// themes lists the choices of the theme, each with the class of its picture.
var themes = []struct{ Value, Label, Class string }{{"", "As the system", ""}, {"light", "Light", "light"}, {"dark", "Dark", "dark"}}

// A SandboxAccount holds what the sandbox knows about the viewer's key.
type SandboxAccount struct {
	Balance float64
	Known   bool // the sandbox knows the key
	Keys    []videoapi.Key
	Ledger  []videoapi.Entry
}

// ledgerLines is the number of ledger entries that Settings shows.
const ledgerLines = 20

// newestLines returns the first entries of a ledger, which lists the newest
// first.
func newestLines(ledger []videoapi.Entry) []videoapi.Entry {
	return ledger[:min(len(ledger), ledgerLines)]
}

// ledgerWord says why a balance changed.
func ledgerWord(k videoapi.EntryKind) string {
	switch k {
	case videoapi.Deducted:
		return "Paid for a video"
	case videoapi.Refunded:
		return "Given back"
	case videoapi.ToppedUp:
		return "Added"
	}
	return string(k)
}

// label names the field for a key.
func (k KeyPart) label() string {
	switch {
	case k.Own != nil:
		return "Replace it with"
	case k.Team != nil:
		return "Use a key of your own instead"
	}
	return "Your key"
}
