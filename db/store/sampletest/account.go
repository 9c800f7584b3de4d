package sampletest

import (
	"testing"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store"
)

// AddUser adds the account, as the first one or with an invite by the oldest
// account, and sets its ID.
func AddUser(tb testing.TB, store *store.Store, u *db.User) error {
	tb.Helper()
	users, err := store.Accounts.Users(tb.Context())
	must(tb, err)
	if len(users) == 0 {
		return store.Accounts.AddFirstUser(tb.Context(), u)
	}
	token := secrets.HashToken(secrets.NewToken())
	must(tb, store.Invites.AddInvites(tb.Context(), []*signin.Invite{{Token: token, Role: u.Role, CreatedBy: users[0].ID, CreatedAt: u.CreatedAt, ExpiresAt: u.CreatedAt.Add(time.Hour)}}, nil))
	return store.Invites.Join(tb.Context(), token, u, u.CreatedAt)
}

// AddSession signs in the session's user, and sets the session's ID.
func AddSession(tb testing.TB, store *store.Store, session *signin.Session) error {
	tb.Helper()
	users, err := store.Accounts.Users(tb.Context())
	must(tb, err)
	for _, u := range users {
		if u.ID == session.UserID {
			return store.Sessions.SignIn(tb.Context(), session, u.Password, "")
		}
	}
	return db.ErrNotFound
}
