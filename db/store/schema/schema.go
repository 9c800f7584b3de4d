// Package schema lists the tables of the database, the columns in which people's words
// are kept, what becomes of these when a video is purged and when a person leaves, and
// which of them are in files that people take along. The move to another database, purges
// and leaving follow the list, and tests hold the files to it.
package schema

import (
	"iter"
	"slices"
	"strings"

	"dailies/db/store/engine"
)

// A Table is one that the program fills. Columns are separated by commas. Those of a noun
// come from its engine.Table: see of.
type Table struct {
	Name     string
	Key      string // the columns by which its rows are sorted
	Words    string // columns with text that people wrote, or that tells who or where they are
	Lists    string // the same, in JSON lists
	Columns  string // all other columns
	Derived  string // a column that the database derives from others
	Deferred string // a column that refers to a table further down
	Numbers  bool   // the database assigns the column id

	Video  string // the column that says to which video a row belongs, which goes with its contents
	Kept   bool   // the rows of a video that is purged stay, without their words
	Person string // the column that says to whom a row belongs
	Leaves Fate   // what happens to the rows when that person leaves

	Remains string // the reason why words remain in the table when a person leaves or a video is purged

	// Exported are those of Words and Lists that are in a file which people take along:
	// usage.csv, audit.csv, or how a video was made. Unexported are the others, and Reason
	// says why. Backups have them all.
	Exported, Unexported, Reason string
}

// A Fate says what happens to a person's rows in a table when that person leaves the team.
// Rows of tables without a Fate stay as they are.
type Fate int

// The fates.
const (
	Ends     Fate = iota + 1 // the rows are deleted at once
	Released                 // the rows are deleted after 30 days, when the account cannot be reopened any more
	Handed                   // a colleague gets the rows, if one was chosen
)

// Derived are the tables whose rows triggers write, or that hold rows for moments. A move
// does not copy them.
var Derived = []string{
	"gallery", "usage", "usage_months", "spent", "kept_bytes", "collection_counts", "versions",
	"kind_counts", "maker_counts", "tag_counts", "cast_counts", "day_counts",
	"create_calls", "jobs", "attempts", "challenges",
}

// Tables are in an order in which rows refer only to rows that come before them.
var Tables = []Table{
	of(Services.List, Table{Name: "services", Key: "id", Numbers: true}),
	of(TeamKeys.List, Table{Name: "team_keys", Key: "id", Numbers: true, Remains: "a key is the team's"}),
	of(Users.List, Table{
		Name: "users", Key: "id", Numbers: true,
		Remains: "what a person made stays under their name; the address is cleared when it is released",
		Reason:  "they are made of the address",
	}),
	of(Sessions.List, Table{Name: "sessions", Key: "id", Numbers: true, Person: "user_id", Leaves: Ends, Reason: "it is a browser's"}),
	{Name: "provider_sessions", Key: "session_id", Columns: "sealed, next_at, tries, leased_by, leased_until"},
	{Name: "resets", Key: "user_id", Columns: "token, created_at, expires_at, by_server", Person: "user_id", Leaves: Ends},
	of(Identities.List, Table{
		Name: "identities", Key: "id", Numbers: true, Person: "user_id", Leaves: Released,
		Reason: "they are those of the company's sign-in",
	}),
	of(Passkeys.List, Table{Name: "passkeys", Key: "id", Numbers: true, Person: "user_id", Leaves: Released, Reason: "it is a device's"}),
	{Name: "guesses", Key: "name", Columns: "wrong, at"},
	{Name: "codes", Key: "user_id", Columns: "sealed, step, created_at", Person: "user_id", Leaves: Released},
	{Name: "recovery_codes", Key: "user_id, hash", Person: "user_id", Leaves: Released},
	of(Invites.List, Table{
		Name: "invites", Key: "id", Numbers: true, Remains: "unused ones are deleted, used ones tell who let whom join",
		Reason: "whoever joined is listed under the address of the account",
	}),
	{Name: "typed", Key: "token", Words: "form", Columns: "at, browser, counts_for, known, size",
		Remains: "it is kept for two hours, for a browser", Unexported: "form", Reason: "it waits for its page"},
	of(Keys.List, Table{Name: "keys", Key: "id", Derived: "owner", Numbers: true, Person: "owner", Leaves: Ends}),
	{Name: "settings", Key: "name", Words: "value", Remains: "settings are the team's", Unexported: "value",
		Reason: "settings and drafts are on their pages"},
	{Name: "clock", Key: "id", Columns: "trusted, latest, claim, held"},
	of(Recipes.List, Table{
		Name: "recipes", Key: "id", Numbers: true, Person: "created_by", Leaves: Handed,
		Remains: "a recipe outlives the video that it was saved from", Reason: "no file is about recipes",
	}),
	of(Members.List, Table{
		Name: "cast_members", Key: "id", Numbers: true, Remains: "the cast is the team's", Reason: "no file is about the cast",
	}),
	of(Tasks.List, Table{
		Name: "tasks", Key: "id", Numbers: true, Video: "id",
		Remains: "a colleague gets them, except for private ones that go to the bin; a purge clears the words and leaves the cost",
		Reason:  "they are between Dailies and the service",
	}),
	of(Answers.List, Table{
		Name: "answers", Key: "task_id, call, status", Video: "task_id", Remains: "they are the video's", Reason: "the service said it",
	}),
	of(Media.List, Table{
		Name: "media", Key: "id", Numbers: true, Video: "task_id", Remains: "they are the video's",
		Reason: "it is the service's address of a file that is there itself",
	}),
	of(Pictures.List, Table{
		Name: "pictures", Key: "id", Numbers: true,
		Remains: "they are deleted when no video, recipe or cast member uses them",
		Reason:  "no file is about uploaded pictures",
	}),
	{Name: "picture_tokens", Key: "id", Columns: "token, sealed, picture_id, service_id, member_id, ended_at", Numbers: true},
	{Name: "unsealed_pictures", Key: "picture_id", Columns: "token"},
	{Name: "leftovers", Key: "hash", Columns: "at"},
	{Name: "tags", Key: "id", Words: "name, name_key", Columns: "created_by, created_at", Numbers: true,
		Remains: "tags are the team's", Exported: "name", Unexported: "name_key", Reason: "it is made of the name"},
	{Name: "task_tags", Key: "task_id, tag_id", Video: "task_id"},
	of(Appearances.List, Table{
		Name: "task_cast", Key: "task_id, member_id", Video: "task_id", Remains: "they are the video's",
		Reason: "the prompt names the cast",
	}),
	of(Collections.List, Table{
		Name: "collections", Key: "id", Numbers: true, Person: "created_by", Leaves: Handed, Reason: "no file is about collections",
	}),
	{Name: "collection_tasks", Key: "collection_id, task_id", Columns: "position, added_by, added_at", Video: "task_id"},
	of(Shares.List, Table{
		Name: "shares", Key: "id", Numbers: true, Video: "task_id",
		Remains: "a colleague gets them, except for those to videos that stay with the person",
		Reason:  "no file is about links",
	}),
	of(Subscriptions.List, Table{
		Name: "guest_mails", Key: "id", Numbers: true,
		Remains: "addresses of guests go with their link, or with the guest", Reason: "they are between the guest and the program",
	}),
	of(Guests.List, Table{
		Name: "guests", Key: "id", Numbers: true,
		Remains: "guests of a link go with it: what refers to it goes when the link is deleted", Reason: "it is made of the name",
	}),
	of(Notes.List, Table{Name: "notes", Key: "id", Numbers: true, Video: "task_id", Remains: "what a person wrote stays under their name"}),
	of(Verdicts.List, Table{
		Name: "verdicts", Key: "task_id, guest_id", Video: "task_id",
		Remains: "guests do not leave the team",
		Reason:  "the note of the answer has the same words",
	}),
	{Name: "news", Key: "id", Columns: "user_id, task_id, note_id, guest_id, created_at",
		Numbers: true, Video: "task_id", Person: "user_id", Leaves: Ends},
	{Name: "shared_takes", Key: "share_id, task_id", Columns: "shown_at", Video: "task_id"},
	{Name: "note_takes", Key: "note_id, task_id", Video: "task_id"},
	{Name: "unsealed_shares", Key: "share_id", Columns: "token"},
	{Name: "cuts", Key: "task_id", Columns: "place, start, finish, left_out", Video: "task_id"},
	of(Programs.List, Table{
		Name: "programs", Key: "id", Numbers: true, Person: "user_id", Leaves: Ends, Reason: "they concern the person's own programs",
	}),
	{Name: "program_tasks", Key: "program_id, month, task_id", Columns: "any_price, expected"},
	of(ProgramRequests.List, Table{
		Name: "program_requests", Key: "user_id, key", Video: "task_id", Kept: true, Person: "user_id", Leaves: Released,
		Reason: "the program was told",
	}),
	{Name: "task_keys", Key: "task_id", Columns: "sealed, fingerprint, team_key_id"},
	{Name: "turns", Key: "user_id", Columns: "turn, passed"},
	{Name: "purses", Key: "user_id", Columns: "allowance, credits, self, presses, warned, warned_of_team, mailed"},
	of(CreditRequests.List, Table{
		Name: "asks", Key: "id", Numbers: true, Remains: "they tell why more was spent", Reason: "they are between a person and the admins",
	}),
	of(Webhooks.List, Table{
		Name: "webhooks", Key: "id", Numbers: true, Person: "user_id", Leaves: Ends,
		Reason: "they concern the person's own programs, or the team's",
	}),
	{Name: "webhook_secrets", Key: "id", Columns: "webhook_id, sealed, until", Numbers: true},
	of(Deliveries.List, Table{
		Name: "deliveries", Key: "id", Numbers: true, Remains: "they go with their webhook; they hold no words of the video",
		Reason: "it concerns the person's own program",
	}),
	of(Mails.List, Table{
		Name: "mails", Key: "id", Numbers: true, Remains: "they are deleted 30 days after they were made",
		Reason: "the mail itself has them",
	}),
	{Name: "mail_choices", Key: "user_id, notice", Columns: "wanted"},
	of(Audit.List, Table{Name: "audit", Key: "id", Numbers: true, Remains: "the audit is kept, without the words of videos"}),
}

// of returns the table with the columns of its noun, as they are marked.
func of(columns []engine.Column, t Table) Table {
	for _, c := range columns {
		into := []*string{&t.Columns}
		switch {
		case slices.Contains(split(t.Key), c.Name):
			continue
		case c.Is&Deferred != 0:
			into[0] = &t.Deferred
		case c.Is&Words != 0:
			into[0] = &t.Words
		case c.Is&List != 0:
			into[0] = &t.Lists
		}
		switch {
		case c.Is&Exported != 0:
			into = append(into, &t.Exported)
		case c.Is&(Words|List) != 0:
			into = append(into, &t.Unexported)
		}
		for _, list := range into {
			*list = strings.TrimPrefix(*list+", "+c.Name, ", ")
		}
	}
	return t
}

// First returns the columns that are filled when a row is inserted, those of the key
// first.
func (t Table) First() []string { return split(t.Key, t.Words, t.Lists, t.Columns) }

// All is First with the columns that are filled later.
func (t Table) All() []string { return split(t.Key, t.Words, t.Lists, t.Columns, t.Deferred) }

func split(lists ...string) (columns []string) {
	for _, list := range lists {
		if list != "" {
			columns = append(columns, strings.Split(list, ", ")...)
		}
	}
	return columns
}

// Purge yields the statements that remove what people wrote for the video $1, in an order
// in which no row refers to one that is gone.
func Purge() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, t := range slices.Backward(Tables) {
			if statement := t.purge(); statement != "" && !yield(statement) {
				return
			}
		}
	}
}

func (t Table) purge() string {
	switch {
	case t.Video == "":
		return ""
	case t.Video != "id" && !t.Kept:
		return "DELETE FROM " + t.Name + " WHERE " + t.Video + " = $1"
	}
	var cleared []string
	for _, column := range split(t.Words) {
		cleared = append(cleared, column+" = ''")
	}
	for _, column := range split(t.Lists) {
		cleared = append(cleared, column+" = 'null'")
	}
	return "UPDATE " + t.Name + " SET " + strings.Join(cleared, ", ") + " WHERE " + t.Video + " = $1"
}

// Leaving yields the statements for the rows of the person $1 with this fate. Those for
// Handed have a second argument, the colleague.
func Leaving(f Fate) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, t := range Tables {
			statement := "DELETE FROM " + t.Name + " WHERE " + t.Person + " = $1"
			if f == Handed {
				statement = "UPDATE " + t.Name + " SET " + t.Person + " = $2 WHERE " + t.Person + " = $1"
			}
			if t.Leaves == f && !yield(statement) {
				return
			}
		}
	}
}
