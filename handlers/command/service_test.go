package command_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/db/team"
)

// A service that an admin has connected in the browser is used at every further start, unless
// the settings name one.
func TestTheConnectedServiceIsUsedAtTheNextStart(t *testing.T) {
	chosen, fixed := httptest.NewServer(http.NotFoundHandler()), httptest.NewServer(http.NotFoundHandler())
	defer chosen.Close()
	defer fixed.Close()
	dir := t.TempDir()
	usesAtStart(t, "practice mode", "-data", dir)
	s, err := store.Open(t.Context(), filepath.Join(dir, "dailies.db"))
	if err != nil {
		t.Fatal(err)
	}
	was, _, err := s.Services.Current(t.Context())
	if err == nil {
		k := &team.Key{Name: "Video service", Key: secrets.Key{Fingerprint: []byte("x"), CreatedAt: db.Now()}}
		err = s.Services.Connect(t.Context(), was.ID, chosen.URL, k, func(secrets.KeyOwner) []byte { return []byte("x") })
	}
	if err != nil || s.Close() != nil {
		t.Fatal(err)
	}
	usesAtStart(t, chosen.URL, "-data", dir)
	_, report := checkConfig(t, nil, "-data", dir, "-addr", freeAddress(t), "-allow-private")
	report.says(t, "video service", true, "connected in the browser")
	_, report = checkConfig(t, nil, "-data", dir, "-addr", freeAddress(t)) // a private address is not called
	report.says(t, "video service", false, "does not answer")

	usesAtStart(t, fixed.URL, "-data", dir, "-api-url", fixed.URL)
	_, report = checkConfig(t, nil, "-data", dir, "-addr", freeAddress(t), "-api-url", fixed.URL)
	report.says(t, "video service", true, "the settings win over "+chosen.URL)
	usesAtStart(t, chosen.URL, "-data", dir)
}

// usesAtStart starts the app with the arguments, and fails the test unless the log says that
// it uses the service.
func usesAtStart(t *testing.T, service string, args ...string) {
	t.Helper()
	_, stderr, stop := start(t, append(args, "-addr", "127.0.0.1:0")...)
	log := stderr.String()
	if status := stop(); status != 0 || !strings.Contains(log, `service="`+service) && !strings.Contains(log, "service="+service) {
		t.Errorf("%q: status %d, %s", args, status, log)
	}
}
