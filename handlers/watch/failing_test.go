package watch_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/option"
	"dailies/db/outbox"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store"
	"dailies/db/store/failtest"
	"dailies/db/store/postgres/postgrestest"
	"dailies/db/store/sampletest"
	"dailies/db/team"
	desk "dailies/handlers/service"
	"dailies/handlers/watch"
	"dailies/web/openid"
	"dailies/web/scopetest"
	"dailies/web/smtp/smtptest"
	"dailies/web/videoapi"
	"dailies/web/videoapi/sandbox"
)

// A broken is a scenario in which one call to the database fails.
type broken struct {
	*testing.T
	server *postgrestest.Server // has the database; nil for a file
	plan   *failtest.Plan
	fails  func() // counts calls from now on
	log    lockedBuffer
}

// database returns the path or the address of a new database.
func (b *broken) database(dir string) string {
	b.Helper()
	if b.server == nil {
		return dir + "/dailies.db"
	}
	address, err := b.server.Database(b.Context())
	must(b.T, err)
	return address
}

type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(text)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func (b *broken) slog() *slog.Logger { return slog.New(slog.NewTextHandler(&b.log, nil)) }

// lasts fails the test unless the condition holds within an hour.
func (b *broken) lasts(what string, holds func() bool) {
	b.Helper()
	for range 3600 {
		if holds() {
			return
		}
		time.Sleep(time.Second)
	}
	b.Errorf("not within an hour: %s\n%s", what, b.log.String())
}

// whenEachCallFails runs the scenario as often as it calls the database, in a bubble in
// which time passes at once. Another call fails each time. Once more only the answer to
// a commit is lost, or all calls fail from then on for a minute and a half. The scenario
// calls fails before the work begins that has to cope with it. On Postgres only a few calls
// fail, because each run needs a new database, unless there is time.
func whenEachCallFails(t *testing.T, scenario func(*broken)) {
	t.Helper()
	whenEachCallOfAFileFails(t, scenario)
	t.Run("Postgres", func(t *testing.T) { breaks(t, postgrestest.Need(t), scenario) })
}

// whenEachCallOfAFileFails is like whenEachCallFails, for what is only kept in SQLite.
func whenEachCallOfAFileFails(t *testing.T, scenario func(*broken)) {
	t.Helper()
	scopetest.Whole(t)
	breaks(t, nil, scenario)
}

func breaks(t *testing.T, server *postgrestest.Server, scenario func(*broken)) {
	t.Helper()
	once := func(t *testing.T, n int, begin func(p *failtest.Plan, n int)) (calls int, commits []int) {
		synctest.Test(t, func(t *testing.T) {
			b := &broken{T: t, server: server, plan: &failtest.Plan{}}
			b.fails = func() { begin(b.plan, n) }
			scenario(b)
			commits = b.plan.Commits()
			var failed string
			calls, failed = b.plan.End()
			if strings.Contains(b.log.String(), "panic") {
				t.Errorf("panic\n%s", b.log.String())
			}
			if t.Failed() {
				t.Logf("call %d failed: %s", n, failed)
			}
		})
		return calls, commits
	}
	outage := func(p *failtest.Plan, n int) {
		p.BeginOutage(n)
		time.AfterFunc(90*time.Second, p.Stop)
	}
	calls, commits := once(t, 0, (*failtest.Plan).Begin)
	if calls == 0 {
		t.Fatal("the database is not called")
	}
	long := scopetest.Long()
	if server != nil && !long {
		once(t, 1+calls/2, (*failtest.Plan).Begin)
		once(t, 1+calls/3, outage)
		if len(commits) > 0 {
			once(t, commits[len(commits)/2], (*failtest.Plan).BeginLost)
		}
		return
	}
	const strands = 4
	sparse := 1 // the race detector makes each run five times as long
	if scopetest.Race && !long {
		sparse = 2
	}
	for s := range strands {
		t.Run(fmt.Sprint(s), func(t *testing.T) {
			t.Parallel()
			for n := s + 1; n <= calls; n += strands {
				if long || n <= 30 && n%3 == 0 || n%(13*sparse) == 0 {
					once(t, n, (*failtest.Plan).Begin)
				}
				if long && server == nil || n%(11*sparse) == 0 {
					once(t, n, outage)
				}
			}
			for i := s; i < len(commits); i += strands * sparse {
				once(t, commits[i], (*failtest.Plan).BeginLost)
			}
		})
	}
}

// newBroken returns a bench whose store follows the plan, and a store that does not.
func newBroken(b *broken) (*bench, *store.Store) {
	b.Helper()
	dir := b.TempDir()
	database := b.database(dir)
	bench := newBenchIn(b.T, dir, sampletest.OpenIn(b.plan.In(b.Context()), b.T, database), b.Context())
	return bench, sampletest.Open(b.T, database)
}

// Two videos with the same key are sent once each, and kept.
func TestAFailingDatabaseLosesNoVideo(t *testing.T) {
	whenEachCallFails(t, func(b *broken) {
		bench, sound := newBroken(b)
		before := bench.balance(b.T)
		ids := []int64{bench.add(b.T, "a boat"), bench.add(b.T, "another boat")}
		b.fails()
		stop := bench.start(b.T, func(c *watch.Config) { c.Log = b.slog() })
		for _, id := range ids {
			b.lasts(fmt.Sprintf("video %d is kept", id), func() bool {
				task, err := sound.Tasks.Task(b.Context(), id)
				must(b.T, err)
				return task.State == db.Success && kept(task) && task.Charged.Known
			})
		}
		stop()
		if n := bench.line.count(create); n != len(ids) {
			b.Errorf("%d creates for %d videos", n, len(ids))
		}
		paid := 0.0
		for _, id := range ids {
			task, err := sound.Tasks.Task(b.Context(), id)
			must(b.T, err)
			paid += task.Charged.Amount
			if video, ok := task.Video(); !ok || len(task.Media) != 2 || video.Hash == "" {
				b.Errorf("video %d has the files %+v", id, task.Media)
			}
		}
		if spent := before - bench.balance(b.T); spent != paid {
			b.Errorf("%v credits are spent, and %v are written down", spent, paid)
		}
		if notes := bench.notes(b.T); len(notes) > 0 {
			b.Errorf("notes are left: %+v", notes)
		}
	})
}

// A process was stopped while the answer to a create call was only in a note, and another
// one while it made a call.
func TestAFailingDatabaseLosesNothingAtTheStart(t *testing.T) {
	whenEachCallOfAFileFails(t, func(b *broken) {
		bench, sound := newBroken(b)
		noted := bench.add(b.T, "a boat")
		heal := bench.refuse(b.T, `new.state = 'pending'`)
		stop := bench.start(b.T)
		time.Sleep(5 * time.Second)
		stop()
		heal()
		if len(bench.notes(b.T)) != 1 {
			b.Fatal("there is no note")
		}
		cut := bench.add(b.T, "a lost boat")
		_, err := bench.store.Tasks.UpdateTask(b.Context(), cut, func(t *db.Task) error { return t.Begin(db.Now()) })
		must(b.T, err)
		b.fails()
		defer bench.start(b.T, func(c *watch.Config) { c.Log = b.slog() })()
		for id, want := range map[int64]db.State{noted: db.Success, cut: db.Unconfirmed} {
			b.lasts(fmt.Sprintf("video %d is %s", id, want), func() bool {
				task, err := sound.Tasks.Task(b.Context(), id)
				must(b.T, err)
				return task.State == want && (want != db.Success || kept(task))
			})
		}
		if n := bench.line.count(create); n != 1 {
			b.Errorf("%d creates", n)
		}
	})
}

func TestAFailingDatabaseLosesNoThumbnail(t *testing.T) {
	whenEachCallFails(t, func(b *broken) {
		bench, sound := newBroken(b)
		id := bench.add(b.T, "a boat")
		stop := bench.start(b.T)
		b.lasts("the video is kept", func() bool {
			task, err := sound.Tasks.Task(b.Context(), id)
			must(b.T, err)
			return kept(task)
		})
		stop()
		files, err := media.Open(bench.dir + "/media")
		must(b.T, err)
		b.fails()
		ctx, end := context.WithCancel(b.Context())
		defer end()
		go func() { _ = watch.NewThumbs(bench.store, files, b.slog()).Run(ctx) }()
		b.lasts("the cover has a thumbnail", func() bool {
			task, err := sound.Tasks.Task(b.Context(), id)
			must(b.T, err)
			for _, m := range task.Media {
				if m.Kind == db.Thumb {
					return true
				}
			}
			return false
		})
		end()
		synctest.Wait()
	})
}

func TestAFailingDatabaseLosesNoFilm(t *testing.T) {
	whenEachCallFails(t, func(b *broken) {
		bench, sound := newBroken(b)
		files, err := media.Open(bench.dir + "/media")
		must(b.T, err)
		id := bench.keepUnread(b.T, files, "hevc", filmOf(b.T, "hevc-sound.mp4"))
		b.fails()
		ctx, end := context.WithCancel(b.Context())
		defer end()
		go func() { _ = watch.NewFilms(bench.store, files, b.slog()).Run(ctx) }()
		b.lasts("the film is read", func() bool {
			task, err := sound.Tasks.Task(b.Context(), id)
			must(b.T, err)
			return task.Media[0].Film.Video != ""
		})
		end()
		synctest.Wait()
	})
}

// The usage is brought into another time zone, whichever call fails.
func TestAFailingDatabaseBringsTheUsageIntoAnotherTimeZone(t *testing.T) {
	whenEachCallFails(t, func(b *broken) {
		bench, sound := newBroken(b)
		for range 3 {
			bench.add(b.T, "a boat")
		}
		must(b.T, sound.Settings.SetTimeZone(b.Context(), "Pacific/Kiritimati"))
		b.fails()
		ctx, end := context.WithCancel(b.Context())
		defer end()
		go func() { _ = watch.NewZone(bench.store, b.slog()).Run(ctx) }()
		b.lasts("the usage is in the time zone", func() bool {
			rebuilding, err := sound.Settings.Rebuilding(b.Context())
			must(b.T, err)
			return !rebuilding
		})
		wrong, err := sound.Usage.WrongUsage(b.Context())
		must(b.T, err)
		if len(wrong) > 0 {
			b.Errorf("%q", wrong)
		}
		end()
		synctest.Wait()
	})
}

// It is recorded that there is no mail server, whichever call fails.
func TestAFailingDatabaseLearnsThatThereIsNoMailServer(t *testing.T) {
	whenEachCallFails(t, func(b *broken) {
		bench, sound := newBroken(b)
		must(b.T, sound.Mail.AddMail(b.Context(), outbox.NewMail(outbox.MailTest, 1, db.Now())))
		b.fails()
		ctx, end := context.WithCancel(b.Context())
		defer end()
		go func() { _ = watch.KeepMailServer(bench.store, false, b.slog())(ctx) }()
		b.lasts("no mail waits", func() bool {
			w, err := sound.Work(b.Context(), db.Now())
			must(b.T, err)
			return w.Mails == 0
		})
		end()
		synctest.Wait()
	})
}

// A notice arrives, at most twice.
func TestAFailingDatabaseLosesNoNotice(t *testing.T) {
	whenEachCallFails(t, func(b *broken) {
		path := b.database(b.TempDir())
		n := newNotifierTestIn(b.plan.In(b.Context()), b.T, path)
		sound := sampletest.Open(b.T, path)
		n.Notifier = watch.NewNotifier(n.store, n.vault, &http.Client{Transport: n.receiver}, "https://dailies.example.com", b.slog())
		n.end(b.T, "failed")
		b.fails()
		ctx, end := context.WithCancel(b.Context())
		defer end()
		go func() { _ = n.Run(ctx) }()
		b.lasts("the notice is delivered", func() bool {
			all, err := sound.Webhooks.Deliveries(b.Context(), 1, 1)
			must(b.T, err)
			return len(all) == 1 && all[0].Outcome != ""
		})
		end()
		synctest.Wait()
		if len(n.got) < 1 || len(n.got) > 2 {
			b.Errorf("%d notices", len(n.got))
		}
	})
}

// A mail arrives, at most twice.
func TestAFailingDatabaseLosesNoMail(t *testing.T) {
	whenEachCallFails(t, func(b *broken) {
		path := b.database(b.TempDir())
		o := newOfficeIn(b.plan.In(b.Context()), b.T, &smtptest.Server{}, path)
		sound := sampletest.Open(b.T, path)
		o.slog = b.slog()
		o.invite(b.T, "new@example.com", "THETOKENOFTHELINK")
		b.fails()
		ctx, end := context.WithCancel(b.Context())
		defer end()
		go func() { _ = o.post().Run(ctx) }()
		b.lasts("the mail is sent", func() bool {
			mails, err := sound.Mail.Mails(b.Context(), 1)
			must(b.T, err)
			return len(mails) == 1 && !mails[0].SentAt.IsZero()
		})
		end()
		synctest.Wait()
		if n := len(o.Mails()); n < 1 || n > 2 {
			b.Errorf("%d mails", n)
		}
	})
}

// What is due is purged with its file, and what is not stays.
func TestAFailingDatabasePurgesWhatIsDue(t *testing.T) {
	whenEachCallFails(t, func(b *broken) {
		dir := b.TempDir()
		h := newBinFolderIn(b.plan.In(b.Context()), b.T, dir, b.database(dir))
		due, file := h.video(b.T, "one")
		stays, other := h.video(b.T, "two")
		h.delete(b.T, due)
		bin, late := watch.NewBin(h.store, h.files, b.slog()), time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC) // the files have the machine's time
		b.fails()
		_ = bin.Round(b.Context(), late)
		_ = bin.Round(b.Context(), late.Add(25*time.Hour))
		b.plan.Stop()
		time.Sleep(2 * time.Minute) // the lease on a file that was being removed ends
		must(b.T, bin.Round(b.Context(), late.Add(26*time.Hour)))
		must(b.T, bin.Round(b.Context(), late.Add(52*time.Hour)))
		if task, err := h.store.Tasks.Task(b.Context(), due); err != nil || task.PurgedAt.IsZero() || h.has(b.T, file) {
			b.Errorf("it is not purged: %v", err)
		}
		if task, err := h.store.Tasks.Task(b.Context(), stays); err != nil || !task.PurgedAt.IsZero() || !h.has(b.T, other) {
			b.Errorf("the other video is gone: %+v, %v", task, err)
		}
	})
}

// A person who has lost every role at the provider is signed out and becomes a viewer, and no
// refresh token is used twice.
func TestAFailingDatabaseAppliesLostGroups(t *testing.T) {
	whenEachCallFails(t, func(b *broken) {
		path := b.database(b.TempDir())
		store := sampletest.OpenIn(b.plan.In(b.Context()), b.T, path)
		sound := sampletest.Open(b.T, path)
		must(b.T, sampletest.AddUser(b.T, sound, &db.User{Name: "Kim", Email: "kim@example.com", Role: db.Admin, CreatedAt: db.Now()}))
		must(b.T, sound.SignOn.SetRules(
			b.Context(),
			signin.Rules{Admit: signin.AdmitDomain, Domains: []string{"example.com"}, RoleClaim: "groups", Members: []string{"staff"}},
			"",
		))
		const subject = "2"
		session := signin.NewSession(0, secrets.HashToken("a session"), "Firefox", sound.Now())
		claims := signin.Claims{
			Issuer: providerURL, Subject: subject, Name: "Ada", Email: "ada@example.com", EmailVerified: true,
			Values: []string{"staff"},
		}
		ada, _, err := sound.SignOn.SignInByProvider(b.Context(), claims, &session)
		must(b.T, err)
		vault, err := secrets.NewVault([]byte("tests"))
		must(b.T, err)
		kept := openid.Kept{Issuer: providerURL, Subject: subject, Tokens: openid.Tokens{Refresh: "token 0"}}
		must(b.T, sound.SignOn.KeepTokens(b.Context(), session.ID, vault.SealTokens(ada.ID, kept.String()), sound.Now()))
		refreshes := &refreshes{subject: subject}
		provider := openid.New(openid.Config{
			Issuer: providerURL, ClientID: "dailies", Secret: "secret", Client: &http.Client{Transport: refreshes},
		})
		b.fails()
		ctx, end := context.WithCancel(b.Context())
		defer end()
		go func() { _ = watch.NewRecheck(store, vault, provider, b.slog()).Run(ctx) }()
		b.lasts("the person is a viewer without a session", func() bool {
			sessions, err := sound.Sessions.Of(b.Context(), ada.ID, sound.Now())
			must(b.T, err)
			now, err := sound.Accounts.UserByEmail(b.Context(), "ada@example.com")
			must(b.T, err)
			return len(sessions) == 0 && now.Role == db.Viewer
		})
		end()
		synctest.Wait()
		if refreshes.refused > 0 {
			b.Errorf("a used refresh token came %d times", refreshes.refused)
		}
	})
}

const providerURL = "https://login.example.com"

// refreshes is a provider that only renews sign-ins, and gives the person no group. Each of
// its refresh tokens works once.
type refreshes struct {
	subject string
	issued  int
	refused int
}

// RoundTrip implements http.RoundTripper.
func (p *refreshes) RoundTrip(r *http.Request) (*http.Response, error) {
	status, body := http.StatusOK, `{}`
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		body = strings.ReplaceAll(
			`{"issuer":"URL","authorization_endpoint":"URL/authorize","token_endpoint":"URL/token","jwks_uri":"URL/keys","userinfo_endpoint":"URL/userinfo"}`,
			"URL", providerURL,
		)
	case "/token":
		if r.FormValue("refresh_token") != fmt.Sprint("token ", p.issued) {
			p.refused++
			status, body = http.StatusBadRequest, `{"error":"invalid_grant"}`
			break
		}
		p.issued++
		body = fmt.Sprintf(`{"access_token":"x","token_type":"Bearer","expires_in":60,"refresh_token":"token %d"}`, p.issued)
	case "/userinfo":
		body = fmt.Sprintf(`{"sub":%q,"groups":[]}`, p.subject)
	}
	return says(status, body, "Content-Type", "application/json")(r, nil)
}

// A process notices that another one has switched the service. What was sent before is
// finished at the old service, and what comes after is sent to the new one, once.
func TestAFailingDatabaseNoticesASwitchOfServices(t *testing.T) {
	whenEachCallFails(t, func(b *broken) {
		bench, sound := newBroken(b)
		_, err := sound.Services.Start(b.Context(), "", desk.PracticeBase, db.Now())
		must(b.T, err)
		hosts := &hostsOfCreates{line: bench.line}
		services, err := desk.New(b.Context(), desk.Config{
			Services: bench.store.Services, Calls: 1, Log: b.slog(), Reach: func(string) http.RoundTripper { return hosts },
			Open: func(context.Context) (desk.Practice, error) {
				run := func(ctx context.Context) error { <-ctx.Done(); return nil }
				return desk.Practice{Transport: hosts, Run: run, Close: func() error { return nil }}, nil
			},
		})
		must(b.T, err)
		with := func(c *watch.Config) { c.Log, c.Services = b.slog(), services }
		bench.line.setAlways(func(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
			if r.URL.Path == ask {
				return says(http.StatusTooManyRequests, "")(r, through)
			}
			return through()
		})
		before := bench.add(b.T, "before")
		stop := bench.start(b.T, with)
		b.lasts("the first video is sent", func() bool {
			task, err := sound.Tasks.Task(b.Context(), before)
			must(b.T, err)
			return task.RemoteID != ""
		})
		stop()
		bench.line.setAlways(nil)
		b.fails()
		ctx, end := context.WithCancel(b.Context())
		defer end()
		go func() { _ = services.Run(ctx) }()
		defer bench.start(b.T, with)()
		key := bench.otherKey(b.T)
		k := team.Key{Name: "Standard", Key: secrets.Key{Fingerprint: bench.vault.Fingerprint(key), CreatedAt: db.Now()}}
		must(b.T, sound.Services.Connect(
			b.Context(), services.Current().ID, "https://service.example.com", &k,
			func(o secrets.KeyOwner) []byte { return bench.vault.SealFor(o, key) },
		))
		after := db.Task{UserID: 1, FormToken: secrets.NewToken(), Request: db.Request{Scene: "text-to-video", Model: "seedance-2.0",
			Prompt:  "after",
			Options: db.Options{Duration: 4, Resolution: "480p", AspectRatio: "16:9"}}, CreatedAt: db.Now(), NextAt: db.Now()}
		queue(b.T, sound, &after)
		for _, id := range []int64{before, after.ID} {
			b.lasts(fmt.Sprintf("video %d is kept", id), func() bool {
				task, err := sound.Tasks.Task(b.Context(), id)
				must(b.T, err)
				return kept(task)
			})
		}
		b.lasts("the switch is noticed", func() bool { return services.Current().Address == "https://service.example.com" })
		end()
		synctest.Wait()
		if got := hosts.seen(); !slices.Equal(got, []string{"sandbox.invalid", "service.example.com"}) {
			b.Errorf("creates went to %q", got)
		}
	})
}

// hostsOfCreates notes the host of each create call.
type hostsOfCreates struct {
	line  *line
	mu    sync.Mutex
	hosts []string
}

// RoundTrip implements http.RoundTripper.
func (h *hostsOfCreates) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == create {
		h.mu.Lock()
		h.hosts = append(h.hosts, r.URL.Host)
		h.mu.Unlock()
	}
	return h.line.RoundTrip(r)
}

func (h *hostsOfCreates) seen() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.hosts
}

// The sandbox, whose own database fails, ends every task as it was asked to.
func TestAFailingDatabaseOfTheSandboxLosesNoTask(t *testing.T) {
	whenEachCallOfAFileFails(t, func(b *broken) {
		box, err := sandbox.Open(b.plan.In(b.Context()), sandbox.Config{
			Dir: b.TempDir(), Base: base, Fetch: http.DefaultClient, Shrink: 16, Longest: time.Second,
		})
		must(b.T, err)
		b.Cleanup(func() { box.Close() })
		key, err := box.NewKey(b.Context(), "kim", 1000)
		must(b.T, err)
		client := videoapi.NewClient(base, &http.Client{Transport: box})
		want := map[string]videoapi.Status{}
		for prompt, status := range map[string]videoapi.Status{
			"a boat": videoapi.Success, "a boat #fail": videoapi.Failed, "a boat #slow": videoapi.Success,
		} {
			a, err := client.Create(b.Context(), key, videoapi.Request{MediaType: videoapi.MediaType, Scene: videoapi.TextToVideo,
				Model: "seedance-2.0", Prompt: prompt,
				Options: videoapi.Options{Values: option.Values{Duration: 4, Resolution: "480p", AspectRatio: "16:9"}}})
			must(b.T, err)
			want[a.Record.ID] = status
		}
		b.fails()
		ctx, end := context.WithCancel(b.Context())
		defer end()
		go func() { _ = box.Run(ctx) }()
		time.Sleep(6 * time.Minute)
		b.plan.Stop()
		for id, status := range want {
			a, err := client.Query(b.Context(), key, id)
			must(b.T, err)
			if a.Record.Status != status {
				b.Errorf("a task is %s, want %s", a.Record.Status, status)
			}
		}
		end()
		synctest.Wait()
	})
}
