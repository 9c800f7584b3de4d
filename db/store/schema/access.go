package schema

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// An Ending is something after which some of a person's access, or everybody's, is over.
type Ending string

// The endings.
const (
	Deactivation      Ending = "deactivation"        // an admin, or the command line, deactivates the account
	SignOutEverywhere Ending = "sign-out everywhere" // an admin signs the person out of all browsers
	SignOutOthers     Ending = "sign-out of others"  // the person signs out of their other browsers
	NewPassword       Ending = "new password"        // the person changes it, and wants programs to stop
	OnlyNewPassword   Ending = "only a new password" // the person changes it, and wants programs to go on
	PasswordReset     Ending = "password reset"      // a link has set another password
	Connection        Ending = "connection"          // the company's sign-in takes over an account that has its address
	LostSecondStep    Ending = "lost second step"    // an admin removes the second step of somebody who has lost it
	Demotion          Ending = "demotion"            // an admin becomes a member or a viewer
	LostGroups        Ending = "lost groups"         // the company's sign-in gives the person no role any more
	Restore           Ending = "restore"             // a backup is restored, or a move aborted that had copied everything
)

// Endings lists the endings.
var Endings = []Ending{
	Deactivation, SignOutEverywhere, SignOutOthers, NewPassword, OnlyNewPassword, PasswordReset, Connection,
	LostSecondStep, Demotion, LostGroups, Restore,
}

// An Access is a table whose rows open something to those who know, or have, what is in
// them.
type Access struct {
	Table string
	Opens string // what, and to whom

	Person string // the column with the person whose access it is, or who has given it; empty for guests
	Close  string // the statement that ends all rows, without WHERE; $1 is the time if it has one
	Open   string // the condition of the rows that Close would change
	Counts string // the condition of the rows that still opened something; $1 is the time. Empty: all do
	Spares string // the column with the number of one row that may stay; empty if none may

	Ends    []Ending          // after which the rows open nothing any more
	EndedBy map[Ending]string // of these, those that do not use Close, and the function that ends the rows
	Rests   map[Ending]string // after which the rows open nothing for a while, and until when

	With string // the table with whose rows these end, besides
}

// Accesses lists all tables that give access, and what ends each. What is not listed does
// not end it. The functions that end access follow the list, and a test tries each pair.
var Accesses = []Access{
	{
		Table: "users", Opens: "the pages, with the password", Person: "id",
		Ends: []Ending{NewPassword, OnlyNewPassword, PasswordReset, Connection},
		EndedBy: map[Ending]string{
			NewPassword: "Sessions.ChangePassword", OnlyNewPassword: "Sessions.ChangePassword",
			PasswordReset: "Sessions.UseReset", Connection: "linkByEmail",
		},
		Rests: map[Ending]string{Deactivation: "until the person is brought back, for 30 days"},
	},
	{
		Table: "sessions", Opens: "the pages, in one browser", Person: "user_id",
		Close: `DELETE FROM sessions`, Counts: `expires_at > $1`, Spares: "id",
		Ends: []Ending{Deactivation, SignOutEverywhere, SignOutOthers, NewPassword, OnlyNewPassword, PasswordReset,
			Connection, LostSecondStep, LostGroups, Restore},
		EndedBy: map[Ending]string{LostGroups: "SignOn.withdraw ends those that the company's sign-in has begun"},
	},
	{Table: "provider_sessions", With: "sessions"},
	{
		Table: "resets", Opens: "a new password, to whoever has the link", Person: "user_id",
		Close: `DELETE FROM resets`, Counts: `expires_at > $1`,
		Ends:    []Ending{Deactivation, NewPassword, OnlyNewPassword, PasswordReset, Connection, Demotion, Restore},
		EndedBy: map[Ending]string{Demotion: "EndLinks ends those that the admin has made for others"},
	},
	{
		Table: "identities", Opens: "the pages, through the company's sign-in", Person: "user_id",
		Ends: []Ending{LostSecondStep, Restore},
		EndedBy: map[Ending]string{
			LostSecondStep: "SecondSteps.DropSecondStep, if the person has a password and passwords are on",
			Restore:        "closeSecondSteps, in the same case",
		},
		Rests: map[Ending]string{
			Deactivation: "until the person is brought back, for 30 days", LostGroups: "until the company's sign-in gives a role again",
		},
	},
	{
		Table: "passkeys", Opens: "the pages, to a device", Person: "user_id",
		Ends:    []Ending{Connection, LostSecondStep},
		EndedBy: map[Ending]string{Connection: "linkByEmail", LostSecondStep: "SecondSteps.DropSecondStep"},
		Rests: map[Ending]string{
			Deactivation: "until the person is brought back, for 30 days",
			Restore:      "closeSecondSteps: until it was used after the password",
		},
	},
	{
		Table: "codes", Opens: "the pages, after the password", Person: "user_id",
		Ends:    []Ending{Connection, LostSecondStep},
		EndedBy: map[Ending]string{Connection: "dropCodes", LostSecondStep: "dropCodes"},
		Rests: map[Ending]string{
			Deactivation: "until the person is brought back, for 30 days", Restore: "closeSecondSteps: codes of before are not accepted",
		},
	},
	{
		Table: "recovery_codes", Opens: "the pages, after the password, once each", Person: "user_id",
		Close:   `DELETE FROM recovery_codes`,
		Ends:    []Ending{Connection, LostSecondStep, Restore},
		EndedBy: map[Ending]string{Connection: "dropCodes", LostSecondStep: "dropCodes"},
		Rests:   map[Ending]string{Deactivation: "until the person is brought back, for 30 days"},
	},
	{
		Table: "invites", Opens: "a new account, to whoever has the link", Person: "created_by",
		Close: `DELETE FROM invites`, Open: `used_at IS NULL`, Counts: `expires_at > $1`,
		Ends:    []Ending{Deactivation, Demotion, LostGroups, Restore},
		EndedBy: map[Ending]string{Deactivation: "EndLinks", Demotion: "EndLinks", LostGroups: "EndLinks, if the person was an admin"},
	},
	{
		Table: "shares", Opens: "what the link shows, to whoever has it", Person: "created_by",
		Close: `UPDATE shares SET revoked_at = $1`, Open: `revoked_at IS NULL`, Counts: `expires_at > $1`,
		Ends: []Ending{Restore}, // when a person leaves, an admin chooses whether their links end: see team.Leaving
	},
	{Table: "unsealed_shares", With: "shares"},
	{Table: "guests", With: "shares"},      // the cookie of a guest names a row
	{Table: "guest_mails", With: "shares"}, // links in mails to guests are the token of the link
	{
		// The addresses of files that a token has got are signed with its number: they end with it.
		Table: "programs", Opens: "the API, as a person, and files at signed addresses", Person: "user_id",
		Close: `UPDATE programs SET ended_at = $1`, Open: `ended_at IS NULL`, Counts: `ends_at > $1`,
		Ends:  []Ending{Deactivation, SignOutEverywhere, NewPassword, PasswordReset, Connection, Restore},
		Rests: map[Ending]string{LostGroups: "users.refused_at: until the company's sign-in gives a role again"},
	},
	{
		// Those of the team stay when the person leaves who has made them.
		Table: "webhooks", Opens: "news of videos, to a program", Person: "user_id",
		Close: `DELETE FROM webhooks`,
		Ends:  []Ending{Deactivation, SignOutEverywhere, NewPassword, PasswordReset, Connection},
		Rests: map[Ending]string{
			LostGroups: "users.refused_at: until the company's sign-in gives a role again",
			Restore:    "webhooks.held: until an admin confirms them",
		},
	},
	{Table: "webhook_secrets", With: "webhooks"},
	{
		Table: "deliveries", With: "webhooks", Opens: "news of one video, which waits to be sent", Close: `DELETE FROM deliveries`,
		Open: `outcome = ''`,
		Ends: []Ending{Restore},
	},
	{
		Table: "mails", Opens: "a link, to whoever has the mail",
		Person: "user_id", Close: `DELETE FROM mails`, Open: `next_at IS NOT NULL`,
		Ends:    []Ending{Deactivation, Demotion, LostGroups, Restore}, // links in other mails end with the row that they are about
		EndedBy: map[Ending]string{Deactivation: "EndLinks", Demotion: "EndLinks", LostGroups: "EndLinks, if the person was an admin"},
	},
	{
		// The video service reads pictures there, also for videos that are made later. The
		// addresses are in tasks and in requests to the service, which no ending takes back.
		Table: "picture_tokens", Opens: "an uploaded picture, to whoever has its address",
	},
	{Table: "unsealed_pictures", With: "picture_tokens"},
	{
		// Two hours later they are gone.
		Table: "typed", Opens: "what was typed into a form, to the browser in which that was done and the account for which it was",
	},
}

// NoAccess lists the other tables with the reason why they open nothing.
var NoAccess = map[string]string{
	"services":          "addresses of video services",
	"team_keys":         "keys for a video service, which nobody is shown",
	"keys":              "keys for a video service, which nobody is shown",
	"task_keys":         "keys for a video service, which nobody is shown",
	"guesses":           "counts",
	"attempts":          "counts",
	"challenges":        "challenges of passkeys that were answered, so that no answer is accepted twice",
	"settings":          "settings of the team",
	"clock":             "the time",
	"recipes":           "read by people who are signed in",
	"cast_members":      "read by people who are signed in",
	"tasks":             "read by people who are signed in",
	"answers":           "read by nobody but the program",
	"media":             "files, which links and accounts open",
	"pictures":          "files, which picture_tokens and accounts open",
	"leftovers":         "files to delete",
	"tags":              "read by people who are signed in",
	"task_tags":         "read by people who are signed in",
	"task_cast":         "read by people who are signed in",
	"collections":       "read by people who are signed in",
	"collection_tasks":  "which videos a link to a collection shows",
	"notes":             "read with the video",
	"verdicts":          "read with the video",
	"news":              "what somebody has not seen",
	"shared_takes":      "which videos a link shows",
	"note_takes":        "which take a note has led to",
	"cuts":              "read with the video",
	"program_tasks":     "what a token has spent",
	"program_requests":  "what a program was told; it has to ask with a token",
	"turns":             "whose turn it is",
	"purses":            "limits of spending",
	"asks":              "permits to spend more, for people who are signed in",
	"mail_choices":      "choices",
	"audit":             "read by admins",
	"gallery":           "numbers of tasks",
	"usage":             "sums",
	"usage_months":      "sums",
	"spent":             "sums",
	"kept_bytes":        "sums",
	"collection_counts": "sums",
	"kind_counts":       "sums",
	"maker_counts":      "sums",
	"tag_counts":        "sums",
	"cast_counts":       "sums",
	"day_counts":        "sums",
	"versions":          "numbers that change",
	"create_calls":      "calls to the service",
	"jobs":              "work that one process does",
	"schema_version":    "of a database on a server: its version",
	"processes":         "of a database on a server: which processes work on it",
	"keys_in_use":       "of a database on a server: whose key is which",
}

// After reports whether the ending ends the access for good, or, if not, what it waits for
// meanwhile. Neither means that the ending does not touch it.
func (a Access) After(e Ending) (ends bool, rests string) {
	ends, rests = slices.Contains(a.Ends, e), a.Rests[e]
	if i := slices.IndexFunc(Accesses, func(b Access) bool { return b.Table == a.With }); i >= 0 && !ends && rests == "" {
		return Accesses[i].After(e)
	}
	return ends, rests
}

// A Closing is the statement that ends the rows of one table.
type Closing struct {
	Table string
	// SQL returns, for each row that it ends, whether that still opened something.
	SQL string
	// What its placeholders stand for, in this order.
	Timed  bool // the time
	Person bool // the person
	Spares bool // the row that stays, such as the session of the browser in use
}

// Closings yields the statements of the ending: for one person, or for everybody.
func Closings(e Ending, ofPerson bool) iter.Seq[Closing] {
	return func(yield func(Closing) bool) {
		for _, a := range Accesses {
			if a.Close != "" && a.EndedBy[e] == "" && slices.Contains(a.Ends, e) && !yield(a.closing(ofPerson)) {
				return
			}
		}
	}
}

func (a Access) closing(ofPerson bool) Closing {
	c := Closing{Table: a.Table, Timed: strings.Contains(a.Close+a.Counts, "$1"), Person: ofPerson, Spares: ofPerson && a.Spares != ""}
	next := 1
	if c.Timed {
		next = 2
	}
	var where []string
	if a.Open != "" {
		where = append(where, a.Open)
	}
	if c.Person {
		where = append(where, fmt.Sprintf("%s = $%d", a.Person, next))
	}
	if c.Spares {
		where = append(where, fmt.Sprintf("%s <> $%d", a.Spares, next+1))
	}
	c.SQL = a.Close
	if len(where) > 0 {
		c.SQL += " WHERE " + strings.Join(where, " AND ")
	}
	c.SQL = fmt.Sprintf("%s RETURNING %s", c.SQL, cmp.Or(a.Counts, "1 = 1"))
	return c
}
