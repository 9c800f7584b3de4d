package command_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dailies/db/media/buckettest"
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
		for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(100 * time.Millisecond) {
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
