package team

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/team"
	"dailies/views/part"
)

// A MemberPage shows one person to admins.
type MemberPage struct {
	Member    team.Member
	Had       team.Belongings
	Limits    team.Limits
	Role      db.Role         // that is chosen in the form
	Factors   team.Factors    // besides a password
	Connected []team.Identity // accounts elsewhere with which they sign in
	SetUp     team.Entry      // that a second step was set up with the password alone; zero if none was
	// PasswordsOff says that nobody signs in with a password, so that the connected
	// accounts are left.
	PasswordsOff bool
	ResetLink    string // the link for a new password just made, shown whole this once
	Errors       part.Errors
}

func (p MemberPage) path(action string) string { return MemberPath(p.Member.ID) + "/" + action }

// lookUp returns the address that ends with the person's id.
func (p MemberPage) lookUp(path string) string { return path + strconv.FormatInt(p.Member.ID, 10) }

// limitForm returns the form with the person's limit.
func (p MemberPage) limitForm() PersonLimit {
	form := PersonLimit{User: p.Member.User, Limit: p.Member.Limit, Default: p.Limits.Default, Next: MemberPath(p.Member.ID)}
	if p.Member.Limit.Allowance == team.Own {
		form.Credits = db.CreditsOf(p.Member.Limit.Credits).String()
	}
	return form
}

// returnsUntil says until when a closed account can be opened again.
func (p MemberPage) returnsUntil() time.Time { return p.Member.DeactivatedAt.Add(team.ReturnLife) }

// A LeavePage asks where somebody's things go when they leave.
type LeavePage struct {
	User       db.User
	Had        team.Belongings
	Colleagues []db.User // who can get them, as far as they are offered
	Found      int       // colleagues whom Query finds
	Query      string    // words of a name or an address; of all where there are many
	Many       bool      // not all colleagues are offered without a Query
	OnlyAdmin  bool      // nobody else looks after the team

	// What was chosen.
	HandTo   int64
	Private  string // "hand" or "bin"
	EndLinks bool
	Errors   part.Errors
}

// Offer fills in which of the colleagues are offered: those that Query finds, a page
// of members at most, and whoever is chosen already.
func (p *LeavePage) Offer(colleagues []db.User) {
	p.Many = len(colleagues) > team.MembersShown
	found := team.FindUsers(colleagues, p.Query)
	p.Found, p.Colleagues = len(found), found[:min(len(found), team.MembersShown)]
	isChosen := func(u db.User) bool { return u.ID == p.HandTo }
	if at := slices.IndexFunc(colleagues, isChosen); at >= 0 && !slices.ContainsFunc(p.Colleagues, isChosen) {
		p.Colleagues = append(slices.Clone(p.Colleagues), colleagues[at])
	}
}

// offered says which colleagues can be chosen, where that is not all of them.
func (p LeavePage) offered() string {
	switch {
	case p.Found > team.MembersShown:
		return fmt.Sprintf("%s of %s people can be chosen below. Find others by their name.", part.Number(team.MembersShown), part.Number(p.Found))
	case p.Query != "" && p.Found == 0:
		return "Nobody who makes videos has this name or address."
	case p.Query != "":
		return people(p.Found) + " found. Choose below."
	}
	return ""
}

// things lists what the person has, in words.
func things(b team.Belongings) (list []string) {
	add := func(n int, one, many string) {
		switch {
		case n == 1:
			list = append(list, "1 "+one)
		case n > 1:
			list = append(list, part.Number(n)+" "+many)
		}
	}
	add(b.Videos, "video", "videos")
	add(b.Private, "of them private", "of them private")
	add(b.Running, "video that is running", "videos that are running")
	add(b.Waiting, "video that waits to be sent", "videos that wait to be sent")
	add(b.Unsettled, "video of which nobody knows whether it was started", "videos of which nobody knows whether they were started")
	add(b.Recipes, "recipe", "recipes")
	add(b.Collections, "collection", "collections")
	add(b.Links, "shared link", "shared links")
	add(b.JoinLinks, "join link", "join links")
	add(b.Browsers, "browser that is signed in", "browsers that are signed in")
	if b.HasKey {
		list = append(list, "a key of their own")
	}
	if b.HasWebhook {
		list = append(list, "a webhook")
	}
	return list
}

// ends says what ends at once when the person leaves.
func (p LeavePage) ends() (list []string) {
	list = append(list, "They are signed out everywhere, and cannot sign in any more.")
	if p.Had.Waiting > 0 {
		list = append(list, part.Count(p.Had.Waiting, "video")+" not sent yet will not be sent. Nothing is paid for them.")
	}
	if p.Had.Running > 0 {
		list = append(list, "What is running is followed to its end, with the key that it was sent with.")
	}
	if p.Had.JoinLinks > 0 {
		list = append(list, "Join links that they made and nobody used end.")
	}
	if p.User.IsAdmin() {
		list = append(list, "Links for a new password that they made for others end.")
	}
	if p.Had.HasWebhook {
		list = append(list, "Their webhook is told nothing any more.")
	}
	if p.Had.HasKey {
		list = append(list, "Their own key is deleted here. At the service it stays, until somebody deletes it there.")
	}
	return append(list, "What they spent stays counted as theirs.")
}

// disconnects reports whether connected accounts are taken away with a second step:
// a password still signs the person in.
func (p MemberPage) disconnects() bool {
	return len(p.Connected) > 0 && !p.PasswordsOff && p.Member.Password != ""
}

// connected lists the accounts elsewhere with which the person signs in.
func (p MemberPage) connected() string {
	var names []string
	for _, i := range p.Connected {
		names = append(names, cmp.Or(i.Email, i.Subject))
	}
	return strings.Join(names, ", ")
}

// takes says what is taken away with the second step.
func (p MemberPage) takes() string {
	if p.disconnects() {
		return "A password alone signs them in then, and they are signed out everywhere. Their passkeys and connected accounts here are deleted."
	}
	return "A password alone signs them in then, and they are signed out everywhere. Their passkeys here are deleted."
}

// secondSteps says what the person uses besides a password.
func (p MemberPage) secondSteps() string {
	switch {
	case p.Factors.Codes && p.Factors.Passkeys > 0:
		return "one-time codes and " + part.Count(p.Factors.Passkeys, "passkey")
	case p.Factors.Codes:
		return "one-time codes"
	}
	return part.Count(p.Factors.Passkeys, "passkey")
}
