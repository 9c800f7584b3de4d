package account

import (
	"dailies/db"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// A SettingsPage holds what the viewer's own account consists of.
type SettingsPage struct {
	Name     string
	Errors   part.Errors // "name", "current", "password", "theme", "key", "webhook"
	Key      *db.Key     // nil without one
	KeySaid  string      // why the saved key cannot be opened, else empty
	Sandbox  *SandboxAccount
	Webhook  WebhookPart
	Links    []part.ShareLink // that were given away; an admin sees everybody's
	Sessions []db.Session
	Current  int64 // id of the viewer's session
	Storage  Storage
	Signing  Signing
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

func (p SettingsPage) keyLabel() string {
	if p.Key != nil {
		return "Replace it with"
	}
	return "Your key"
}
