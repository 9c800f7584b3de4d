package command_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/media/buckettest"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/db/team"
	"dailies/handlers/command"
)

func TestAppInABucketFromItsSettings(t *testing.T) {
	s := buckettest.New(t)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("wrong "+buckettest.SecretKey), 0o600); err != nil {
		t.Fatal(err)
	}
	access, keyed := "DAILIES_S3_ACCESS_KEY="+buckettest.AccessKey, "DAILIES_S3_SECRET_KEY="+buckettest.SecretKey
	data := filepath.Join(t.TempDir(), "data")
	for _, c := range []struct {
		status         int
		url, want, key string
	}{
		{2, strings.Replace(s.URL(""), buckettest.Name, "other-bucket", 1), "NoSuchBucket", keyed},
		{1, "s3://videos?region=us-east-1&endpoint=http://127.0.0.1:1", "refused", keyed},
		{2, s.URL(""), "SignatureDoesNotMatch", "DAILIES_S3_SECRET_KEY_FILE=" + secret},
	} {
		environ := []string{access, c.key}
		for _, args := range [][]string{{"-addr", "127.0.0.1:0"}, {"check"}, {"backup", filepath.Join(t.TempDir(), "b.zip")}} {
			var errs output
			status := command.Run(t.Context(), append(args, "-data", data, "-media", c.url), environ, &output{}, &errs)
			said := errs.String()
			if status != c.status || strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, "dailies: -media s3://") || !strings.Contains(said, c.want) || strings.Contains(said, buckettest.SecretKey) {
				t.Errorf("%q: status %d: %s", args, status, said)
			}
		}
	}
	base, stderr, stop := startWith(t, []string{access, keyed}, "-data", data, "-addr", "127.0.0.1:0", "-media", s.URL("team"))
	becomes := func(status int) {
		t.Helper()
		for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
			answer, err := http.Get(base + "/readyz")
			if err == nil {
				answer.Body.Close()
			}
			if err == nil && answer.StatusCode == status {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("/readyz: %v, %v", answer, err)
			}
		}
	}
	becomes(http.StatusOK)
	s.Stop()
	becomes(http.StatusServiceUnavailable)
	if answer, err := http.Get(base + "/healthz"); err != nil || answer.Body.Close() != nil || answer.StatusCode != http.StatusOK {
		t.Errorf("%v, %v", answer, err)
	}
	if status := stop(); status != 0 || strings.Contains(stderr.String(), buckettest.SecretKey) {
		t.Errorf("status %d: %s", status, stderr)
	}
}

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
