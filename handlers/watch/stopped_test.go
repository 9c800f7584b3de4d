//go:build unix

package watch_test

import (
	"database/sql"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"dailies/db/media/buckettest"
	"dailies/db/secrets"
	"dailies/db/store/postgres"
	"dailies/db/store/postgres/postgrestest"
	"dailies/web/scopetest"
)

// A stoppable is a service that holds back the answer to the create call for the video
// "held", the database, and the processes that use both.
type stoppable struct {
	*service
	answer chan struct{} // closed to let the service answer
	raw    *sql.DB
	args   []string
	client *http.Client
}

// newStoppable returns the service and an empty database. The processes share a bucket,
// unless they are to keep files in their data folder.
func newStoppable(t *testing.T, shared bool) *stoppable {
	t.Helper()
	s := &stoppable{answer: make(chan struct{})}
	s.service = newService(t, time.Millisecond, func(w http.ResponseWriter, r *http.Request, through http.Handler) {
		if r.URL.Path == create && s.sent("held") > 0 && s.sent("next") == 0 {
			<-s.answer
		}
		through.ServeHTTP(w, r)
	})
	t.Cleanup(s.release)
	database, err := postgrestest.Need(t).Database(t.Context())
	must(t, err)
	s.args = []string{"-api-url", s.URL, "-database", database}
	if shared {
		s.args = append(s.args, "-media", buckettest.New(t).URL("stopped"))
	}
	s.raw, err = sql.Open("pgx", database)
	must(t, err)
	t.Cleanup(func() { s.raw.Close() })
	jar, err := cookiejar.New(nil)
	must(t, err)
	s.client = &http.Client{
		Jar: jar, Timeout: 2 * time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return s
}

// release lets the service answer.
func (s *stoppable) release() {
	select {
	case <-s.answer:
	default:
		close(s.answer)
	}
}

// sent returns how often the video was sent.
func (s *stoppable) sent(prompt string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.got[prompt]
}

// start starts a process in the folder.
func (s *stoppable) start(t *testing.T, dir string) *member {
	t.Helper()
	m := launch(t, buildProgram(t), dir, s.args...)
	t.Cleanup(m.kill)
	return m
}

func (s *stoppable) submit(t *testing.T, m *member, prompt string) {
	t.Helper()
	if !post(s.client, m.base+"/create/text-to-video", url.Values{
		"token": {secrets.NewToken()}, "model": {"seedance-2.0"}, "prompt": {prompt}, "duration": {"4"}, "resolution": {"480p"},
	}) {
		t.Fatalf("%q is not taken: %s", prompt, m.said())
	}
}

// hold makes a process send a video whose answer is held back.
func (s *stoppable) hold(t *testing.T, m *member) {
	t.Helper()
	if !post(s.client, m.base+"/setup?token=the-setup-token", url.Values{
		"name": {"Kim"}, "email": {"kim@example.com"}, "password": {"a long enough one"},
	}) ||
		!post(s.client, m.base+"/settings/key", url.Values{"key": {s.key}}) {
		t.Fatalf("cannot sign up: %s", m.said())
	}
	s.submit(t, m, "held")
	awaits(t, "it is being sent", func() bool { return s.sent("held") == 1 })
}

// is waits until the video is in the state.
func (s *stoppable) is(t *testing.T, prompt, state string) {
	t.Helper()
	awaits(t, prompt+" is "+state, func() bool {
		var now string
		must(t, s.raw.QueryRow(`SELECT state FROM tasks WHERE prompt = $1`, prompt).Scan(&now))
		return now == state
	})
}

// age makes it look as if the process that is sending was last seen, and had last renewed
// its lease, that much longer ago. It must be stopped.
func (s *stoppable) age(t *testing.T, ago time.Duration) {
	t.Helper()
	_, err := s.raw.Exec(
		`UPDATE tasks SET leased_until = leased_until - $1 WHERE id IN (SELECT task_id FROM create_calls)`, ago.Milliseconds(),
	)
	must(t, err)
	_, err = s.raw.Exec(`UPDATE processes SET seen_at = seen_at - $1 WHERE name IN (SELECT process FROM create_calls)`, ago.Milliseconds())
	must(t, err)
}

// frees waits until it is stored when the key will be free, and returns how long that is
// after the last heartbeat of the process that is sending.
func (s *stoppable) frees(t *testing.T) time.Duration {
	t.Helper()
	var after int64
	awaits(t, "it is known when the key will be free", func() bool {
		return s.raw.QueryRow(`
			SELECT frees_at - seen_at FROM create_calls JOIN processes ON name = process WHERE frees_at IS NOT NULL`).Scan(&after) == nil
	})
	return time.Duration(after) * time.Millisecond
}

func (s *stoppable) page(t *testing.T, m *member, path string) string {
	t.Helper()
	answer, err := s.client.Get(m.base + path)
	must(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	must(t, err)
	return string(body)
}

// A process is killed while it sends a video, and another one goes on. The key is free
// three minutes after the last heartbeat of the dead process, and the pages say so. When
// the process starts again in its folder, the key is free at once.
func TestTheKeyOfAKilledProcessIsFreedByItsSuccessor(t *testing.T) {
	scopetest.Whole(t)
	t.Parallel() // it mostly waits
	s := newStoppable(t, true)
	dir := t.TempDir()
	dies := s.start(t, dir)
	s.hold(t, dies)
	other := s.start(t, t.TempDir())
	dies.kill()
	s.age(t, 21*time.Second)
	if after := s.frees(t); after != postgres.Gone || after > 3*time.Minute {
		t.Errorf("the key is free %v after the last heartbeat", after)
	}
	s.submit(t, other, "next")
	page := s.page(t, other, "/tasks/2")
	if !strings.Contains(page, "A server stopped while sending. To be safe, your video waits until ") ||
		!strings.Contains(page, `action="/team/keys/free"`) {
		t.Errorf("the page of the video that waits: %s", page)
	}
	if page := s.page(t, other, "/tasks/1"); !strings.Contains(page, "A server stopped while sending this.") {
		t.Errorf("the page of the video that was being sent: %s", page)
	}
	if log := other.said(); strings.Count(log, "a server stopped while it was sending") != 1 ||
		!strings.Contains(log, "own key …"+s.key[len(s.key)-4:]) || strings.Contains(log, s.key) {
		t.Errorf("the log says %s", log)
	}
	began := time.Now()
	s.start(t, dir)
	s.is(t, "held", "unconfirmed")
	s.is(t, "next", "success")
	t.Logf("the other video was finished %v after the start", time.Since(began).Round(time.Millisecond))
	if s.sent("held") != 1 || s.sent("next") != 1 {
		t.Errorf("it was sent %d times, the next one %d times", s.sent("held"), s.sent("next"))
	}
}

// The folder of the dead process is not used again.
func TestTheKeyOfADeadHostIsFreedAfterThreeMinutes(t *testing.T) {
	scopetest.Whole(t)
	t.Parallel() // it mostly waits
	s := newStoppable(t, true)
	dies := s.start(t, t.TempDir())
	s.hold(t, dies)
	other := s.start(t, t.TempDir())
	dies.kill()
	s.age(t, 2*time.Minute)
	s.frees(t)
	s.submit(t, other, "next")
	s.is(t, "held", "sending")
	s.is(t, "next", "queued")
	s.age(t, time.Minute)
	s.is(t, "held", "unconfirmed")
	s.is(t, "next", "success")
	if log := other.said(); !strings.Contains(log, "a video is unconfirmed") || !strings.Contains(log, "task=1") {
		t.Errorf("the log says %s", log)
	}
}

// A process is only paused, for so long that the others count it as gone. Then it goes on:
// it works as before, and records the answer that it has been waiting for.
func TestALateAnswerOfAPausedProcessIsRecorded(t *testing.T) {
	scopetest.Whole(t)
	t.Parallel() // it mostly waits
	s := newStoppable(t, true)
	pauses := s.start(t, t.TempDir())
	s.hold(t, pauses)
	other := s.start(t, t.TempDir())
	must(t, pauses.process.Process.Signal(syscall.SIGSTOP))
	s.age(t, 4*time.Minute)
	s.submit(t, other, "next")
	s.is(t, "held", "unconfirmed")
	s.is(t, "next", "success")
	must(t, pauses.process.Process.Signal(syscall.SIGCONT))
	awaits(t, "it is seen again", func() bool {
		var n int
		must(
			t,
			s.raw.QueryRow(`SELECT count(*) FROM processes WHERE seen_at > extract(epoch FROM clock_timestamp()) * 1000 - 20000`).Scan(&n),
		)
		return n == 2
	})
	s.release()
	s.is(t, "held", "success")
	if page := s.page(t, pauses, "/tasks/1"); !strings.Contains(page, "held") {
		t.Errorf("it does not go on: %s", pauses.said())
	}
	if s.sent("held") != 1 || s.sent("next") != 1 {
		t.Errorf("it was sent %d times, the next one %d times", s.sent("held"), s.sent("next"))
	}
}

// Where the media are in the data folder, nobody else can take the place of a process, so
// it need not wait for itself.
func TestAKilledProcessIsBackInItsFolderAtOnce(t *testing.T) {
	scopetest.Whole(t)
	t.Parallel() // it mostly waits
	s := newStoppable(t, false)
	dir := t.TempDir()
	dies := s.start(t, dir)
	s.hold(t, dies)
	dies.kill()
	again := s.start(t, dir)
	if log := again.said(); strings.Contains(log, "waits for it to end") {
		t.Errorf("the start waits: %s", log)
	}
	s.is(t, "held", "unconfirmed")
	s.submit(t, again, "next")
	s.is(t, "next", "success")
	if s.sent("held") != 1 {
		t.Errorf("it was sent %d times", s.sent("held"))
	}
}

// An admin frees the key that a dead process blocks, without waiting.
func TestAnAdminFreesTheKeyOfADeadProcess(t *testing.T) {
	scopetest.Whole(t)
	t.Parallel() // it mostly waits
	s := newStoppable(t, true)
	dies := s.start(t, t.TempDir())
	s.hold(t, dies)
	other := s.start(t, t.TempDir())
	dies.kill()
	s.age(t, 21*time.Second)
	s.frees(t)
	s.submit(t, other, "next")
	if page := s.page(t, other, "/team/keys"); !strings.Contains(page, "Kim’s own key, …"+s.key[len(s.key)-4:]) ||
		!strings.Contains(page, "A server stopped while sending a video of Kim.") {
		t.Errorf("the page of the keys: %s", page)
	}
	if !post(s.client, other.base+"/team/keys/free", url.Values{"task": {"1"}, "next": {"/tasks/2"}}) {
		t.Errorf("the key is not freed: %s", other.said())
	}
	s.is(t, "held", "unconfirmed")
	s.is(t, "next", "success")
	if page := s.page(t, other, "/audit"); !strings.Contains(page, "freed a key") {
		t.Errorf("the audit: %s", page)
	}
}
