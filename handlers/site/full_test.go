package site_test

import (
	"dailies/db/store"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"dailies/handlers/service"
	"dailies/handlers/site"
	"dailies/web"
)

func TestAFullDiskIsNoFaultOfTheProgram(t *testing.T) {
	cookies, err := web.NewCookies([]byte("a secret of the tests"), false)
	if err != nil {
		t.Fatal(err)
	}
	s := site.New(site.Config{Store: &store.Store{}, Registry: new(service.Registry), Cookies: cookies, Log: slog.New(slog.DiscardHandler)})
	for name, tt := range map[string]struct {
		err    error
		status int
	}{
		"server of the database": {fmt.Errorf("task 7: %w", &pgconn.PgError{Code: "53100", Message: "could not extend file"}), 503},
		"file":                   {&fs.PathError{Op: "write", Path: "media/x", Err: syscall.ENOSPC}, 503},
		"quota":                  {&fs.PathError{Op: "write", Path: "media/x", Err: syscall.EDQUOT}, 503},
		"in another answer":      {&web.Error{Status: 400, Message: "The upload broke off.", Err: syscall.ENOSPC}, 503},
		"another refusal":        {&pgconn.PgError{Code: "53200"}, 500},
		"another fault":          {errors.New("no space left"), 500},
	} {
		w := httptest.NewRecorder()
		s.Failures.Show(w, httptest.NewRequest("POST", "/settings", nil), web.AsError(tt.err))
		said := strings.Contains(w.Body.String(), "out of space, so this wasn’t saved")
		if w.Code != tt.status || said != (tt.status == 503) || said && w.Header().Get("Retry-After") == "" {
			t.Errorf("%s: %d, says so: %t", name, w.Code, said)
		}
	}
}
