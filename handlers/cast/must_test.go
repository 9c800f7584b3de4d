package cast_test

import (
	"fmt"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/cast"
	"dailies/handlers/handlerstest"
)

// addMember adds a cast member with that many pictures of the host.
func addMember(t *testing.T, h *handlerstest.Server, host, handle string, pictures int, change ...func(*cast.Member)) cast.Member {
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

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
