package handlerstest

import (
	"testing"

	"dailies/db"
	"dailies/db/cast"
)

// AddMember adds a person with the handle to the cast, whose picture is one of the user.
func AddMember(t testing.TB, h *Server, userID int64, handle string) cast.Member {
	t.Helper()
	m := cast.Member{
		Handle: handle, Name: handle, Kind: cast.Person, Look: "an ochre raincoat", Pictures: []string{"http://dailies.invalid" + h.AddPicture(t, userID).Path()},
		CreatedBy: userID, CreatedAt: db.Now(),
	}
	must(t, h.Store.Cast.Create(t.Context(), &m, nil))
	return m
}
