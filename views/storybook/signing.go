package storybook

import (
	"time"

	"dailies/db/audit"
	"dailies/db/signin"
	"dailies/views/account"
	"dailies/views/input"
)

// signingStories shows the section of Settings about signing in, and the page that asks
// for the password again before a change.
func signingStories() []story {
	again := account.Reauthentication{
		Title: "Delete this passkey?", What: "My phone", Button: "Delete passkey", Path: "/settings/passkeys/1/delete",
		Back:        "/settings#profile",
		HasPassword: true, Fields: []account.Typed{{Name: "what", Value: "My phone"}},
	}
	wrong, without := again, again
	wrong.Errors, without.HasPassword = input.Errors{"current": "That’s not your current password."}, false
	long := signin.Identity{ID: 2, Subject: "8f14e45f-ceea-467f-a8f0-3b1c2a9d7e60.maximiliane-theodora", UsedAt: Now.Add(-72 * time.Hour)}
	signing := account.Signing{
		Provider: "your school account", HasPassword: true,
		Identities:  []signin.Identity{{ID: 1, Email: "ada@school.example", UsedAt: Now.Add(-time.Hour)}, long},
		SecondSteps: signin.SecondSteps{Codes: true, Recovery: 7, Passkeys: 2}, Passkeys: []signin.Passkey{
			{ID: 1, Name: "My phone", CreatedAt: Now.Add(-240 * time.Hour), UsedAt: Now.Add(-time.Hour)},
			{ID: 2, Name: "The key on my desk", CreatedAt: Now.Add(-400 * time.Hour), Restored: true},
		},
	}
	alone, none, restored := signing, account.Signing{Provider: signing.Provider, HasPassword: true}, signing
	alone.HasPassword, restored.SecondSteps.Recovery = false, 0
	guessed := signing
	guessed.Guessed = audit.Entry{ID: 1, At: Now.Add(-3 * time.Hour), Action: audit.CodesGuessed, Actor: audit.Actor{Address: "192.0.2.7"}}
	page := func(s account.Signing) account.SettingsPage { return account.SettingsPage{Signing: s} }
	return []story{
		{"Asked once more", account.ReauthForm(again)},
		{"Asked once more, and wrong", account.ReauthForm(wrong)},
		{"Asked once more, without a password", account.ReauthForm(without)},
		{"No company sign-in", account.ConnectedAccounts(page(none), Now)},
		{"Company sign-in", account.ConnectedAccounts(page(signing), Now)},
		{"Company sign-in as the only way in", account.ConnectedAccounts(page(alone), Now)},
		{"Besides a password", account.SecondSteps(page(signing), Now)},
		{"Besides a password, after a restore", account.SecondSteps(page(restored), Now)},
		{"Besides a password, with wrong codes", account.SecondSteps(page(guessed), Now)},
		{"A password alone", account.SecondSteps(page(none), Now)},
	}
}
