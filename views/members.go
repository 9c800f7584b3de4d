package views

import "dailies/db"

// A MembersPage lists who is here and which join links are open. Admins only.
type MembersPage struct {
	Users   []db.User
	Invites []db.Invite
	NewLink string // the link just made, shown whole this once
}
