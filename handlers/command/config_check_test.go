package command_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dailies/db/store/postgres/postgrestest"
	"dailies/handlers/command"
	"dailies/web/smtp/smtptest"
)

// checkedConfig is what "dailies config check -json" prints.
type checkedConfig struct {
	OK       bool
	Settings []foundSetting
	Notes    []string
	Checks   []foundSetting
}

type foundSetting struct {
	Name, Variable, From, Says string
	OK                         bool
	Value                      *string
}

// checkConfig runs "dailies config check" and returns its report, with its exit status.
func checkConfig(t *testing.T, environ []string, args ...string) (status int, report checkedConfig) {
	t.Helper()
	var out, errs output
	status = command.Run(t.Context(), append([]string{"config", "check", "-json"}, args...), environ, &out, &errs)
	if status == 0 && errs.String() != "" || status != 0 && strings.Count(errs.String(), "\n") != 1 {
		t.Errorf("%q: status %d, %q", args, status, errs.String())
	}
	if out.String() == "" {
		t.Fatalf("%q: %s", args, errs.String())
	}
	return status, parsed[checkedConfig](t, out.String())
}

// says fails the test unless the named check is ok as expected and says the words.
func (c checkedConfig) says(t *testing.T, name string, ok bool, words string) {
	t.Helper()
	at := slices.IndexFunc(c.Checks, func(f foundSetting) bool { return f.Name == name })
	if at < 0 {
		t.Fatalf("there is no check of the %s: %+v", name, c.Checks)
	}
	if got := c.Checks[at]; got.OK != ok || !strings.Contains(got.Says, words) {
		t.Errorf("the %s: ok %t, %s; want %t, %s", name, got.OK, got.Says, ok, words)
	}
}

// contents returns a sum of everything in the folder, except the two files that SQLite
// keeps beside a database while somebody reads it.
func contents(t *testing.T, dir string) (sums []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".db-shm") || strings.HasSuffix(path, ".db-wal") {
			return nil
		}
		if err != nil || d.IsDir() {
			sums = append(sums, path)
			return err
		}
		info, err := d.Info()
		if err == nil {
			sums = append(sums, fmt.Sprintf("%s %x %s", path, sha256.Sum256(read(t, path)), info.ModTime()))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

func TestConfigCheckOfANewInstallationMakesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	addr := freeAddress(t)
	status, report := checkConfig(t, nil, "-data", dir, "-addr", addr)
	if status != 0 || !report.OK {
		t.Errorf("status %d, %+v", status, report)
	}
	report.says(t, "data folder", true, "is not there yet")
	report.says(t, "database", true, "is not there yet")
	report.says(t, "free space", true, "free on the disk")
	report.says(t, "address", true, addr+" is free")
	report.says(t, "video service", true, "practice mode")
	if _, err := os.Stat(dir); err == nil {
		t.Error("the check has made the data folder")
	}
}

func TestConfigCheckWorksBesideTheRunningProgram(t *testing.T) {
	dir, metrics := t.TempDir(), freeAddress(t)
	base, _, stop := start(t, "-data", dir, "-addr", "127.0.0.1:0", "-metrics-addr", metrics)
	addr := strings.TrimPrefix(base, "http://")
	status, report := checkConfig(t, nil, "-data", dir, "-addr", addr, "-metrics-addr", metrics)
	report.says(t, "database", true, "SQLite 3")
	report.says(t, "secret", true, "the data is sealed with it")
	report.says(t, "address", true, "answered 200")
	report.says(t, "metrics address", true, "in use")
	if status != 0 {
		t.Errorf("status %d", status)
	}
	stop()
	before := contents(t, dir)
	if status, _ := checkConfig(t, nil, "-data", dir, "-addr", addr); status != 0 {
		t.Errorf("status %d", status)
	}
	if after := contents(t, dir); !slices.Equal(before, after) {
		t.Errorf("the check has changed the folder:\n%q\n%q", before, after)
	}
	status, report = checkConfig(t, nil, "-data", dir, "-addr", addr, "-secret", otherSecret)
	report.says(t, "secret", false, "sealed with another one")
	if status != 1 || report.OK {
		t.Errorf("status %d, ok %t", status, report.OK)
	}
	if status, report = checkConfig(t, nil, "-data", dir, "-addr", addr, "-secret", otherSecret, "-forget-sealed"); status != 0 {
		t.Errorf("status %d, %+v", status, report)
	}
}

func TestConfigCheckTellsTablesOfOtherVersionsApart(t *testing.T) {
	dir, addr := t.TempDir(), freeAddress(t)
	setupLinkOf(t, "-data", dir)
	for version, ok := range map[int]bool{3: true, 9999: false} {
		raw, err := sql.Open("sqlite", filepath.Join(dir, "dailies.db"))
		if err == nil {
			_, err = raw.Exec(fmt.Sprintf("PRAGMA user_version = %d", version))
		}
		if err != nil || raw.Close() != nil {
			t.Fatal(err)
		}
		_, report := checkConfig(t, nil, "-data", dir, "-addr", addr)
		report.says(t, "database", ok, fmt.Sprintf("version (%d)", version))
	}
}

func TestConfigCheckLooksAtOtherServers(t *testing.T) {
	dir, addr := t.TempDir(), freeAddress(t)
	nobody := freeAddress(t) // nothing listens there
	service := httptest.NewServer(http.NotFoundHandler())
	defer service.Close()
	mail := (&smtptest.Server{}).Start(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	status, report := checkConfig(t, nil, "-data", dir, "-addr", addr, "-api-url", service.URL, "-smtp", "smtp://"+mail.Addr()+"?from=a@example.com")
	report.says(t, "video service", true, "answers")
	report.says(t, "mail server", true, "takes mails")
	if status != 0 || len(mail.Mails()) != 0 {
		t.Errorf("status %d, %d mails", status, len(mail.Mails()))
	}
	status, report = checkConfig(t, []string{"DAILIES_S3_ACCESS_KEY=me", "DAILIES_S3_SECRET_KEY=geheim"}, "-data", filepath.Join(writeFile(t, dir, "file"), "data"),
		"-addr", taken.Addr().String(), "-metrics-addr", taken.Addr().String(), "-api-url", "http://"+nobody, "-smtp", "smtp://"+nobody+"?from=a@example.com",
		"-media", "s3://bucket?endpoint=http://"+nobody+"&region=r", "-oidc-issuer", "http://"+nobody, "-oidc-client-id", "dailies", "-database", "postgres://dailies@"+nobody+"/dailies")
	for _, name := range []string{"data folder", "database", "media", "address", "metrics address", "mail server", "video service", "sign-on provider"} {
		report.says(t, name, false, "")
	}
	if status != 1 || report.OK {
		t.Errorf("status %d, ok %t", status, report.OK)
	}
}

func writeFile(t *testing.T, dir, name string) (path string) {
	t.Helper()
	path = filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte("a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestConfigCheckKnowsPostgres(t *testing.T) {
	database, err := postgrestest.Need(t).Empty(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	dir, addr := t.TempDir(), freeAddress(t)
	args := []string{"-data", dir, "-addr", addr, "-database", database}
	status, report := checkConfig(t, nil, args...)
	report.says(t, "database", true, "is empty")
	if status != 0 {
		t.Errorf("status %d", status)
	}
	setupLinkOf(t, "-data", dir, "-database", database)
	_, report = checkConfig(t, nil, args...)
	report.says(t, "database", true, "Postgres 1")
	report.says(t, "secret", true, "the data is sealed with it")
}

func TestConfigCheckSaysWhatIsWrongInWords(t *testing.T) {
	ctx, dir := context.WithoutCancel(t.Context()), t.TempDir()
	var out, errs output
	status := command.Run(ctx, []string{"config", "check", "-data", dir}, []string{"DAILIES_POLL=abc", "DAILIES_QUERIES=0", "DAILIES_QUERRIES=1", "DAILIES_SECRET=geheim"}, &out, &errs)
	for _, words := range []string{"NOT OK  poll ", "it takes a number with its unit", "NOT OK  queries ", "it takes from 1 to 100000", "NOT OK  secret ", "did you mean DAILIES_QUERIES?", "not looked at", "environment"} {
		if !strings.Contains(out.String(), words) {
			t.Errorf("%q is missing in\n%s", words, out.String())
		}
	}
	if status != 2 || errs.String() != "dailies: config check: not everything is as it should be\n" || strings.Contains(out.String(), "geheim") {
		t.Errorf("status %d, %q", status, errs.String())
	}
	for _, args := range [][]string{{"config"}, {"config", "show"}, {"config", "check", "-nope"}, {"config", "check", "-env", filepath.Join(dir, "missing")}} {
		if status, stdout, stderr := run(t, args...); status != 2 || stdout != "" || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q: status %d, %q, %q", args, status, stdout, stderr)
		}
	}
	if status, report := checkConfig(t, nil, "-data", dir, "-catalog", filepath.Join(dir, "missing")); status != 2 || report.OK || len(report.Checks) != 0 {
		t.Errorf("without its catalogue: status %d, %+v", status, report)
	}
}
