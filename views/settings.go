package views

import "dailies/db"

// A SettingsPage shows a person's own account.
type SettingsPage struct {
	Name     string
	Errors   Errors  // "name", "current", "password", "key", "webhook"
	Key      *db.Key // nil without one
	KeySaid  string  // the outcome of a test just made, empty without one
	Sandbox  *SandboxAccount
	Webhook  WebhookPart
	Sessions []db.Session
	Current  int64 // id of the session that looks
}

// A SandboxAccount is what the sandbox knows of the person's key.
type SandboxAccount struct {
	Balance float64
	Known   bool   // the sandbox knows the key
	NewKey  string // a key just made, shown whole this once
}
