//go:build unix

package watch_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/media/buckettest"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/db/store/postgres"
	"dailies/db/store/postgres/postgrestest"
	"dailies/db/store/sampletest"
	"dailies/web/scopetest"
)

// A fleetSize says how many users, videos and kills TestAFleetLosesNothing has.
type fleetSize struct {
	people, videos, kills int
	pause                 time.Duration // longest time between two kills
}

var (
	smallFleet = fleetSize{people: 6, videos: 36, kills: 8, pause: time.Second}
	largeFleet = fleetSize{people: 50, videos: 2000, kills: 100, pause: 4 * time.Second}
)

// TestAFleetLosesNothing lets users submit videos to three processes that share one
// database and one bucket: first undisturbed, then while one process after another is
// killed and restarted. The service records overlapping calls. Creates with one key
// never overlap, nor do queries for one video; nothing is sent twice, every video
// whose submission was confirmed is there, and every video that the service confirmed
// is kept. DAILIES_LONG=1 runs it at a company's scale.
func TestAFleetLosesNothing(t *testing.T) {
	scopetest.Whole(t)
	t.Parallel() // it mostly waits
	size := smallFleet
	if scopetest.Long() {
		size = largeFleet
	}
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("DAILIES_SEED"); s != "" {
		var err error
		seed, err = strconv.ParseUint(s, 10, 64)
		must(t, err)
	}
	t.Logf("DAILIES_SEED=%d kills at the same moments", seed)
	database, err := postgrestest.Need(t).Database(t.Context())
	must(t, err)
	this := buildProgram(t)
	f := newFleet(t, 2*time.Second, database, this, this, this)
	f.invite(t, size.people)
	told := f.submit(t, "in peace", size.videos, nil)
	f.finish(t)
	f.judge(t, told, 0)

	stop := make(chan struct{})
	var killing sync.WaitGroup
	random := rand.New(rand.NewPCG(seed, 1))
	killing.Go(func() {
		defer close(stop)
		for range size.kills {
			time.Sleep(time.Duration(random.Int64N(int64(size.pause))))
			f.restart(t, random.IntN(len(f.processes)))
		}
	})
	told = append(told, f.submit(t, "among kills", size.videos, stop)...)
	killing.Wait()
	f.finish(t)
	f.judge(t, told, size.kills)
}

// TestTwoVersionsWorkSideBySide runs the version named in .ci/beside beside this one,
// as during an upgrade: this version migrates the tables while the other is running,
// both accept submissions, and the other is then restarted on the new tables.
func TestTwoVersionsWorkSideBySide(t *testing.T) {
	scopetest.Whole(t)
	t.Parallel() // it mostly waits
	other := buildVersion(t)
	database, err := postgrestest.Need(t).Empty(t.Context())
	must(t, err)
	f := newFleet(t, 2*time.Second, database, other, buildProgram(t))
	f.invite(t, 4)
	told := f.submit(t, "on both", 12, nil)
	f.restart(t, 0)
	told = append(told, f.submit(t, "after a restart", 12, nil)...)
	f.finish(t)
	f.judge(t, told, 1)
}

// buildVersion builds the version named in .ci/beside and returns the program's path.
// It skips the test if the Git history is missing, as in a shallow clone.
func buildVersion(t *testing.T) string {
	t.Helper()
	said, err := os.ReadFile("../../.ci/beside")
	must(t, err)
	version := strings.TrimSpace(string(said))
	dir := t.TempDir()
	// The clone may belong to another user; without this, git would refuse to read
	// it.
	archive := exec.CommandContext(t.Context(), "git", "-c", "safe.directory=*", "archive", "--output", dir+"/version.tar", version)
	archive.Dir = "../.."
	if out, err := archive.CombinedOutput(); err != nil {
		t.Skipf("version %s is not in the history here: %s", version, out)
	}
	must(t, os.Mkdir(dir+"/version", 0o700))
	if out, err := exec.CommandContext(t.Context(), "tar", "-xf", dir+"/version.tar", "-C", dir+"/version").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	// It only has to work: without inlining, its packages are compiled in half of the time.
	build := exec.CommandContext(
		t.Context(), "go", "build", "-gcflags=dailies/...=-l -dwarf=false", "-ldflags=-s -w", "-o", dir+"/dailies", ".",
	)
	build.Dir = dir + "/version"
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as in a release
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir + "/dailies"
}

// A fleet is several processes that share one database and one bucket, with their
// video service and their users.
type fleet struct {
	service  *overlaps
	database string
	bucket   *buckettest.Server
	store    *store.Store // used by the test itself
	raw      *sql.DB
	people   []*http.Client

	mu        sync.Mutex
	processes []*member
}

// A member is one process of a fleet.
type member struct {
	program string
	base    string
	process *exec.Cmd
	log     *os.File
}

const fleetSecret = "hX2vR8kQz5Lw9TbN4cYd" // shared by all of them

// newFleet starts one process for each program in turn, and a service that takes wait
// for a video. The first process creates the tables.
func newFleet(t *testing.T, wait time.Duration, database string, programs ...string) *fleet {
	t.Helper()
	f := &fleet{service: newOverlaps(t, wait), database: database, bucket: buckettest.New(t)}
	t.Cleanup(func() {
		for _, m := range f.processes {
			m.kill()
		}
	})
	for _, program := range programs {
		f.processes = append(f.processes, f.start(t, program))
	}
	var err error
	f.store, err = store.Open(t.Context(), f.database)
	must(t, err)
	t.Cleanup(func() { f.store.Close() })
	f.raw, err = sql.Open("pgx", f.database)
	must(t, err)
	t.Cleanup(func() { f.raw.Close() })
	return f
}

// start starts the program with its own data folder.
func (f *fleet) start(t *testing.T, program string) *member {
	return launch(t, program, t.TempDir(), "-api-url", f.service.URL, "-database", f.database, "-media", f.bucket.URL("fleet"))
}

// launch starts the program in the data folder, with further arguments, and waits until it
// answers.
func launch(t *testing.T, program, dir string, args ...string) *member {
	m := &member{program: program, base: "http://" + freeAddress(t)}
	m.process = exec.Command(program, append([]string{
		"-addr", m.base[len("http://"):], "-data", dir, "-poll", "100ms", "-setup-token", "the-setup-token",
	}, args...)...)
	m.process.Env = append(os.Environ(), "DAILIES_SECRET="+fleetSecret,
		"DAILIES_S3_ACCESS_KEY="+buckettest.AccessKey, "DAILIES_S3_SECRET_KEY="+buckettest.SecretKey)
	var err error
	m.log, err = os.OpenFile(dir+"/log", os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		t.Error(err)
		return m
	}
	m.process.Stderr = m.log
	if err := m.process.Start(); err != nil {
		t.Error(err)
		return m
	}
	for deadline := time.Now().Add(4 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		answer, err := http.Get(m.base + "/healthz")
		if err == nil {
			answer.Body.Close()
			return m
		}
		if time.Now().After(deadline) {
			t.Errorf("it does not answer: %v\n%s", err, m.said())
			return m
		}
	}
}

func (m *member) said() string {
	said, _ := os.ReadFile(m.log.Name()) // used only in the message of a failure
	return string(said)
}

func (m *member) kill() {
	_ = m.process.Process.Kill()
	_ = m.process.Wait()
}

// restart kills a process and starts another in its place.
func (f *fleet) restart(t *testing.T, i int) {
	f.mu.Lock()
	victim := f.processes[i]
	f.mu.Unlock()
	victim.kill()
	next := f.start(t, victim.program)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.processes[i] = next
}

// any returns the URL of a random process, which may be dead.
func (f *fleet) any() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.processes[rand.IntN(len(f.processes))].base
}

// invite creates n users with keys and signs each in at one process. Of every ten
// users, the last two share a key.
func (f *fleet) invite(t *testing.T, n int) {
	t.Helper()
	hash, key := secrets.HashPassword("a long enough one"), ""
	for i := range n {
		u := db.User{
			Name: fmt.Sprint("Kim ", i), Email: fmt.Sprintf("kim%d@example.com", i), Password: hash, Role: db.Admin,
			CreatedAt: db.Now(),
		}
		must(t, sampletest.AddUser(t, f.store, &u))
		if i%10 != 9 {
			var err error
			key, err = f.service.box.NewKey(t.Context(), u.Name, 1_000_000)
			must(t, err)
		}
		jar, err := cookiejar.New(nil)
		must(t, err)
		c := &http.Client{
			Jar: jar, Timeout: 2 * time.Minute,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
		if !post(c, f.any()+"/login", url.Values{"email": {u.Email}, "password": {"a long enough one"}}) ||
			!post(c, f.any()+"/settings/key", url.Values{"key": {key}}) {
			t.Fatalf("%s cannot sign in and save a key: %s", u.Name, f.processes[0].said())
		}
		f.people = append(f.people, c)
	}
}

func post(c *http.Client, address string, form url.Values) bool {
	answer, err := c.PostForm(address, form)
	if err != nil {
		return false
	}
	answer.Body.Close()
	return answer.StatusCode == http.StatusSeeOther && answer.Header.Get("Location") != "/login"
}

// submit lets the users submit n videos, and further ones until stop is closed. It
// returns the prompts of the submissions that were confirmed.
func (f *fleet) submit(t *testing.T, what string, n int, stop <-chan struct{}) (told []string) {
	t.Helper()
	var mu sync.Mutex
	var all sync.WaitGroup
	for person, c := range f.people {
		all.Go(func() {
			for i := 0; i*len(f.people)+person < n || stop != nil; i++ {
				select {
				case <-stop:
					if i*len(f.people)+person >= n {
						return
					}
				default:
					if i*len(f.people)+person >= n {
						time.Sleep(time.Duration(len(f.people)) * 50 * time.Millisecond) // slow down: enough videos are waiting
					}
				}
				prompt := fmt.Sprintf("boat %d of person %d %s", i, person, what)
				if post(c, f.any()+"/create/text-to-video", url.Values{
					"token": {secrets.NewToken()}, "model": {"seedance-2.0"}, "prompt": {prompt}, "duration": {"4"}, "resolution": {"480p"},
				}) {
					mu.Lock()
					told = append(told, prompt)
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	return told
}

// finish waits until no video is running or still to be kept. It ages the heartbeats
// of dead processes, so that these count as gone immediately.
func (f *fleet) finish(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Minute); ; time.Sleep(500 * time.Millisecond) {
		f.age(t)
		var busy int
		must(t, f.raw.QueryRowContext(t.Context(), `SELECT count(*) FROM tasks
			WHERE state IN ('queued', 'sending', 'pending', 'processing') OR keeping = 'saving'`).Scan(&busy))
		if busy == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d videos still run: %s", busy, f.processes[0].said())
		}
	}
}

// age makes processes that missed two heartbeats count as gone.
func (f *fleet) age(t *testing.T) {
	t.Helper()
	_, err := f.raw.ExecContext(t.Context(), `UPDATE processes SET seen_at = seen_at - $1
		WHERE seen_at < extract(epoch FROM clock_timestamp()) * 1000 - 12000`, postgres.Gone.Milliseconds())
	must(t, err)
}

// judge checks that nothing was lost or sent twice. Each kill may leave videos
// unconfirmed, if it interrupted their create calls.
func (f *fleet) judge(t *testing.T, told []string, kills int) {
	t.Helper()
	rows := map[string]db.Task{}
	unconfirmed := 0
	files := media.In(f.bucket.Open(t, f.bucket.URL("fleet"), slog.New(slog.DiscardHandler)))
	for id := int64(1); ; id++ {
		task, err := f.store.Tasks.Task(t.Context(), id)
		if errors.Is(err, db.ErrNotFound) && id > f.last(t) {
			break
		}
		if errors.Is(err, db.ErrNotFound) {
			continue // the ID was taken by a transaction that was rolled back
		}
		must(t, err)
		rows[task.Prompt] = task
		switch {
		case task.State == db.Unconfirmed && kills > 0:
			unconfirmed++
		case task.Keeping != db.Kept:
			t.Errorf("%q is %s, %q: %s", task.Prompt, task.State, task.Keeping, task.Message)
		default:
			whole(t, files, task)
		}
	}
	lost := 0
	for _, prompt := range told {
		if _, there := rows[prompt]; !there {
			lost++
		}
	}
	f.service.mu.Lock()
	for prompt := range f.service.got { // each may have been charged
		if _, there := rows[prompt]; !there {
			t.Errorf("%q was sent, and nothing is known of it", prompt)
		}
	}
	f.service.mu.Unlock()
	creates, asks, twice, gap := f.service.found()
	t.Logf("%d told, %d rows, %d of them unconfirmed; rows lost %d; overlapping creates with one key %d, questions about one video %d; sent twice %d; longest wait between two questions about one video %v; %d kills",
		len(told), len(rows), unconfirmed, lost, creates, asks, twice, gap.Round(time.Millisecond), kills)
	if len(told) == 0 || lost+creates+asks+twice > 0 {
		t.Error("something was lost, overlapped or was sent twice")
	}
	// A lease ends half a minute after its holder died; the rest is tolerance for a
	// busy machine.
	if gap > 90*time.Second {
		t.Errorf("a running video was not asked about for %v", gap)
	}
}

// last returns the ID of the newest task.
func (f *fleet) last(t *testing.T) (id int64) {
	t.Helper()
	must(t, f.raw.QueryRowContext(t.Context(), `SELECT coalesce(max(id), 0) FROM tasks`).Scan(&id))
	return id
}

// whole fails the test unless all files of the task are complete.
func whole(t *testing.T, files *media.Store, task db.Task) {
	t.Helper()
	for _, m := range task.Media {
		file, err := files.File(t.Context(), m.Hash)
		if err != nil {
			t.Errorf("%q: %v", task.Prompt, err)
			continue
		}
		if n, err := io.Copy(io.Discard, file); err != nil || n != m.Size {
			t.Errorf("%q: %d of %d bytes are kept, %v", task.Prompt, n, m.Size, err)
		}
		file.Close()
	}
}

// overlaps is a service that records overlapping calls.
type overlaps struct {
	*service

	at            sync.Mutex
	under         map[string]int // calls in progress, by key or by video
	creates, asks int            // how many of each overlapped
	asked         map[string]time.Time
	gap           time.Duration
}

func newOverlaps(t *testing.T, wait time.Duration) *overlaps {
	o := &overlaps{under: map[string]int{}, asked: map[string]time.Time{}}
	o.service = newService(t, wait, o.watch)
	return o
}

// watch forwards a call and its answer with a random delay, and counts overlaps.
func (o *overlaps) watch(w http.ResponseWriter, r *http.Request, through http.Handler) {
	name, overlapped := o.name(r)
	if name == "" {
		through.ServeHTTP(w, r)
		return
	}
	o.at.Lock()
	if o.under[name]++; o.under[name] > 1 {
		*overlapped++
	}
	if last, known := o.asked[name]; known && overlapped == &o.asks {
		o.gap = max(o.gap, time.Since(last))
	}
	o.at.Unlock()
	wait := 60 * time.Millisecond // long enough for possible overlaps to happen
	if overlapped == &o.creates {
		wait = 400 * time.Millisecond // long enough for some kills to happen during a call
	}
	time.Sleep(rand.N(wait))
	through.ServeHTTP(w, r)
	o.at.Lock()
	defer o.at.Unlock()
	o.under[name]--
	o.asked[name] = time.Now()
}

// name returns a name that is the same for calls that must not overlap.
func (o *overlaps) name(r *http.Request) (name string, overlapped *int) {
	switch r.URL.Path {
	case create:
		return "key " + r.Header.Get("Authorization"), &o.creates
	case ask:
		body, err := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		var about struct{ TaskID string }
		if err == nil && json.Unmarshal(body, &about) == nil {
			return "video " + about.TaskID, &o.asks
		}
	}
	return "", nil
}

func (o *overlaps) found() (creates, asks, twice int, gap time.Duration) {
	o.at.Lock()
	defer o.at.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, n := range o.got {
		if n > 1 {
			twice++
		}
	}
	return o.creates, o.asks, twice, o.gap
}

// TestAFleetOutlivesItsStorageAndItsDatabase lets users submit videos to two
// processes. First the storage is stopped for a while, during which pages stay
// readable. Then the database's primary is killed while videos run, and its standby
// is promoted: the processes recover by themselves, since their database URL names
// both servers. Every video whose submission was confirmed is there, none is sent
// twice, and every paid video is kept.
func TestAFleetOutlivesItsStorageAndItsDatabase(t *testing.T) {
	scopetest.Whole(t)
	t.Parallel() // it mostly waits
	people, videos, running, stopped, wait := 4, 20, 10, 3*time.Second, 2*time.Second
	if scopetest.Long() {
		people, videos, running, stopped, wait = 20, 200, 200, time.Minute, time.Minute
	}
	pair := postgrestest.NeedPair(t)
	database, err := pair.Database(t.Context())
	must(t, err)
	this := buildProgram(t)
	f := newFleet(t, wait, database, this, this)
	f.invite(t, people)

	f.bucket.Stop()
	told := f.submit(t, "without storage", videos, nil)
	f.reach(t, `state = 'success'`, videos/2)
	for began := time.Now(); time.Since(began) < stopped; time.Sleep(500 * time.Millisecond) {
		f.readPages(t)
	}
	f.bucket.Start(t)
	f.finish(t)
	f.judge(t, told, 0)

	stop, submitted := make(chan struct{}), make(chan []string)
	go func() { submitted <- f.submit(t, "over a failover", videos, stop) }()
	f.reach(t, `state IN ('queued', 'sending', 'pending', 'processing')`, running)
	pair.Fail()
	began := time.Now()
	must(t, pair.Promote(t.Context()))
	t.Logf("the standby took over within %v", time.Since(began).Round(time.Millisecond))
	for !f.isReady() {
		if time.Since(began) > 4*time.Minute {
			t.Fatalf("the processes do not carry on: %s", f.processes[0].said())
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Logf("both processes served again %v after the primary's death", time.Since(began).Round(time.Millisecond))
	close(stop)
	told = append(told, <-submitted...)
	f.finish(t)
	f.judge(t, told, 1) // writes in progress at the kill may be lost
	f.readPages(t)
}

// reach waits until at least n tasks meet the SQL condition.
func (f *fleet) reach(t *testing.T, condition string, n int) {
	t.Helper()
	for deadline := time.Now().Add(4 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		var there int
		must(t, f.raw.QueryRowContext(t.Context(), `SELECT count(*) FROM tasks WHERE `+condition).Scan(&there))
		if there >= n {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d videos: %s", there, n, f.processes[0].said())
		}
	}
}

// readPages fails the test unless every process serves its pages.
func (f *fleet) readPages(t *testing.T) {
	t.Helper()
	for _, m := range f.processes {
		for _, path := range []string{
			"/healthz", "/gallery?who=me&status=all", "/tasks/1", "/tasks/latest", "/create/text-to-video", "/usage",
		} {
			answer, err := f.people[0].Get(m.base + path)
			must(t, err)
			answer.Body.Close()
			if answer.StatusCode != http.StatusOK {
				t.Errorf("%s is answered with %d", path, answer.StatusCode)
			}
		}
	}
}

// isReady reports whether all processes are ready.
func (f *fleet) isReady() bool {
	for _, m := range f.processes {
		answer, err := http.Get(m.base + "/readyz")
		if err != nil {
			return false
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return false
		}
	}
	return true
}
