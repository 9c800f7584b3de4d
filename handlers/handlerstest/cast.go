package handlerstest

import (
	"fmt"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/cast"
)

// AddMember adds a person with the handle to the cast, whose picture is one of the user.
func AddMember(t testing.TB, h *Server, userID int64, handle string) cast.Member {
	t.Helper()
	m := cast.Member{
		Handle: handle, Name: handle, Kind: cast.Person, Look: "an ochre raincoat",
		Pictures:  []string{"http://dailies.invalid" + h.AddPicture(t, userID).Path()},
		CreatedBy: userID, CreatedAt: db.Now(),
	}
	must(t, h.Store.Cast.Create(t.Context(), &m, nil))
	return m
}

// AddMemberWith adds a cast member with that many pictures of the host.
func AddMemberWith(t *testing.T, h *Server, host, handle string, pictures int, change ...func(*cast.Member)) cast.Member {
	t.Helper()
	m := cast.Member{Handle: handle, Name: handle, Kind: cast.Product, CreatedBy: 1, CreatedAt: db.Now()}
	if handle[0] < 'z' {
		m.Name = strings.ToUpper(handle[:1]) + handle[1:]
	}
	for n := range pictures {
		m.Pictures = append(m.Pictures, fmt.Sprintf("%s/%s-%d.png", host, handle, n+1))
	}
	for _, c := range change {
		c(&m)
	}
	must(t, h.Store.Cast.Create(t.Context(), &m, nil))
	return m
}
