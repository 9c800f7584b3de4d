package suite_test

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store"
	"dailies/db/store/engine"
	"dailies/db/store/postgres/postgrestest"
	"dailies/db/store/sampletest"
	"dailies/web/scopetest"
)

// server is nil while the tests run on SQLite; pooler is nil unless they run behind
// a pooler.
var (
	server *postgrestest.Server
	pooler *postgrestest.Pooler
)

// behindPooler matches the tests that also run behind a pooler, unless tests are
// chosen with -run. They are about claims, leases and creates, concurrency,
// searches and counts, and sessions.
const behindPooler = "Lease|Claim|Turn|Queue|Create|Job|OneForm|Once|AtOnce|Quota|Session|Invite|Search|Answer|Deliver|Notice|Usage|Purge|Setting|Key"

// isBrief reports whether tests with many combinations should check fewer: in quick
// runs and, unless DAILIES_LONG is set, on Postgres.
func isBrief() bool { return scopetest.Quick() || server != nil && !scopetest.Long() }

// TestMain runs all tests on SQLite; then, if the machine has a Postgres server, on
// an instance of it; and then a part of them, or all if DAILIES_LONG is set, behind
// a pooler. Quick runs and fuzzing use only SQLite, because the store's own code is the
// same on both, and so does a run of all tests with the race detector: .ci/run repeats it
// without.
func TestMain(m *testing.M) {
	flag.Parse()
	chosen := flag.Lookup("test.run").Value.String() != "" || flag.Lookup("test.bench").Value.String() != "" || flag.Lookup("test.skip").Value.String() != ""
	code := m.Run()
	code = max(code, explainOnSQLite(false))
	if (scopetest.Quick() || scopetest.Race) && !chosen || flag.Lookup("test.fuzz").Value.String() != "" {
		os.Exit(code)
	}
	s, err := postgrestest.Start(context.Background(), "fsync=off", "synchronous_commit=off", "full_page_writes=off")
	switch {
	case errors.Is(err, postgrestest.ErrMissing) && !scopetest.All():
		fmt.Println("not run on Postgres:", err)
	case err != nil:
		fmt.Println(err)
		code = 1
	default:
		fmt.Println("on Postgres:")
		server = s
		code = max(code, m.Run())
		code = max(code, explainOnPostgres(!chosen && code == 0), runBehindPooler(m))
		if err := s.Stop(); err != nil {
			fmt.Println(err)
		}
	}
	os.Exit(code)
}

// runBehindPooler runs tests with pgbouncer in front of the server.
func runBehindPooler(m *testing.M) (code int) {
	if flag.Lookup("test.bench").Value.String() != "" {
		return 0
	}
	p, err := server.StartPooler(context.Background(), "default_pool_size=10")
	switch {
	case errors.Is(err, postgrestest.ErrNoPooler) && !scopetest.All():
		fmt.Println("not run behind a pooler:", err)
		return 0
	case err != nil:
		fmt.Println(err)
		return 1
	}
	fmt.Println("behind a pooler:")
	pooler = p
	if chosen := flag.Lookup("test.run").Value; chosen.String() == "" && !scopetest.Long() {
		err = chosen.Set(behindPooler)
	}
	code = m.Run()
	if err := errors.Join(err, p.Stop()); err != nil {
		fmt.Println(err)
		code = 1
	}
	return code
}

// newAddress returns the address of a new database on the server.
func newAddress(tb testing.TB) string {
	tb.Helper()
	address, err := server.Database(tb.Context())
	must(tb, err)
	if pooler != nil {
		return pooler.Behind(address)
	}
	return address
}

// open creates a database on the engine that is being tested. When the test ends, all
// totals in it must be right.
func open(tb testing.TB) (s *store.Store) {
	tb.Helper()
	if server == nil {
		path := filepath.Join(tb.TempDir(), "dailies.db")
		sampletest.Create(tb, path)
		s = openNamed(tb, path)
	} else {
		s = openNamed(tb, newAddress(tb))
	}
	tb.Cleanup(func() { checkTotals(tb, s) })
	return s
}

// two opens a new database twice, as two processes would. Only one process can open
// an SQLite file, so both stores are the same there.
func two(tb testing.TB) [2]*store.Store {
	tb.Helper()
	if server == nil {
		s := open(tb)
		return [2]*store.Store{s, s}
	}
	address := newAddress(tb)
	return [2]*store.Store{openNamed(tb, address), openNamed(tb, address)}
}

// onlySQLite skips a test that is about SQLite files when another engine is tested.
func onlySQLite(tb testing.TB) {
	tb.Helper()
	if server != nil {
		tb.Skip("it is about a file of SQLite")
	}
}

// openAt opens an SQLite file.
func openAt(tb testing.TB, path string) *store.Store {
	tb.Helper()
	onlySQLite(tb)
	return openNamed(tb, path)
}

func openNamed(tb testing.TB, name string) *store.Store {
	tb.Helper()
	s, err := store.Open(engine.WithObserver(tb.Context(), recorded.Observe), name)
	must(tb, err)
	tb.Cleanup(func() { must(tb, s.Close()) })
	return s
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// wants fails the test unless err is want, an error of package db, and says so only
// once.
func wants(tb testing.TB, err, want error) {
	tb.Helper()
	if !errors.Is(err, want) {
		tb.Fatalf("error %v, want %v", err, want)
	}
	if strings.Count(err.Error(), want.Error()) != 1 || strings.Contains(strings.ToLower(err.Error()), "sql") {
		tb.Errorf("the error reads %q", err)
	}
}

// day is some time in the past, with the stored precision of milliseconds.
var day = time.Date(2026, 11, 3, 12, 0, 0, 5e6, time.UTC)

func addUser(tb testing.TB, s *store.Store, name string) db.User {
	tb.Helper()
	u := db.User{
		Name: name, Email: strings.ReplaceAll(name, " ", ".") + "@example.com", Password: "hash", Role: db.Member,
		CreatedAt: day,
	}
	must(tb, sampletest.AddUser(tb, s, &u))
	return u
}

func TestEverythingIsThereAfterARestart(t *testing.T) {
	onlySQLite(t)
	path := filepath.Join(t.TempDir(), "dailies.db")
	s, err := store.Open(t.Context(), path)
	must(t, err)
	u := addUser(t, s, "Ann")
	task := addTask(t, s, u.ID, "a red kite")
	must(t, s.Close())

	s = openAt(t, path)
	got, err := s.Tasks.Task(t.Context(), task.ID)
	must(t, err)
	same(t, got, task)
	found, err := s.Search.Tasks(t.Context(), gallery.Filter{Viewer: u.ID, States: []db.State{gallery.AnyState}, Query: "kite", Limit: 1})
	must(t, err)
	if len(found) != 1 {
		t.Error("the prompt is no longer found")
	}
	for _, left := range []string{"-wal", "-shm"} {
		if file, err := os.Stat(path + left); err == nil && file.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
			t.Errorf("%s can be read by others: %v", left, file.Mode())
		}
	}
}

func TestCloseLeavesOneFile(t *testing.T) {
	onlySQLite(t)
	path := filepath.Join(t.TempDir(), "dailies.db")
	s, err := store.Open(t.Context(), path)
	must(t, err)
	addUser(t, s, "Ann")
	_, err = s.Accounts.Users(t.Context())
	must(t, err)
	must(t, s.Close())
	if left, _ := filepath.Glob(path + "*"); len(left) != 1 {
		t.Errorf("left %q", left)
	}
	file, err := os.Stat(path)
	must(t, err)
	if runtime.GOOS != "windows" && file.Mode().Perm() != 0o600 {
		t.Errorf("others can read the file: %v", file.Mode())
	}
}

func TestFileOfANewerProgramIsRefused(t *testing.T) {
	onlySQLite(t)
	path := filepath.Join(t.TempDir(), "dailies.db")
	s, err := store.Open(t.Context(), path)
	must(t, err)
	must(t, s.Close())
	raw, err := sql.Open("sqlite", path)
	must(t, err)
	_, err = raw.Exec(`PRAGMA user_version = 1000`)
	must(t, errors.Join(err, raw.Close()))

	_, err = store.Open(t.Context(), path)
	if err == nil || !strings.Contains(err.Error(), "newer Dailies") || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
}

func TestFileThatIsNotADatabaseIsRefused(t *testing.T) {
	onlySQLite(t)
	path := filepath.Join(t.TempDir(), "dailies.db")
	must(t, os.WriteFile(path, []byte(strings.Repeat("Dear diary, ", 1000)), 0o600))
	if _, err := store.Open(t.Context(), path); err == nil {
		t.Error("a diary is opened as a database")
	}
	if _, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "no folder", "dailies.db")); err == nil {
		t.Error("a folder appears from nowhere")
	}
}

func TestPathMayHoldAnyCharacter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "50% of? #1 & söme=stuff.db")
	s := openAt(t, path)
	addUser(t, s, "Ann")
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
	if has, err := s.Accounts.HasUsers(t.Context()); !has || err != nil {
		t.Error(has, err)
	}
}

func TestADatabaseSaysWhetherItTakesWrites(t *testing.T) {
	s := open(t)
	must(t, s.Writable(t.Context(), db.Now()))
	ended, end := context.WithCancel(t.Context())
	end()
	if err := s.Writable(ended, db.Now()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestSettingsAreKept(t *testing.T) {
	s := open(t)
	_, err := s.Settings.Setting(t.Context(), "port")
	wants(t, err, db.ErrNotFound)
	must(t, s.Settings.SetSetting(t.Context(), "port", "1"))
	must(t, s.Settings.SetSetting(t.Context(), "port", "2"))
	if v, err := s.Settings.Setting(t.Context(), "port"); v != "2" || err != nil {
		t.Error(v, err)
	}
}

func TestTheFirstValueOfASettingIsTheSameForAll(t *testing.T) {
	s := open(t)
	kept := make([]string, 20)
	var all sync.WaitGroup
	for i := range kept {
		all.Go(func() {
			var err error
			if kept[i], err = s.Settings.KeepSetting(t.Context(), "port", fmt.Sprint(i)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	now, err := s.Settings.Setting(t.Context(), "port")
	must(t, err)
	for _, v := range kept {
		if v != now {
			t.Fatalf("%q is kept, and %q was returned", now, v)
		}
	}
}

// With many concurrent users, no write fails because another is under way, and
// reads go on meanwhile.
func TestManyWriteAndReadAtOnce(t *testing.T) {
	s := open(t)
	u := addUser(t, s, "Ann")
	task := addTask(t, s, u.ID, "a kite")
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			for range 10 {
				_, err := s.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error { t.Asked++; return nil })
				if err != nil {
					t.Error(err)
				}
				if _, err := s.Search.Tasks(t.Context(), gallery.Filter{Viewer: u.ID, States: []db.State{gallery.AnyState}, Limit: 5}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	got, err := s.Tasks.Task(t.Context(), task.ID)
	must(t, err)
	if got.Asked != 100 {
		t.Errorf("%d of 100 changes are there", got.Asked)
	}
}

func TestADamagedDatabaseSaysWhatToDo(t *testing.T) {
	onlySQLite(t)
	path := t.TempDir() + "/dailies.db"
	must(t, os.WriteFile(path, []byte(strings.Repeat("This is no database. ", 1000)), 0o600))
	_, err := store.Open(t.Context(), path)
	_, errRead := store.OpenToRead(t.Context(), path)
	for _, err := range []error{err, errRead, store.Copy(t.Context(), path, path+".copy")} {
		if err == nil || !strings.Contains(err.Error(), "dailies restore FILE") {
			t.Errorf("it says %v", err)
		}
	}
}

func TestRestoredDatabaseClosesAllAccess(t *testing.T) {
	s := open(t)
	now := db.Now()
	kim := db.User{Name: "Kim", Email: "kim@example.com", Role: db.Admin, CreatedAt: now}
	must(t, sampletest.AddUser(t, s, &kim))
	for token, expires := range map[string]time.Time{"open": now.Add(time.Hour), "over": now.Add(-time.Hour)} {
		must(t, sampletest.AddSession(t, s, &signin.Session{UserID: kim.ID, Token: secrets.HashToken(token), CreatedAt: now, SeenAt: now, ExpiresAt: expires}))
		must(t, s.Invites.AddInvites(t.Context(), []*signin.Invite{{Token: secrets.HashToken(token), CreatedBy: kim.ID, CreatedAt: now, ExpiresAt: expires}}, nil))
	}
	used := db.User{Name: "Lee", Email: "lee@example.com", Role: db.Member, CreatedAt: now}
	must(t, s.Invites.AddInvites(t.Context(), []*signin.Invite{{Token: secrets.HashToken("used"), CreatedBy: kim.ID, CreatedAt: now, ExpiresAt: now.Add(time.Hour)}}, nil))
	must(t, s.Invites.Join(t.Context(), secrets.HashToken("used"), &used, now))
	collection := gallery.Collection{Name: "Cut", CreatedBy: kim.ID, CreatedAt: now}
	must(t, s.Collections.AddCollection(t.Context(), &collection))
	share := gallery.Share{Token: "open", CollectionID: collection.ID, CreatedBy: kim.ID, CreatedAt: now, ExpiresAt: now.Add(time.Hour)}
	must(t, s.Links.AddShare(t.Context(), &share))

	reset, token := signin.NewReset(kim.ID, now)
	must(t, s.Sessions.AddReset(t.Context(), reset))

	closed, err := s.Accounts.CloseAccess(t.Context(), "a backup", now)
	must(t, err)
	same(t, closed, signin.Closed{Sessions: 1, Invites: 1, Resets: 1, Shares: 1, Open: 2, Admins: []string{"Kim"}})
	if _, _, err := s.Sessions.Session(t.Context(), secrets.HashToken("open"), now); err == nil {
		t.Error("somebody is still signed in")
	}
	if _, err := s.Invites.Invite(t.Context(), secrets.HashToken("open")); err == nil {
		t.Error("a join link still works")
	}
	if _, err := s.Sessions.Reset(t.Context(), secrets.HashToken(token), now); err == nil {
		t.Error("a link for a new password still works")
	}
	if _, err := s.Invites.Invite(t.Context(), secrets.HashToken("used")); err != nil {
		t.Errorf("the record of who joined is gone: %v", err)
	}
	if _, _, err := s.Links.OpenShare(t.Context(), "open", gallery.Opening{}, now); err == nil {
		t.Error("a share link is still open")
	}
	closed, err = s.Accounts.CloseAccess(t.Context(), "a backup", now)
	must(t, err)
	same(t, closed, signin.Closed{Open: 2, Admins: []string{"Kim"}})
}
